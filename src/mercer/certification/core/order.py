"""In which order rows are spent, and where that order may be cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._random import seed_of
from mercer._types import RandomState
from mercer.certification.core import arguments

LATER = (  # what counting under an order in time rests on
    "the rows that came later are independent of each other given the past",
    "future rows follow the law of those later rows, not of the older ones",
)
ONE_OF_EACH = "the statement is about a random row of a new group"
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Order:
    """Row numbers in the order of spending, and the positions at which a cut is fair.

    ``kind`` is ``"random"`` (any position), ``"groups"`` (between whole groups, in random order) or
    ``"time"`` (the past before the future, rows of the same moment together).
    """

    kind: str
    rows: Index
    cuts: Index
    seed: int | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def cut(self, fraction: float) -> int:
        """Number of leading rows that is nearest to ``fraction`` of the units; never 0 or all."""
        if self.kind == "time":
            place = int(np.searchsorted(self.cuts, round(fraction * self.n)))
            return int(self.cuts[min(max(place, 1), len(self.cuts) - 2)])
        units = len(self.cuts) - 1
        return int(self.cuts[min(max(round(fraction * units), 1), units - 1)])

    def unit_of(self, first: int) -> NDArray[np.intp]:
        """Number of the unit (group) of every row from position ``first`` on."""
        return np.searchsorted(self.cuts, np.arange(first, self.n), side="right")


def make_order(
    n: int,
    random_state: RandomState = None,
    groups: ArrayLike | None = None,
    order: ArrayLike | None = None,
) -> Order:
    """Plain random order, whole groups in random order, or the order of time."""
    if n < 2:
        raise ValueError(
            f"{n} row (n_samples={n}) is too few: at least one to train on and one to count are "
            "needed"
        )
    if groups is not None and order is not None:
        raise ValueError(
            "groups= and order= together are not supported: no theorem here covers both"
        )
    if order is not None:
        return _by_time(n, order)
    seed = seed_of(random_state)
    rng = np.random.default_rng(seed)
    if groups is None:
        return Order("random", rng.permutation(n), np.arange(n + 1), seed)
    code = group_codes(arguments.column(groups, n, "groups"))
    count = int(code.max()) + 1
    if count < 2:
        raise ValueError("groups= names a single group: there is no other to count on")
    rank = rng.permutation(count)[code]
    rows = np.argsort(rank, kind="stable")
    sizes = np.bincount(rank, minlength=count)
    return Order("groups", rows, np.concatenate([[0], np.cumsum(sizes)]), seed)


def group_codes(labels: NDArray[Any]) -> Index:
    """A number from 0 on for every group."""
    try:
        return np.unique(labels, return_inverse=True)[1]
    except TypeError:  # values of several kinds cannot be sorted
        return np.unique([repr(label) for label in labels.tolist()], return_inverse=True)[1]


def one_of_each(code: Index) -> Index:
    """The place of one row of every group, drawn by a fixed seed: rows that are independent."""
    mixed = np.random.default_rng(0).permutation(len(code))
    return np.sort(mixed[np.unique(code[mixed], return_index=True)[1]])


def shuffled(values: NDArray[Any]) -> NDArray[Any]:
    """In an order that does not follow the values: bets on sorted ones would know what comes.

    The seed is fixed, so independent draws remain independent draws.
    """
    return np.random.default_rng(0).permutation(values)


def _by_time(n: int, order: ArrayLike) -> Order:
    moments = arguments.column(order, n, "order")
    try:
        rows = np.argsort(moments, kind="stable")
    except TypeError as problem:
        raise ValueError(f"order= has values that cannot be compared: {problem}") from None
    ordered = moments[rows]
    later = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if later.size == 0:
        raise ValueError("order= has a single moment: there is no past to train on")
    return Order("time", rows, np.concatenate([[0], later, [n]]))
