"""Rows that follow one another: a series, the visits of a patient, a file that was never shuffled.

A shuffled split puts neighbours in time on both sides. Two signs of that are compared with what
happens if rows are permuted within short stretches of the file (an exact test): rows whose nearest
row stands next to them, and equal labels in a row. A file sorted by its target or by a column, or
put together from several sources, shows neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.certification.checks.case import MOST_ROWS, Case, Index, codes_of
from mercer.certification.checks.check import Floats
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.neighbors import nearest, sample

_STRETCH = 40
_NEXT = 2
_PERMUTATIONS = 1999
_FIRST = 19  # permutations after which most files show that there is nothing
_FEWEST = 40
_FEWEST_NAMES = 10  # fewer are categories, more may be what rows belong to
_BESIDE, _ALIKE = 0.05, 0.02  # of the rows, beyond chance: real files are seldom well shuffled
_CLEAR = 5.0  # standard deviations beyond chance: a faint pattern is not worth the first line


class FileOrder(Inspection):
    """Neighbours in the file that are alike."""

    name: ClassVar[str] = "order"

    def look(self, case: Case) -> list[Finding]:
        """Nothing to look for where the order or the groups were declared."""
        if case.order != "random" or case.unit is not None or case.n < _FEWEST:
            return []
        in_order = sorted_by_a_column(case)
        signs = [
            (*self._rows(case, in_order), _BESIDE, "are most like the row next to them"),
            (*self._labels(case, in_order), _ALIKE, "have the label of the row before them"),
        ]
        told = [(p, excess, words) for p, excess, few, words in signs if excess > few * case.n]
        if not told:
            return []
        p, excess, words = min(told)
        text = (
            f"about {excess:.0f} of {case.n} rows {words} beyond chance, so rows may follow one "
            "another in time or come from the same source (pass order= or groups=)"
        )
        return [Finding(self.name, FIRST_LINE, text, min(1.0, 2 * p))]

    def _rows(self, case: Case, in_order: bool) -> tuple[float, float]:
        """Rows whose nearest row stands beside them."""
        points = case.vectors
        if points is None or in_order:
            return 1.0, 0.0
        some = np.arange(min(case.n, MOST_ROWS))  # a stretch of the file, as it stands
        asked = sample(len(some))
        found = nearest(points[some], asked, 1)[1][:, 0]
        labels = np.zeros(len(some), np.intp) if case.y is None else codes_of(case.y[some])

        def beside(place: Index) -> float:
            return float(np.count_nonzero(np.abs(place[found] - place[asked]) <= _NEXT))

        within = labels if runs(labels) <= _most_runs(labels) else None
        p, excess = permuted(beside, len(some), within)
        return p, excess * case.n / len(asked)

    def _labels(self, case: Case, in_order: bool) -> tuple[float, float]:
        """Equal labels one after another; of numbers, those on the same side of the median."""
        if case.y is None or in_order or (case.y.dtype.kind == "f" and rises(case.y)):
            return 1.0, 0.0
        codes = codes_of(case.y)[:MOST_ROWS]  # a stretch of the file, as it stands
        if runs(codes) <= _most_runs(codes):
            return 1.0, 0.0

        def alike(place: Index) -> float:
            moved = codes[np.argsort(place)]
            return float(np.count_nonzero(moved[1:] == moved[:-1]))

        p, excess = permuted(alike, len(codes), None)
        # asked last: it looks at every column, and few files come so far
        return (1.0, 0.0) if excess and sorted_in_blocks(case) else (p, excess)


def permuted(
    statistic: Callable[[Index], float], n: int, within: Index | None
) -> tuple[float, float]:
    """p-value, and the excess over the mean, of a statistic of places in the file.

    Places are exchanged within stretches of the file only, and among rows of equal ``within``.
    """
    rng = np.random.default_rng(0)
    stretch = (np.arange(n) // _STRETCH).astype(float)
    if within is not None:
        stretch = stretch * (1 + within.max()) + within
    home = np.argsort(stretch, kind="stable")
    seen = statistic(np.arange(n))
    drawn: list[float] = []
    for i in range(_PERMUTATIONS):
        place = np.empty(n, dtype=np.intp)
        place[np.argsort(stretch + rng.random(n))] = home
        drawn.append(statistic(place))
        if i == _FIRST and seen <= np.mean(drawn) + _CLEAR / 2 * np.std(drawn):
            return 1.0, 0.0  # nothing to be seen: most files are done with here
    excess = float(seen - np.mean(drawn))
    if excess <= _CLEAR * np.std(drawn):
        return 1.0, 0.0
    return (1 + sum(value >= seen for value in drawn)) / (1 + _PERMUTATIONS), excess


def runs(codes: NDArray[np.intp]) -> int:
    """Stretches of equal labels."""
    return 1 + int(np.count_nonzero(codes[1:] != codes[:-1]))


def _most_runs(codes: NDArray[np.intp]) -> int:
    """A file sorted by its labels has one run for each."""
    return len(np.unique(codes))


def sorted_by_a_column(case: Case) -> bool:
    """Whether some column (a key, a date, a measurement) never falls or never rises."""
    return any(column is not None and rises(column) for column in case.columns)


def sorted_in_blocks(case: Case) -> bool:
    """Whether rows were sorted by a column of few names first and by the label within."""
    for cells in case.cell_marks:
        block = np.unique(cells, return_inverse=True)[1].ravel()
        if 2 <= _most_runs(block) < _FEWEST_NAMES and runs(block) == _most_runs(block):
            both = block * (case.codes.max() + 1) + case.codes
            if runs(both) == _most_runs(both):
                return True
    return False


def rises(column: Floats) -> bool:
    """Whether a column never falls, or never rises."""
    steps = np.diff(column)
    return bool(np.ptp(column) > 0 and (np.all(steps >= 0) or np.all(steps <= 0)))
