"""A column that only numbers the rows, in a file whose labels follow the numbering.

An exported index, a line number, a time, dates one after another: it tells the label of a row from
the labels of its neighbours in the file, which new rows will not have.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.stats import norm

from mercer.certification.checks.case import Case
from mercer.certification.checks.check import Floats
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.order import rises, runs

_FEWEST = 20


class RowNumbers(Inspection):
    """Whole numbers in even steps, one after another."""

    name: ClassVar[str] = "row numbers"

    def look(self, case: Case) -> list[Finding]:
        """Harmless, and not mentioned, if labels come in any order."""
        if case.y is None or case.order == "time" or case.n < _FEWEST:
            return []
        columns = enumerate(case.columns)
        numbering = [j for j, column in columns if column is not None and _numbers(column)]
        dates = [j for j in case.dates if rises(np.asarray(case.columns[j]))]
        if not numbering and not dates:
            return []
        says = "says when, and rows follow one another" if dates else "only numbers the rows"
        words = (
            f"{case.names[(dates or numbering)[0]]} {says}, and the labels follow it (drop it, "
            "or pass order= with it)"
        )
        return [Finding(self.name, FIRST_LINE, words, runs_p(case.codes))]


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
