"""Bundled DNA, and series that are read from the files of other packages."""

import sys

import numpy as np
import pytest

from mercer import datasets
from mercer.io.readers import read

TS = """# a comment
@problemName Tiny
@classLabel true up down
@data
1.0,2.0,3.0:up
3.0,2.0:down
"""


def test_promoters():
    found = datasets.load_promoters()
    assert found.class_names == ("other", "promoter")
    np.testing.assert_array_equal(np.bincount(found.y), [53, 53])
    assert {len(s) for s in found.X} == {57}
    assert set("".join(found.X)) == set("ACGT")
    assert len(set(found.X)) == 106
    # the consensus of the -10 box stands at letters 36 to 42 of most promoters
    box = [s[34:46] for s in found.X[found.labels == "promoter"]]
    assert sum("TA" in part and "T" in part[6:] for part in box) > 40
    assert "CC BY 4.0" in found.source


def test_splice():
    found = datasets.load_splice()
    assert dict(zip(found.class_names, np.bincount(found.y), strict=True)) == {
        "EI": 767,
        "IE": 768,
        "N": 1655,
    }
    assert {len(s) for s in found.X} == {60}
    # an intron begins with GT and ends with AG, with few exceptions
    donors, acceptors = (found.X[found.labels == name] for name in ("EI", "IE"))
    assert np.mean([s[30:32] == "GT" for s in donors]) > 0.97
    assert np.mean([s[28:30] == "AG" for s in acceptors]) > 0.97
    assert len(found.X) - len(set(found.X)) == 185


def test_the_bundled_files_are_what_mercer_fit_reads():
    found = datasets.load_promoters()
    data = read(found.file)
    assert data.objects.tolist() == found.X.tolist()
    assert data.labels.tolist() == found.labels.tolist()


def test_series_from_a_package(tmp_path, monkeypatch):
    folder = tmp_path / "aeon" / "datasets" / "data" / "Tiny"
    folder.mkdir(parents=True)
    (tmp_path / "aeon" / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (folder / "Tiny_TRAIN.ts").write_text(TS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "aeon", raising=False)
    found = datasets.load_series("Tiny")
    assert [x.tolist() for x in found.X] == [[1, 2, 3], [3, 2]]
    assert found.labels.tolist() == ["up", "down"]
    with pytest.raises(ValueError, match=r"installed are .*'Tiny'"):
        datasets.load_series("Large")
    with pytest.raises(ValueError, match="split"):
        datasets.load_series("Tiny", "all")


def test_without_a_package_the_error_names_it(monkeypatch):
    monkeypatch.setattr("mercer.datasets.sequences.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="--no-deps aeon"):
        datasets.load_series()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@data\n1,x:up\n", "line 2: not a series"),
        ("@data\n1,2:1:up\n", "different lengths"),
        ("1,2:up\n", "no series"),
    ],
)
def test_damaged_series(tmp_path, text, message):
    (tmp_path / "bad.ts").write_text(text)
    with pytest.raises(ValueError, match=message):
        datasets.read_ts(tmp_path / "bad.ts")


def test_several_dimensions(tmp_path):
    (tmp_path / "two.ts").write_text("@data\n1,2,3:4,5,6:a\n0,0,0:1,1,1:b\n")
    found = datasets.read_ts(tmp_path / "two.ts")
    np.testing.assert_array_equal(found.X[0], [[1, 4], [2, 5], [3, 6]])
