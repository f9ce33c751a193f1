"""Columns without a name, or with a name used twice, are found under pandas' names and ours."""

import numpy as np
import pandas as pd
import pytest

import mercer
from helpers_cli import mercer as command
from mercer.io.readers import read
from mercer.tables.frames import dataset_of
from mercer.tables.spellings import found_as

LINES = "\n".join(
    [",size,size,y", *(f"{(7 * i) % 5},{i % 6},{i % 11},{'yes' if i % 11 > 4 else 'no'}"
                       for i in range(90))])  # fmt: skip


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("x", ["x", "x.1"], "x"),
        ("x (2)", ["x", "x.1"], "x.1"),
        ("x.1", ["x", "x (2)"], "x (2)"),
        ("column 1", ["Unnamed: 0", "y"], "Unnamed: 0"),
        ("Unnamed: 2", ["a", "b", "column 3"], "column 3"),
        ("x (2)", ["x", "x.2"], None),
        ("y", ["x"], None),
    ],
)
def test_other_spellings(name, names, found):
    assert found_as(name, names) == found


def test_a_model_of_a_file_takes_the_frame_that_pandas_made_of_it_and_the_other_way(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(LINES)
    quick = {"target": "y", "kernel": "gaussian", "keep": None}
    frame = pd.read_csv(path)
    by_file = mercer.fit(path, **quick | {"keep": ["column 1"]})
    by_frame = mercer.fit(frame, **quick | {"keep": ["Unnamed: 0"]})
    assert by_file.certificate_.value == by_frame.certificate_.value
    expected = by_file.predict(frame)
    assert np.array_equal(by_frame.predict(frame), expected)
    mercer.save(by_frame, tmp_path / "frame.mercer")
    ran = command("predict", tmp_path / "frame.mercer", path, "-o", tmp_path / "told.csv")
    assert ran.code == 0, ran.err
    told = pd.read_csv(tmp_path / "told.csv")["predicted"].to_numpy()
    assert np.array_equal(told, expected)


def test_moments_with_and_without_fractions_of_seconds_are_dates_in_a_frame_too(tmp_path):
    path = tmp_path / "t.csv"
    moments = [f"20{10 + i % 9}-03-{1 + i % 28:02} 10:00:0{i % 10}" for i in range(40)]
    moments[7] += ".165196"
    path.write_text("\n".join(["seen,x", *(f"{moment},1" for moment in moments)]) + "\n")
    by_file, by_frame = read(path).columns[0], dataset_of(pd.read_csv(path)).columns[0]
    assert by_file.kind == by_frame.kind == "date"
    np.testing.assert_allclose(by_file.values, by_frame.values, rtol=0, atol=1e-5)
