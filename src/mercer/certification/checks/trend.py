"""A target that changes along the file: rows were shuffled, and future ones may follow the last.

Told below the number. Many files are sorted, or put together from parts, which the shuffle undoes;
only whoever made the file knows whether its order is time.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.stats import kstwobign, rankdata

from mercer.certification.checks.case import Case
from mercer.certification.checks.check import Floats
from mercer.certification.checks.finding import NOTE, Finding
from mercer.certification.checks.inspection import Inspection

_FEWEST = 20
_MOST_CLASSES = 50


class Trend(Inspection):
    """The level of the target, before and after any row."""

    name: ClassVar[str] = "trend"

    def look(self, case: Case) -> list[Finding]:
        """Nothing to say where order or groups were declared."""
        if case.order != "random" or case.unit is not None or case.y is None or case.n < _FEWEST:
            return []
        p, row = trend_p(_signals(case))
        words = (
            f"the target changes along the file, most around row {row}, and rows were shuffled "
            "(pass order= with the column that says when, if they were recorded one after another)"
        )
        return [Finding(self.name, NOTE, words, p)]


def _signals(case: Case) -> Floats:
    """Ranks of numbers, or one indicator for each of the classes; one row for each signal."""
    y = np.asarray(case.y)
    if y.dtype.kind == "f" and len(np.unique(y)) > _MOST_CLASSES:
        return rankdata(y)[None, :]
    codes = np.unique(y, return_inverse=True)[1].ravel()
    frequent = np.argsort(-np.bincount(codes), kind="stable")[:_MOST_CLASSES]
    return (codes == frequent[:, None]).astype(np.float64)


def trend_p(signals: Floats) -> tuple[float, int]:
    """P(the mean of a signal differs so much before and after some row), and that row.

    In a random order the sums about the mean are about a Brownian bridge, whose largest absolute
    value has Kolmogorov's law; signals share the level.
    """
    n = signals.shape[1]
    spread = signals.std(axis=1)
    signals = signals[spread > 0]
    if not len(signals):
        return 1.0, 0
    sums = np.cumsum(signals - signals.mean(axis=1, keepdims=True), axis=1)
    sums = np.abs(sums) / (spread[spread > 0, None] * np.sqrt(n))
    which, row = np.unravel_index(sums.argmax(), sums.shape)
    return min(1.0, len(signals) * float(kstwobign.sf(sums[which, row]))), int(row) + 1
