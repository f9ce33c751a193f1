"""Columns that name what rows belong to: a patient, a user, a batch.

Such a column has many values, each in several rows, and the labels agree within a value although
neighbouring values, or the other columns, do not foretell them. Then rows of one value stand on
both sides of a split.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._marks import columns_of
from mercer.certification.checks.case import Case, Index
from mercer.certification.checks.copies import agreement_p
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection

_FEWEST_LEVELS = 10
_ROWS_EACH = 2.0  # on average, at least
_SHARE = 0.08  # of the rows: fewer levels are categories
_MOST_COLUMNS = 64


class NamedGroups(Inspection):
    """A column whose values group the rows."""

    name: ClassVar[str] = "groups"

    def look(self, case: Case) -> list[Finding]:
        """The column that groups most clearly, unless groups or an order were declared."""
        if case.order != "random" or case.unit is not None or case.pairwise or case.y is None:
            return []
        if sparse.issparse(case.X) or len(case.shape) != 2:
            return []
        columns = enumerate(columns_of(case.X)[:_MOST_COLUMNS])
        named = [(code, j) for j, c in columns if (code := levels(_column(c))) is not None]
        named += _indicators(case)
        tested = [(agreement_p(case, code), j, code) for code, j in named]
        if not tested:
            return []
        p, j, code = min(tested, key=lambda found: found[0])
        words = (
            f"{case.names[j]} looks like a name that {case.n} rows share in {int(code.max()) + 1} "
            f"groups (pass groups= with that column)"
        )
        return [Finding(self.name, FIRST_LINE, words, min(1.0, p * len(tested)))]


def levels(column: NDArray[Any]) -> Index | None:
    """The values as numbers, if they could name groups: whole numbers or texts that repeat."""
    if column.dtype.kind == "f" and not (
        np.isfinite(column).all() and np.all(column == np.floor(column))
    ):
        return None
    if column.dtype.kind == "O" and not all(isinstance(v, str | int) for v in column):
        return None
    found, code = np.unique(column, return_inverse=True)
    n, count = len(column), len(found)
    many = max(_FEWEST_LEVELS, _SHARE * n) <= count <= n / _ROWS_EACH
    return code.ravel() if many else None


def _indicators(case: Case) -> list[tuple[Index, int]]:
    """Columns of which exactly one is not zero in every row: a name written out."""
    flags = [j for j, c in enumerate(case.columns) if c is not None and len(np.unique(c)) == 2]
    flags = [j for j in flags if (case.columns[j] == 0).any()]  # type: ignore[union-attr]
    if len(flags) < _FEWEST_LEVELS:
        return []
    chosen = np.column_stack([np.asarray(case.columns[j]) for j in flags]) != 0
    if not np.all(chosen.sum(axis=1) == 1):
        return []
    code = levels(chosen.argmax(axis=1).astype(float))
    return [] if code is None else [(code, flags[0])]


def _column(values: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.asarray([v if isinstance(v, str) else repr(v) for v in values], dtype=object)
