"""The matrix of docs/learners-matrix.md: every cell tried, every empty one with its reason."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from matrix.probes import COLUMNS  # noqa: E402
from matrix.table import measured, page  # noqa: E402

from mercer.learners import available  # noqa: E402
from mercer.learners._reasons import reasons  # noqa: E402

LEARNERS = {cls.__name__: cls for cls in available().values()}


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_empty_cell_has_a_reason_and_a_full_one_has_none(learner):
    cells = measured()[learner]
    said = {n: cell.said for n, cell in cells.items() if not cell.works and not cell.reason}
    assert not said, f"tried and failed; fill the cell, or say why not in {learner}.lacks: {said}"
    idle = {name for name, cell in cells.items() if cell.works and cell.reason}
    assert not idle, f"it works: take the reason out of {learner}.lacks, or take it back by ''"


@pytest.mark.parametrize("learner", LEARNERS)
def test_reasons_are_about_columns_of_the_table(learner):
    assert set(reasons(LEARNERS[learner])) <= {each.name for each in COLUMNS}


def test_the_page_is_current():
    path = ROOT / "docs" / "learners-matrix.md"
    assert path.read_text(encoding="utf-8") == page(measured()), "run tools/learners_matrix.py"
