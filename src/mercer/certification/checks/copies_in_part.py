"""Copies that a few columns tell apart: a row number, a date of export, the number of the copy.

Columns in which hardly any value repeats are left out, and one more: that which tells most rows
apart. Rows that are equal in all other columns may belong to different records all the same, so
the labels decide, as they do for copies in tables of few values.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

from mercer._marks import Marks, distinct
from mercer.certification.checks.case import FEW, Case, Index
from mercer.certification.checks.copies import agreement_p, repeats
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection

_UNIQUE = 0.9  # of the rows: a column with more values hardly ever repeats
_FEWEST_CELLS, _SHARE = 10, 0.08  # rows of fewer kinds, in numbers or of the rows, are categories
_MANY = 0.2  # of the rows that are equal but for some columns: fewer are not worth a test
_MOST_COLUMNS = 64


class CopiesInPart(Inspection):
    """Rows equal in all columns but some, whose labels agree."""

    name: ClassVar[str] = "copies in part"

    def look(self, case: Case) -> list[Finding]:
        """Of rows that differ; equal ones are the matter of another check."""
        if not _is_table(case) or repeats(case, case.cells) > FEW * case.n:
            return []
        tested = [(_agreement(case, out, cells), out, cells) for out, cells in _candidates(case)]
        if not tested:
            return []
        p, out, cells = min(tested, key=lambda found: found[0])
        but = ", ".join(case.names[j] for j in np.flatnonzero(out)[:3])
        more = ", ..." if np.count_nonzero(out) > 3 else ""
        kind = "fresh rows" if case.fresh else "rows"
        words = (
            f"{repeats(case, cells)} of {case.n} {kind} are copies of an earlier one but for "
            f"{but}{more}, and have its label"
        )
        return [Finding(self.name, FIRST_LINE, words, min(1.0, p * len(tested)), together=cells)]


def _is_table(case: Case) -> bool:
    if case.pairwise or case.y is None or sparse.issparse(case.X):
        return False
    return len(case.shape) == 2 and 2 <= case.shape[1] <= _MOST_COLUMNS


def _candidates(case: Case) -> list[tuple[NDArray[np.bool_], Index]]:
    """Columns to leave out, and which rows are equal then; chosen without a look at the labels."""
    marks = case.cell_marks
    out = np.array([distinct(cells) > _UNIQUE * case.n for cells in marks])
    left = np.flatnonzero(~out)
    if not len(left):
        return []
    rest = sum((marks[j] for j in left), np.zeros(case.n, np.uint64))
    found = [(out, rest)] if out.any() else []
    if len(left) > 1:
        j = min(left, key=lambda j: distinct(rest - marks[j]))
        found.append((out | (np.arange(len(out)) == j), rest - marks[j]))
    numbered = [(columns, _numbered(cells)) for columns, cells in found]
    return [(columns, cells) for columns, cells in numbered if _could_be_copies(case, cells)]


def _numbered(marks: Marks) -> Index:
    return np.unique(marks, return_inverse=True)[1].ravel()


def _could_be_copies(case: Case, cells: Index) -> bool:
    kinds = int(cells.max()) + 1
    return kinds >= max(_FEWEST_CELLS, _SHARE * case.n) and repeats(case, cells) > _MANY * case.n


def _agreement(case: Case, out: NDArray[np.bool_], cells: Index) -> float:
    table = case.X if hasattr(case.X, "columns") else np.asarray(case.X)
    part = Case(_safe_indexing(table, np.flatnonzero(~out), axis=1), case.y)
    return agreement_p(part, cells)
