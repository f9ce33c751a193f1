"""Rows that are almost equal: copies with a little noise, or the same thing measured again.

Around a row of a law with a density in D dimensions, the ratio of its j-th nearest distance to its
k-th has (ratio)^D ~ Beta(j, k − j), whatever the density: tiny ratios are rare. D is read off the
k-th and the 2k-th distances, which copies do not touch, and lowered so that its own error does not
raise alarms. Of rows in tight small clusters the labels decide, as they do for copies.
"""

from __future__ import annotations

import re
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csgraph
from scipy.stats import beta, binom

from mercer._marks import row_marks
from mercer.certification.checks.case import FEW, MOST_ROWS, Case, Floats, Index
from mercer.certification.checks.copies import agreement_p, repeats
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.neighbours import nearest, sample

_NEIGHBOURS = 30  # k: copies of one record are fewer
_CLUSTER = 5  # neighbours of a row in a tight cluster, at least
_FEWEST = 80  # rows below which the 2k-th neighbour is no neighbour
_RATE = 1e-4  # of rows that chance brings so near
_NEAREST = 0.01  # of the k-th distance: what is further is not "almost equal"
_MANY = 0.2  # of the rows: fewer make no file of clusters
_LOWERED = 0.8
_WORTH = 0.01  # p-values above are not worth a second look
_JOINED = 5000  # rows among which all pairs are looked for
_EQUAL, _TIGHT = "almost equal to an earlier one", "in small clusters whose labels agree"
_NO_LETTERS = re.compile(r"[\W\d_]+")
Bools = NDArray[np.bool_]


class NearCopies(Inspection):
    """Distances with an atom near zero."""

    name: ClassVar[str] = "near copies"

    def look(self, case: Case) -> list[Finding]:
        """Of rows that differ; equal ones are the matter of another check."""
        if _are_texts(case):
            return self._typed_again(case)
        if case.pairwise or not case.continuous or len(case.firsts) < _FEWEST:
            return []
        points = case.vectors
        if points is None:
            return []
        rows = case.firsts[sample(len(case.firsts), MOST_ROWS)]
        base = points[rows]
        count = min(2 * _NEIGHBOURS, len(rows) // 2)
        screened = nearest(base, sample(len(rows)), count)
        for kind, words in ((_pairs, _EQUAL), (_clusters, _TIGHT)):
            distance, number = screened
            close, p = kind(distance)
            if p > _WORTH or close.mean() <= FEW:
                continue
            if len(rows) <= _JOINED and len(rows) > len(close):
                distance, number = nearest(base, np.arange(len(rows)), count)
                close, p = kind(distance)
            found = self._tell(case, rows, close, number, p, words)
            if found:
                return found
        return []

    def _tell(
        self, case: Case, rows: Index, close: Bools, number: Index, p: float, words: str
    ) -> list[Finding]:
        together, again = None, round(float(close.mean()) * case.n)
        if len(close) == len(case.firsts):
            width = _CLUSTER if words == _TIGHT else 1
            some = np.repeat(rows[close], width)
            together = _joined(case, some, rows[number[close, :width]].ravel())
            again = repeats(case, together)
        if words == _TIGHT:
            if together is None:
                return []
            p = agreement_p(case, together)
        if together is not None and self._few(case, together):
            return []
        text = f"{again} of {case.n} rows are {words} (pass groups= if they belong together)"
        return [Finding(self.name, FIRST_LINE, text, p, together=together)]

    def _few(self, case: Case, together: Index) -> bool:
        return repeats(case, together) - repeats(case, case.cells) <= FEW * case.n

    def _typed_again(self, case: Case) -> list[Finding]:
        """Texts that differ in blanks and capitals only, or also in digits: a ticket's number."""
        found = []
        for bare, but in ((_typed, "blanks and capitals"), (_letters, "blanks, signs and digits")):
            marks = row_marks([bare(text) for text in case.X])
            together = np.unique(marks, return_inverse=True)[1].ravel()
            if self._few(case, together):
                continue
            words = f"{repeats(case, together)} of {case.n} texts are copies but for {but}"
            p = min(1.0, 2.0 * agreement_p(case, together))
            found.append(Finding(self.name, FIRST_LINE, words, p, together=together))
        return [min(found, key=lambda finding: finding.p_value or 0.0)] if found else []


def _typed(text: str) -> str:
    return " ".join(text.split()).casefold()


def _letters(text: str) -> str:
    """The letters of a text; the text itself if it has few."""
    letters = _typed(_NO_LETTERS.sub(" ", text))
    return letters if 2 * len(letters) >= len(text) else _typed(text)


def _are_texts(case: Case) -> bool:
    return len(case.shape) == 1 and all(isinstance(text, str) for text in case.X)


def _pairs(distance: Floats) -> tuple[Bools, float]:
    """Rows almost equal to their nearest one, and how likely so many are by chance."""
    limit = min(_NEAREST, limit_ratio(distance, 1))
    close = distance[:, 0] <= limit * distance[:, _kth(distance)]
    # a pair is counted from both sides, so half of the rows decide
    return close, float(binom.sf(int(close.sum()) // 2 - 1, max(1, len(close) // 2), _RATE))


def _clusters(distance: Floats) -> tuple[Bools, float]:
    """Rows in tight clusters; the labels decide."""
    near = distance[:, _CLUSTER - 1]
    close = near <= limit_ratio(distance, _CLUSTER) * distance[:, _kth(distance)]
    return close, 0.0 if close.mean() >= _MANY else 1.0


def limit_ratio(distance: Floats, j: int) -> float:
    """The j-th over the k-th distance that chance undercuts at the rate allowed."""
    kth = _kth(distance)
    far, near = distance[:, -1], distance[:, kth]
    known = near > 0
    growth = float(np.median(np.log(far[known] / near[known]))) if known.any() else 0.0
    if growth <= 0:
        return 0.0
    dimension = _LOWERED * np.log(2.0) / growth
    return float(beta.ppf(_RATE, j, kth + 1 - j) ** (1.0 / dimension))


def _kth(distance: Floats) -> int:
    return distance.shape[1] // 2 - 1


def close_to(fresh: Floats, old: Floats) -> tuple[int, float]:
    """Fresh rows almost equal to an old one, and how likely so many are by chance."""
    if len(old) < _NEIGHBOURS:
        return 0, 1.0
    spread = old.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    old = old[sample(len(old), MOST_ROWS)]
    some = fresh[sample(len(fresh))]
    count = min(2 * _NEIGHBOURS, len(old) // 2)
    distance, _ = nearest(old / scale, some / scale, count)
    limit = min(_NEAREST, limit_ratio(distance, 1))
    close = int(np.count_nonzero(distance[:, 0] <= limit * distance[:, _kth(distance)]))
    p = float(binom.sf(close - 1, len(some), _RATE))
    return round(close * len(fresh) / len(some)), p


def _joined(case: Case, some: Index, others: Index) -> Index:
    """Cells, those of joined rows made one."""
    a, b = case.cells[some], case.cells[others]
    count = len(case.firsts)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    return csgraph.connected_components(graph, directed=False)[1][case.cells]
