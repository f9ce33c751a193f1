"""Neighbours by pynndescent's graph: fast in many dimensions, and sometimes wrong."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

Floats = NDArray[np.float64]
Found = tuple[Floats, NDArray[np.intp]]

# scikit-learn's names whose meaning, defaults included, pynndescent shares, with its name for them.
SHARED = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "minkowski": "euclidean",
    "manhattan": "manhattan",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "chebyshev": "chebyshev",
    "canberra": "canberra",
    "braycurtis": "braycurtis",
    "cosine": "cosine",
    "correlation": "correlation",
    "hamming": "hamming",
}
SHIFT = ("euclidean", "manhattan", "chebyshev")  # the same wherever the origin is
DEGREE = 30  # neighbours of each row in the graph, at least
WIDE = 15  # neighbours a query looks for, at least: one that looks for few stops too early
EPSILON = 0.3  # how much further than the neighbours so far it looks
_told = False


class ApproximateSearch:
    """The k nearest rows, most probably; the graph holds the rows in single precision."""

    def __init__(self, X: Any, metric: str, k: int, n_jobs: int | None) -> None:
        _announce()
        from pynndescent import NNDescent

        self.X, self.n, self._metric = X, X.shape[0], metric
        name = SHARED[metric]
        # Single precision has seven digits, to be spent on differences and not on an offset.
        self._centre = X.mean(axis=0) if name in SHIFT else 0.0
        self._index = NNDescent(
            X - self._centre,
            metric=name,
            n_neighbors=max(k + 1, DEGREE),
            random_state=0,
            n_jobs=n_jobs,
        )

    def query(self, Q: Any, k: int) -> Found:
        """The k nearest of each query, most probably."""
        wide = max(k, min(WIDE, self.n))
        found = self._index.query(Q - self._centre, k=wide, epsilon=EPSILON)
        rows, distances = (a[:, :k] for a in found)
        return self._complete(Q, distances.astype(np.float64), rows.astype(np.intp))

    def others(self, k: int) -> Found:
        """The k nearest of each row of the sample, itself left out."""
        rows, distances = (a[:, : k + 1] for a in self._index.neighbor_graph)
        keep = rows != np.arange(self.n)[:, None]
        keep[keep.all(axis=1), -1] = False  # twins may hide a row from itself
        shape = (self.n, k)
        found = distances[keep].reshape(shape).astype(np.float64), rows[keep].reshape(shape)
        return self._complete(None, found[0], found[1].astype(np.intp))

    def _complete(self, Q: Any, distances: Floats, rows: NDArray[np.intp]) -> Found:
        """Where the graph leads to fewer than k rows (number -1), all rows are looked at."""
        short = np.flatnonzero((rows < 0).any(axis=1))
        if len(short):
            k = rows.shape[1]
            exact = NearestNeighbors(metric=self._metric, algorithm="brute").fit(self.X)
            if Q is None:
                far, near = (a[short] for a in exact.kneighbors(None, k))
            else:
                far, near = exact.kneighbors(Q[short], k)
            distances[short], rows[short] = far, near
        return distances, rows


def check(metric: Any, table: bool) -> None:
    """Refuse what the graph cannot be built for, before anything is compiled."""
    if not table or not isinstance(metric, str) or metric not in SHARED:
        names = ", ".join(repr(name) for name in SHARED)
        raise ValueError(
            f"algorithm='approximate' builds a graph over rows of numbers with one of the metrics "
            f"{names}, or a kernel that falls with one of them; got metric={metric!r}. "
            "Use algorithm='auto'."
        )
    if find_spec("pynndescent") is None:
        raise ImportError(
            "algorithm='approximate' needs pynndescent: pip install 'mercer[neighbours]'"
        )


def _announce() -> None:
    """A word before the first use in a process, which is silent and long."""
    global _told
    if not _told:
        _told = True
        logging.getLogger("mercer").warning(
            "algorithm='approximate': pynndescent compiles itself at the first fit of a process, "
            "which takes about a minute; what follows is fast."
        )
