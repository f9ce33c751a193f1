"""Rows that are almost equal: copies with a little noise, or the same thing measured again.

Around a row of a law with a density in D dimensions, the ratio of its j-th nearest distance to its
k-th has (ratio)^D ~ Beta(j, k − j), whatever the density: tiny ratios are rare. D is read off the
k-th and the 2k-th distances, which copies do not touch, and lowered so that its own error does not
raise alarms. Of rows in tight small clusters the labels decide, as they do for copies.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import coo_array, csgraph
from scipy.stats import beta, binom

from mercer.certification.checks.case import FEW, MOST_ROWS, Case, Floats, Index
from mercer.certification.checks.copies import agreement_p, repeats
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.core.marks import row_marks

_NEIGHBOURS = 30  # k: copies of one record are fewer
_CLUSTER = 5  # neighbours of a row in a tight cluster, at least
_FEWEST = 80  # rows below which the 2k-th neighbour is no neighbour
_RATE = 1e-4  # of rows that chance brings so near
_NEAREST = 0.01  # of the k-th distance: what is further is not "almost equal"
_MANY = 0.2  # of the rows: fewer make no file of clusters
_LOWERED = 0.8
_COLUMNS = 8  # projections in which neighbours are looked for


class NearCopies(Inspection):
    """Distances with an atom near zero."""

    name: ClassVar[str] = "near copies"

    def look(self, case: Case) -> list[Finding]:
        """Of rows that differ; equal ones are the matter of another check."""
        if _are_texts(case):
            return self._typed_again(case)
        rows = case.firsts
        if case.pairwise or len(rows) < _FEWEST or not case.continuous or case.vectors is None:
            return []
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.random.default_rng(0).permutation(rows)[:MOST_ROWS])
        distance, number = nearest(case.vectors[rows])
        together, p = _pairs(case, rows, distance, number)
        words = "almost equal to an earlier one"
        if self._few(case, together):
            together, p = _clusters(case, rows, distance, number)
            words = "in small clusters whose labels agree"
        again = repeats(case, together)
        if self._few(case, together):
            return []
        text = f"{again} of {case.n} rows are {words} (pass groups= if they belong together)"
        return [Finding(self.name, FIRST_LINE, text, p, together=together)]

    def _few(self, case: Case, together: Index) -> bool:
        return repeats(case, together) - repeats(case, case.cells) <= FEW * case.n

    def _typed_again(self, case: Case) -> list[Finding]:
        """Texts that differ in blanks and capitals only."""
        marks = row_marks([" ".join(text.split()).casefold() for text in case.X])
        together = np.unique(marks, return_inverse=True)[1].ravel()
        if self._few(case, together):
            return []
        words = (
            f"{repeats(case, together)} of {case.n} texts are copies but for blanks and capitals"
        )
        p = agreement_p(case, together)
        return [Finding(self.name, FIRST_LINE, words, p, together=together)]


def _are_texts(case: Case) -> bool:
    return len(np.shape(case.X)) == 1 and all(isinstance(text, str) for text in case.X)


def _pairs(case: Case, rows: Index, distance: Floats, number: Index) -> tuple[Index, float]:
    """Rows almost equal to their nearest one, joined; and how likely so many are by chance."""
    limit = min(_NEAREST, limit_ratio(distance, 1))
    close = distance[:, 0] <= limit * distance[:, _kth(distance)]
    # a pair is counted from both sides, so half of the rows decide
    p = float(binom.sf(int(close.sum()) // 2 - 1, max(1, len(rows) // 2), _RATE))
    return _joined(case, rows[close], rows[number[close, 0]]), p


def _clusters(case: Case, rows: Index, distance: Floats, number: Index) -> tuple[Index, float]:
    """Rows in tight clusters, joined, and how likely their labels agree so by chance."""
    near = distance[:, _CLUSTER - 1]
    close = near <= limit_ratio(distance, _CLUSTER) * distance[:, _kth(distance)]
    if close.mean() < _MANY:
        return case.cells, 1.0
    some = np.repeat(rows[close], _CLUSTER)
    together = _joined(case, some, rows[number[close, :_CLUSTER]].ravel())
    return together, agreement_p(case, together)


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


def nearest(points: Floats, others: Floats | None = None) -> tuple[Floats, Index]:
    """Distances and numbers of the nearest (other) rows, up to the 2k-th."""
    from sklearn.neighbors import NearestNeighbors

    base = points if others is None else others
    count = min(2 * _NEIGHBOURS, len(base) // 2)
    if base.shape[1] > _COLUMNS:
        directions = np.random.default_rng(0).standard_normal((base.shape[1], _COLUMNS))
        base, points = base @ directions, points @ directions
    search = NearestNeighbors(n_neighbors=count).fit(base)
    found: Any = search.kneighbors() if others is None else search.kneighbors(points)
    return found[0], found[1]


def close_to(fresh: Floats, old: Floats) -> tuple[int, float]:
    """Fresh rows almost equal to an old one, and how likely so many are by chance."""
    if len(old) < _NEIGHBOURS:
        return 0, 1.0
    spread = old.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    distance, _ = nearest(fresh / scale, old / scale)
    limit = min(_NEAREST, limit_ratio(distance, 1))
    count = int(np.count_nonzero(distance[:, 0] <= limit * distance[:, _kth(distance)]))
    return count, float(binom.sf(count - 1, len(fresh), _RATE))


def _joined(case: Case, some: Index, others: Index) -> Index:
    """Cells, those of joined rows made one."""
    a, b = case.cells[some], case.cells[others]
    count = len(case.firsts)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    return csgraph.connected_components(graph, directed=False)[1][case.cells]
