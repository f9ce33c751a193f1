"""Distances around rows: which are too small for chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom

from mercer._cached import cached_property
from mercer.certification.checks.case import Index
from mercer.certification.checks.check import Floats
from mercer.certification.checks.neighbors import nearest

NEIGHBOURS = 30  # k: copies of one record are fewer
NEAREST = 0.01  # of the k-th distance: what is further is not "almost equal"
_LIMITS = NEAREST * 8.0 ** -np.arange(8)
_RAISED = (4.0, 64.0)  # times a limit
_GROWTH = 0.5  # power of the limit with which close rows grow in number, at least
_RATE = 1e-4  # of rows that chance brings so near
_LOWERED = 0.8
_CLUSTER = 5  # neighbours of a row in a tight cluster, at least
_MANY = 0.2  # of the rows: fewer make no file of clusters
_WIDER = 16.0
_FEW_PAIRS = 10
_CLEAR = 1e-12
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Around:
    """Distances to the nearest ``points``; only rows of equal ``kind`` can be copies.

    ``asked`` are numbers of points, or other rows, of kind ``asked_kind``.
    """

    points: Floats
    kind: Index
    asked: Index | Floats
    asked_kind: Index

    @cached_property
    def _found(self) -> tuple[Floats, Index]:
        return nearest(self.points, self.asked, min(2 * NEIGHBOURS, len(self.points) // 2))

    @property
    def distance(self) -> Floats:
        """From every row asked to its 2k nearest, the nearest first."""
        return self._found[0]

    @property
    def number(self) -> Index:
        """Which rows those are."""
        return self._found[1]

    @cached_property
    def same(self) -> Bools:
        """Which of them are of the same kind."""
        return self.kind[self.number] == self.asked_kind[:, None]

    def ratio(self, same: bool = True) -> Floats:
        """The nearest row of the same kind, or of any, in k-th distances."""
        far = self.distance[:, kth(self.distance)]
        near = (
            np.where(self.same, self.distance, np.inf).min(axis=1) if same else self.distance[:, 0]
        )
        return np.divide(near, far, out=np.full(len(far), np.inf), where=far > 0)

    def close(self, limit: float) -> Bools:
        """Which neighbours of the same kind are within a limit, in k-th distances."""
        far = self.distance[:, [kth(self.distance)]]
        return self.same & (self.distance <= limit * far) & (far > 0)

    def pairs(self) -> tuple[float, float]:
        """The limit within which most rows have an almost equal one, and how likely that is."""
        ratio, m = self.ratio(), len(self.asked)
        dimension = dimension_of(self.distance, self.points.shape[1])
        found = []
        for limit in _LIMITS if dimension > 0 else ():
            count = int((ratio <= limit).sum()) // 2  # a pair is counted from both sides
            if count:
                rate = self._rate * (1.0 - (1.0 - limit**dimension) ** kth(self.distance))
                p = max(binom.sf(count - 1, m // 2, rate), _still_p(ratio, limit, count))
                found.append((max(float(p), _CLEAR), -limit))
        p, limit = min(found, default=(1.0, 0.0))
        return -limit, min(1.0, len(_LIMITS) * p)

    @cached_property
    def _rate(self) -> float:
        """How often two rows are of one kind; its root, since the kind depends on the distance."""
        share = np.bincount(self.kind) / len(self.kind)
        return float(np.sqrt((share**2).sum()))

    def clusters(self) -> tuple[float, float]:
        """The limit within which rows have several neighbours; the labels decide."""
        limit = beta.ppf(_RATE, _CLUSTER, kth(self.distance) + 1 - _CLUSTER)
        dimension = dimension_of(self.distance, self.points.shape[1])
        limit = float(limit ** (1.0 / dimension)) if dimension > 0 else 0.0
        several = self.close(limit).sum(axis=1) >= _CLUSTER
        return limit, 0.0 if several.mean() >= _MANY else 1.0

    def by_nature(self, limit: float) -> bool:
        """Whether rows within a limit may be no copies: values that lie close together by nature.

        Then rows of different kinds do so too, or every column by itself has such values.
        """
        count = int((self.ratio() <= limit).sum()) // 2
        any_kind = int((self.ratio(same=False) <= limit).sum()) // 2
        if binom.sf(count - 1, max(any_kind, count), self._rate) <= 1e-3:
            return False
        close = self.close(limit)
        a = np.repeat(self.asked, close.sum(axis=1))
        b = self.number[close]
        one = np.ones(len(self.points), dtype=bool)
        one[np.maximum(a, b)] = False  # one row of each record
        width = np.quantile(np.abs(self.points[a] - self.points[b]), 0.9, axis=0)
        columns = zip(self.points[one].T, width, strict=True)
        apart = [not _lie_close(np.sort(column), float(w)) for column, w in columns]
        return len(apart) < 2 or not any(apart)


def _lie_close(values: Floats, width: float) -> bool:
    """Whether sorted values have hardly more others within a wider distance than within a small."""
    few, more = (
        int(
            (
                np.searchsorted(values, values + w, side="right") - np.arange(1, len(values) + 1)
            ).sum()
        )
        for w in (width, _WIDER * width)
    )
    return few >= _FEW_PAIRS and few > more * _WIDER**-_GROWTH


def _still_p(ratio: Floats, limit: float, count: int) -> float:
    """P(so few more rows within a raised limit), if their number grows with its root."""
    found = (
        binom.sf(count - 1, int((ratio <= factor * limit).sum()) // 2, factor**-_GROWTH)
        for factor in _RAISED
    )
    return min(1.0, len(_RAISED) * float(min(found)))


def dimension_of(distance: Floats, columns: int) -> float:
    """How fast neighbours grow in number from the k-th to the 2k-th distance, lowered."""
    near, far = distance[:, kth(distance)], distance[:, -1]
    known = near > 0
    growth = float(np.median(np.log(far[known] / near[known]))) if known.any() else 0.0
    return min(_LOWERED * np.log(2.0) / growth, columns) if growth > 0 else 0.0


def kth(distance: Floats) -> int:
    """The place of the k-th distance among 2k."""
    return distance.shape[1] // 2 - 1
