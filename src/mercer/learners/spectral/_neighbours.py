"""Exact Euclidean neighbours: a compiled tree in few dimensions, scikit-learn's search in many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from mercer import _config, _graph
from mercer._types import Samples

Floats = NDArray[np.float64]
FEW = 10  # dimensions up to which boxes leave most points out
PAIR = 48  # bytes while the pairs within a radius are collected
_LARGEST = 1e100  # squares of differences stay finite


def nearest(X: Floats, k: int, Q: Floats | None = None) -> tuple[Floats, NDArray[np.int32]]:
    """Squared distances, rising, and numbers of the k rows of X nearest to each row of Q.

    Without Q the rows of X are asked for the others: no row is its own neighbour, but rows that
    coincide with it are.
    """
    if not compiled(X, Q):
        found = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(Q)
        return found[0] ** 2, found[1].astype(np.int32)
    asked = X if Q is None else Q
    squares = np.empty((len(asked), k))
    places = np.empty((len(asked), k), dtype=np.int32)
    _graph.nearest(_plain(X), _plain(asked), Q is None, squares, places, _config.n_threads())
    return squares, places


def tree_order(X: Floats) -> NDArray[np.int32]:
    """The rows in an order that keeps neighbours together (as they are, in many dimensions)."""
    return _graph.order(_plain(X)) if compiled(X) else np.arange(len(X), dtype=np.int32)


def joined(X: Floats, k: int, *, mutual: bool = False, itself: bool = False) -> sparse.csr_matrix:
    """Squared distances of rows of which one (mutual: each) is among the k nearest of the other.

    Zero distances are stored; ``itself`` joins every row to itself as well.
    """
    threads = _config.n_threads()
    if compiled(X):
        start, end, data = _graph.joined(_plain(X), k, mutual, itself, threads)
    else:
        start, end, data = _graph.joined_from(*nearest(X, k), mutual, itself, threads)
    return as_csr(start, end, data, X.shape[0])


def within(
    X: Floats, radius: float, Q: Floats | None = None, *, itself: bool = False
) -> sparse.csr_matrix:
    """Squared distances of all rows of X at most ``radius`` from each row of Q (default: X).

    Zero distances are stored. Without Q the graph is symmetric, and only ``itself`` joins a row to
    itself. More pairs than the memory limit allows, as among many equal rows, are refused.
    """
    asked = X if Q is None else Q
    most = int(min(_config.memory_limit() // PAIR, 2**31 - 1))
    try:
        if not compiled(X, Q):
            return _searched(X, radius, asked, most, same=Q is None, itself=itself)
        start, end, data = _graph.within(
            _plain(X), _plain(asked), Q is None, itself, radius**2, most, _config.n_threads()
        )
    except MemoryError:
        raise _config.MemoryLimitError(
            f"more than {most:,} pairs of rows are at most {radius:g} apart, which is more than "
            "the memory limit allows: take a smaller radius or fewer equal rows, ask for nearest "
            "neighbours instead, or raise the limit."
        ) from None
    return as_csr(start, end, data, X.shape[0])


def _searched(
    X: Any, radius: float, Q: Any, most: int, *, same: bool, itself: bool
) -> sparse.csr_matrix:
    search, found, pairs = NearestNeighbors(radius=radius).fit(X), [], 0
    at_once = max(1, most // max(1, X.shape[0]))
    for first in range(0, Q.shape[0], at_once):
        found.append(search.radius_neighbors(Q[first : first + at_once]))
        pairs += sum(map(len, found[-1][1]))
        if pairs > most:
            raise MemoryError
    lengths, places = (np.concatenate(parts) for parts in zip(*found, strict=True))
    rows = np.repeat(np.arange(len(lengths)), [len(p) for p in places])
    columns, squares = np.concatenate(places), np.concatenate(lengths) ** 2
    if same:  # the two directions of a pair may differ by rounding: the upper one decides
        upper = rows < columns
        one, other, squares = rows[upper], columns[upper], squares[upper]
        own = np.arange(len(lengths)) if itself else np.zeros(0, dtype=int)
        rows, columns = np.r_[one, other, own], np.r_[other, one, own]
        squares = np.r_[squares, squares, np.zeros(len(own))]
    graph = sparse.csr_matrix((squares, (rows, columns)), shape=(len(lengths), X.shape[0]))
    graph.sort_indices()
    return graph


def as_csr(start: Any, end: Any, data: Samples, columns: int) -> sparse.csr_matrix:
    """A graph from the parts that the compiled search returns."""
    graph = sparse.csr_matrix((data, end, start), shape=(len(start) - 1, columns), copy=False)
    graph.has_sorted_indices = True
    return graph


def compiled(X: Any, Q: Any = None) -> bool:
    """Whether these rows are looked among by the compiled tree."""
    if sparse.issparse(X) or X.shape[1] > FEW or X.shape[1] == 0:
        return False
    return all(float(np.abs(P).max(initial=0.0)) < _LARGEST for P in (X, Q) if P is not None)


def _plain(X: Samples) -> Floats:
    return np.ascontiguousarray(X, dtype=np.float64)
