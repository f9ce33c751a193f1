"""The tables of the short account are those of the results files."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import four_pages

TEXT = """# Results

| no | heading |
|---|---|
| 1 | 2 |

## Second

| data | n | value |
|---|---|---|
| a 10 | 10 | 0.5 |
| b 10 | 10 | 0.7 |

After.
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    (tmp_path / "r.md").write_text(TEXT)
    monkeypatch.setattr(four_pages, "RESULTS", tmp_path)
    return "r.md"


def test_the_page_shows_the_results_as_they_are():
    page = four_pages.PAGE.read_text()
    assert four_pages.drawn(page) == page, "run: python tools/four_pages.py"


def test_columns_and_rows_are_picked(results):
    lines = four_pages.part(results, "Second", ["data", "value"], "b.*")
    assert lines == ["| data | value |", "|---|---|", "| b 10 | 0.7 |"]
    assert four_pages.part(results, "", ["heading"])[-1] == "| 2 |"


@pytest.mark.parametrize(
    ("heading", "columns", "rows", "message"),
    [
        ("Third", ["data"], ".*", "no heading 'Third'"),
        ("Second", ["date"], ".*", "no column date"),
        ("Second", ["data"], "c.*", "no row like c"),
    ],
)
def test_what_the_results_do_not_have_is_an_error(results, heading, columns, rows, message):
    with pytest.raises(SystemExit, match=message):
        four_pages.part(results, heading, columns, rows)


def test_a_page_without_a_place_for_a_table_is_an_error():
    with pytest.raises(SystemExit, match="no place for the table"):
        four_pages.drawn("# A page\n")
