"""A target that changes along the file: rows were shuffled, and future ones may follow the last.

Told below the number. Many files are sorted, or put together from parts, which the shuffle undoes:
where the target or a column shows that this is how the file came about, nothing is said, unless a
column of dates or years runs along the file. Only whoever made the file knows whether its order is
time.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kstwobign, rankdata

from mercer.certification.checks.case import Case
from mercer.certification.checks.check import Floats
from mercer.certification.checks.finding import NOTE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.order import runs

_FEWEST = 20
_MOST_CLASSES = 50
_CLEAR = 0.01  # a trend that may be told; what explains it need not be looked for otherwise
_MOST_COLUMNS = 256
_ALONG = 0.9  # rank correlation with the place in the file of a column it was sorted by, roughly
_ALONG_TIME = 0.8
_YEARS = (1700, 2150)
_HOUR = 3600.0
_FEWEST_EACH = 5  # rows of a part of the file, on the average


class Trend(Inspection):
    """The level of the target, before and after any row."""

    name: ClassVar[str] = "trend"

    def look(self, case: Case) -> list[Finding]:
        """Nothing to say where order or groups were declared."""
        if case.order != "random" or case.unit is not None or case.y is None or case.n < _FEWEST:
            return []
        p, row = trend_p(_signals(case))
        if p <= _CLEAR and explained(case):
            return []
        words = (
            f"the target changes along the file, most around row {row}, and rows were shuffled "
            "(pass order= with the column that says when, if they were recorded one after another)"
        )
        return [Finding(self.name, NOTE, words, p)]


def explained(case: Case) -> bool:
    """Whether the target or a column says how the file was sorted, and no time runs along it."""
    step = max(1, -(-len(case.columns) // _MOST_COLUMNS))
    columns = [(j, c) for j, c in list(enumerate(case.columns))[::step] if c is not None]
    along = {j: _along(column) for j, column in columns}
    times = [j for j, column in columns if j in case.dates or _is_time(column)]
    if any(along[j] >= _ALONG_TIME for j in times):
        return False
    if case.y is not None and _in_blocks(case.codes):
        return True
    if any(share >= _ALONG for share in along.values()):
        return True
    return any(_in_blocks(np.unique(cells, return_inverse=True)[1].ravel())
               for cells in case.cell_marks[::step])  # fmt: skip


def _along(column: Floats) -> float:
    """Rank correlation with the place in the file, up to the sign."""
    known = np.flatnonzero(~np.isnan(column))
    if len(known) < _FEWEST or np.ptp(column[known]) == 0:
        return 0.0
    return abs(float(np.corrcoef(rankdata(column[known]), known)[0, 1]))


def _is_time(column: Floats) -> bool:
    """Years, days of the calendar as numbers, or whole hours since 1970."""
    known = column[np.isfinite(column)]
    if not len(known) or np.any(known != np.floor(known)):
        return False
    years = known
    if known.min() >= 1e7:  # 20240131
        years = np.floor(known / 1e4)
    elif known.min() >= 1e5:  # 202401
        years = np.floor(known / 100)
    if _YEARS[0] <= years.min() and years.max() <= _YEARS[1]:
        return True
    return bool(np.abs(known).max() > 1e4 * _HOUR and np.all(known % _HOUR == 0))


def _in_blocks(codes: NDArray[np.intp]) -> bool:
    """Equal values stand together, many in each place: the file was sorted by them."""
    found = len(np.unique(codes))
    return 1 < found <= len(codes) / _FEWEST_EACH and runs(codes) == found


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
