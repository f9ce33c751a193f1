"""A column that only numbers the rows, in a file whose labels follow the numbering.

An exported index, a line number, a time: it tells the label of a row from the labels of its
neighbours in the file, which new rows will not have.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.stats import norm

from mercer.certification.checks.case import Case, Floats, numbers_of
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.order import codes_of, runs

_FEWEST = 20


class RowNumbers(Inspection):
    """Whole numbers in even steps, one after another."""

    name: ClassVar[str] = "row numbers"

    def look(self, case: Case) -> list[Finding]:
        """Harmless, and not mentioned, if labels come in any order."""
        table = numbers_of(case.X)
        if table is None or case.y is None or case.pairwise or case.n < _FEWEST:
            return []
        numbering = [j for j, column in enumerate(table.T) if _numbers(column)]
        if not numbering or case.order == "time":
            return []
        words = (
            f"{case.names[numbering[0]]} only numbers the rows, and the labels follow it (drop it, "
            "or pass order= with it)"
        )
        return [Finding(self.name, FIRST_LINE, words, runs_p(codes_of(case.y)))]


def runs_p(codes: np.ndarray) -> float:
    """P(so few runs of equal labels in a random order), by the normal law with a lower tail."""
    n, counts = len(codes), np.bincount(codes)
    share = float((counts * (counts - 1.0)).sum() / (n * (n - 1.0)))  # of neighbours that agree
    if share >= 1.0:
        return 1.0
    mean = (n - 1) * (1 - share)
    spread = np.sqrt((n - 1) * share * (1 - share)) + 1.0  # generous where classes are unequal
    return float(norm.cdf((runs(codes) - 1 - mean) / spread))


def _numbers(column: Floats) -> bool:
    steps = np.diff(column)
    return bool(np.all(steps == steps[0]) and steps[0] != 0 and np.all(column == np.floor(column)))
