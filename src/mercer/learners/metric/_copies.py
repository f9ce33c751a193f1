"""Neighbours among rows of which many are equal: each distinct row is looked up once.

Trees cannot part equal rows: a million of them make one leaf, which every query reads whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Found = tuple[Floats, Rows]

MANY = 2000  # rows; below, equal ones do no harm
PROBE = 500  # rows looked at to tell whether many are equal
OFTEN = 0.1  # share of the probe that has a copy in it


class Distinct(Protocol):
    """A search among the distinct rows."""

    def query(self, Q: Any, k: int) -> Found:
        """Distances and row numbers of the k nearest."""


@dataclass(frozen=True)
class Copies:
    """Rows by the distinct row that they are copies of.

    Attributes
    ----------
    X : array
        All rows.
    first : array of shape (n_distinct,)
        The first copy of each distinct row.
    members, starts : arrays of shape (n_rows,), (n_distinct + 1,)
        The rows of distinct row g are ``members[starts[g]:starts[g + 1]]``, rising.
    """

    X: Any
    first: Rows
    members: Rows
    starts: Rows


def find(X: Any) -> Copies | None:
    """The copies among dense rows of numbers; None where equal rows are few."""
    n = len(X) if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f" else 0
    if n <= MANY or X.shape[1] == 0:
        return None
    probe = np.sort(np.random.default_rng(0).choice(n, PROBE, replace=False))
    if len(np.unique(_keys(X[probe]))) > (1.0 - OFTEN) * PROBE:
        return None
    _, first, which = np.unique(_keys(X), return_index=True, return_inverse=True)
    starts = np.zeros(len(first) + 1, dtype=np.intp)
    np.cumsum(np.bincount(which), out=starts[1:])
    return Copies(X, first, np.argsort(which, kind="stable"), starts)


def _keys(X: Any) -> NDArray[Any]:
    """One value per row, equal for equal rows; -0 is 0."""
    rows = np.ascontiguousarray(X + 0.0)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


class CopiesSearch:
    """The neighbours of a search among the distinct rows, each in all its copies.

    Copies of one row come in the order of their numbers.
    """

    def __init__(self, copies: Copies, distinct: Distinct) -> None:
        self.copies, self.distinct = copies, distinct

    def query(self, Q: Any, k: int) -> Found:
        """The k nearest of each query."""
        copies = self.copies
        distances, groups = self.distinct.query(Q, min(k, len(copies.first)))
        count = np.diff(copies.starts)[groups]
        before = np.cumsum(count, axis=1) - count
        taken = np.clip(k - before, 0, count).ravel()  # every line sums to k: there are k rows
        ends = np.cumsum(taken)
        place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - taken, taken)
        rows = copies.members[np.repeat(copies.starts[groups].ravel(), taken) + place]
        shape = (len(distances), k)
        return np.repeat(distances.ravel(), taken).reshape(shape), rows.reshape(shape)

    def others(self, k: int) -> Found:
        """The k nearest of each row of the sample, itself left out."""
        copies, n = self.copies, len(self.copies.X)
        near, rows = self.query(copies.X[copies.first], k + 1)
        which = np.empty(n, dtype=np.intp)
        which[copies.members] = np.repeat(np.arange(len(copies.first)), np.diff(copies.starts))
        near, rows = near[which], rows[which]
        own = rows == np.arange(n)[:, None]
        own[~own.any(axis=1), -1] = True  # behind so many copies that it was not listed
        return near[~own].reshape(n, k), rows[~own].reshape(n, k)
