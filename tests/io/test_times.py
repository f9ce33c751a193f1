"""Times of the day are numbers, the same seconds by every door."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from pyarrow import parquet

import mercer
from helpers_cli import mercer as command
from mercer.io.readers import read
from mercer.tables.frames import dataset_of

WRITTEN = ["10:32", "09:05", "", "23:59"]
REAL = [datetime.time.fromisoformat(at) if at else None for at in WRITTEN]
SECONDS = [37920.0, 32700.0, np.nan, 86340.0]


def as_frame(values):
    return dataset_of(pd.DataFrame({"at": pd.Series(values, dtype=object)}))


def test_in_text_files_and_frames(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("at,y\n" + "".join(f"{at},{i}\n" for i, at in enumerate(WRITTEN)))
    for data in (read(path), as_frame(WRITTEN), as_frame(REAL)):
        assert data.columns[0].kind == "number"
        np.testing.assert_array_equal(data.columns[0].values, SECONDS)
    assert as_frame(["10:32:30.5"]).columns[0].values.tolist() == [37950.5]


@pytest.mark.parametrize(
    "kind", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]
)
def test_in_files_that_know_them(kind, tmp_path):
    parquet.write_table(pa.table({"at": pa.array(REAL, kind)}), tmp_path / "t.parquet")
    np.testing.assert_array_equal(read(tmp_path / "t.parquet").columns[0].values, SECONDS)


def test_durations_are_seconds_too(tmp_path):
    spans = pa.array([datetime.timedelta(hours=30), None], pa.duration("ms"))
    pa.feather.write_feather(pa.table({"for": spans}), tmp_path / "t.feather")
    np.testing.assert_array_equal(read(tmp_path / "t.feather").columns[0].values, [108000, np.nan])


def test_other_texts_with_a_colon_stay_texts():
    for odd in (["10:32", "24:10"], ["10:32", "10:3"], ["1:10:60"], ["3:16", "119:105"]):
        assert as_frame(odd).columns[0].kind == "text"


def test_a_model_of_a_file_answers_frames_alike(tmp_path):
    rng = np.random.default_rng(0)
    hours, noise = rng.integers(0, 24, 120), rng.normal(size=120)
    table = pd.DataFrame({"at": [f"{h:02d}:{rng.integers(0, 60):02d}" for h in hours], "x": noise,
                          "open": np.where((hours > 8) & (hours < 18), "yes", "no")})  # fmt: skip
    table.to_csv(tmp_path / "t.csv", index=False)
    table[["at", "x"]][:20].to_csv(tmp_path / "new.csv", index=False)
    options = ("--target", "open", "--kernel", "gaussian", "-o", tmp_path / "out", "-q")
    assert command("fit", tmp_path / "t.csv", *options).code == 0
    model = mercer.load(tmp_path / "out" / "model.mercer")
    ran = command("predict", tmp_path / "out" / "model.mercer", tmp_path / "new.csv", "-o",
                  tmp_path / "told.csv")  # fmt: skip
    assert ran.code == 0, ran.err
    told = pd.read_csv(tmp_path / "told.csv")["predicted"].tolist()
    assert told == model.predict(table[["x", "at"]][:20]).tolist()
    assert np.mean(np.array(told) == table["open"][:20].to_numpy()) > 0.7
