"""``mercer.fit`` on rows in batches is the command, whatever the rows are in."""

from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import mercer
from helpers_cli import mercer as command
from helpers_streams import ROWS, sample
from mercer.app.streams import survey
from mercer.errors import UserError

pytestmark = pytest.mark.filterwarnings("ignore")
ASKED = {
    "target": "y", "ignore": ("t", "g"), "route": "low-rank", "rank": 60,
    "kernel": "gaussian:length_scale=1",
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 1500)
    monkeypatch.setattr("mercer.app.streams.fit.FEW", 100)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    for seed in range(2):
        pq.write_table(sample(seed), place / f"part-{seed}.parquet")
    return place


def frames(seed):
    """The rows of a file in two frames."""
    table = sample(seed)
    return [table.slice(0, 1000), table.slice(1000)]


def counted(model):
    return model.run_.certificate["counted"]


def test_a_folder_a_pattern_paths_and_the_command_are_one(folder, tmp_path):
    model = mercer.fit(folder, **ASKED, work=tmp_path / "work")
    assert any((tmp_path / "work").iterdir())
    assert model.run_.data["rows_read"] == 2 * ROWS
    assert set(model.predict(sample(9, 50))) == {"far", "near"}
    assert counted(mercer.fit(str(folder / "*.parquet"), **ASKED)) == counted(model)
    assert counted(mercer.fit(sorted(folder.iterdir()), **ASKED)) == counted(model)
    told = command(
        "fit", str(folder), "--target", "y", "--ignore", "t", "--ignore", "g", "--route",
        "low-rank", "--rank", "60", "--kernel", "gaussian:length_scale=1", "--report", "none",
        "-o", str(tmp_path / "out"),
    )  # fmt: skip
    assert told.code == 0, told.err
    stored = mercer.load(tmp_path / "out" / "model.mercer")
    assert stored.certificate_.to_dict()["counted"] == counted(model)
    fresh = sample(9, 200)
    assert (stored.predict(fresh) == model.predict(fresh)).all()


def test_functions_that_make_frames_and_dask_frames_are_partitions():
    model = mercer.fit([partial(frames, 0), partial(frames, 1)], **ASKED)
    assert model.run_.data["rows_read"] == 2 * ROWS
    assert model.run_.title == "functions"
    assert 0.05 < model.certificate_.value < 0.15
    pytest.importorskip("pandas")
    dask = pytest.importorskip("dask.dataframe")
    import dask as engine

    table = dask.from_pandas(sample(0).to_pandas(), npartitions=2, sort=False)
    with engine.config.set(scheduler="synchronous"):
        found = mercer.fit(table, **ASKED)
    assert found.run_.data["rows_read"] == ROWS
    one = mercer.fit(lambda: frames(0), **ASKED)
    assert one.run_.data["rows_read"] == ROWS


def test_what_rows_in_batches_cannot_have_is_refused(folder, tmp_path):
    with pytest.raises(UserError, match="among the columns"):
        mercer.fit(Path(folder), [1, 2], **ASKED)
    with pytest.raises(UserError, match="these rows are in none"):
        mercer.fit([partial(frames, 0)], **ASKED, work=tmp_path)
