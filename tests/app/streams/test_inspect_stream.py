"""``mercer inspect`` on many files: counts and ranges of all rows, from one pass."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers_cli import mercer
from helpers_streams import sample
from mercer.app.streams import survey


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    for seed in range(3):
        table = sample(seed, 1000)
        if seed == 2:  # what only one of the files shows
            a = table["a"].to_pylist()
            a[7], a[8:20] = 99.0, [None] * 12
            table = table.set_column(0, "a", pa.array(a))
        pq.write_table(table, place / f"part-{seed}.parquet")
    return place


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 500)


def test_numbers_are_those_of_all_rows_and_the_sample_is_said(folder):
    told = mercer("inspect", str(folder), "--target", "y", "--json")
    assert told.code == 0, told.err
    found = json.loads(told.out)
    assert found["rows"] == 3000
    assert found["sample"] == 500
    a = next(column for column in found["columns"] if column["name"] == "a")
    assert a["missing"] == 12
    assert a["max"] == "99"
    shown = mercer("inspect", str(folder / "*.parquet"), "-t", "y")
    words = " ".join(shown.out.split())
    assert "3 files, 3,000 rows" in words
    assert "the rest of a sample of 500" in words
    assert "target y: two classes" in words


def test_copies_bad_files_and_the_page(folder, tmp_path):
    place = tmp_path / "rows"
    place.mkdir()
    whole = (folder / "part-0.parquet").read_bytes()
    for name in ("a", "b"):
        (place / f"{name}.parquet").write_bytes(whole)
    (place / "cut.parquet").write_bytes(whole[:2000])
    told = mercer("inspect", str(place))
    assert told.code == 3
    assert "cut.parquet" in told.err
    page = tmp_path / "page.html"
    told = mercer("inspect", str(place), "--skip-bad-files", "-t", "y", "-o", str(page))
    assert told.code == 0, told.err
    assert "about 50.0% of the rows repeat another one" in told.out
    assert "cut.parquet was left out" in told.out
    assert page.read_text().lstrip().lower().startswith("<!doctype html")
