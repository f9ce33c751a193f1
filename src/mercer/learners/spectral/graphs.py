"""Neighbourhood graphs: who is connected, whether everything is, and what to do if not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from mercer.learners.spectral._neighbours import joined, within

_TINY = np.finfo(float).tiny
KINDS = ("knn", "mutual", "radius")
WEIGHTS = ("distance", "unit")


def neighbour_graph(
    X: Any,
    kind: str = "knn",
    *,
    n_neighbors: int = 10,
    radius: float | None = None,
    weights: str = "distance",
    metric: Any = "euclidean",
) -> sparse.csr_matrix:
    """Symmetric sparse graph of distances (or ones) between neighbours.

    ``"knn"`` connects two points if one of them is among the ``n_neighbors`` nearest of the other,
    ``"mutual"`` if both are, ``"radius"`` if they are at most ``radius`` apart. Coinciding points
    are connected: an edge of length zero is stored as the smallest positive number.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}")
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {WEIGHTS}, got {weights!r}")
    n = X.shape[0]
    if kind == "radius" and (radius is None or not radius > 0):
        raise ValueError(f"a radius graph needs radius > 0, got {radius!r}")
    if kind != "radius" and not 1 <= n_neighbors < n:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} points, there are {n}"
        )
    if isinstance(metric, str) and metric == "euclidean":
        graph = _euclidean(X, kind, n_neighbors, radius)
    else:
        graph = _searched(X, kind, n_neighbors, radius, metric)
    # a zero would be no edge at all
    graph.data = np.ones(graph.nnz) if weights == "unit" else np.maximum(graph.data, _TINY)
    return graph


def _euclidean(X: Any, kind: str, k: int, radius: Any) -> sparse.csr_matrix:
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    graph = within(X, radius) if kind == "radius" else joined(X, k, mutual=kind == "mutual")
    graph.data = np.sqrt(graph.data)
    return graph


def _searched(X: Any, kind: str, k: int, radius: Any, metric: Any) -> sparse.csr_matrix:
    if kind == "radius":
        search = NearestNeighbors(radius=radius, metric=metric).fit(X)
        graph = sparse.csr_matrix(search.radius_neighbors_graph(mode="distance"))
    else:
        search = NearestNeighbors(n_neighbors=k, metric=metric).fit(X)
        graph = sparse.csr_matrix(search.kneighbors_graph(mode="distance"))
    graph.data = np.maximum(graph.data, _TINY)
    other = graph.T.tocsr()
    joint = sparse.csr_matrix(graph.minimum(other) if kind == "mutual" else graph.maximum(other))
    joint.setdiag(0.0)
    joint.eliminate_zeros()
    joint.sort_indices()
    return joint


@dataclass(frozen=True)
class Connectivity:
    """Whether a graph hangs together, and what to do about it if not."""

    components: int
    labels: NDArray[np.intp]
    sizes: NDArray[np.intp]  # descending
    isolated: NDArray[np.intp]  # points without any neighbour

    @property
    def connected(self) -> bool:
        """One component."""
        return self.components == 1

    def advice(self) -> str:
        """In plain words."""
        if self.connected:
            return "The graph is connected."
        count = len(self.isolated)
        lonely = f", {count} points have no neighbour at all" if count else ""
        return (
            f"The graph falls into {self.components} components (largest {self.sizes[0]} of "
            f"{self.labels.size} points{lonely}): distances between components do not exist. Take "
            "more neighbours or a larger radius, embed each component by itself, or bridge them by "
            "their closest pairs (bridge_components)."
        )


def connectivity(graph: Any) -> Connectivity:
    """Components of a graph (nonzero entries are edges)."""
    graph = sparse.csr_matrix(graph)
    count, labels = connected_components(graph, directed=False)
    sizes = np.sort(np.bincount(labels))[::-1]
    degree = np.diff(graph.indptr) + np.bincount(graph.indices, minlength=graph.shape[0])
    own = graph.diagonal() != 0
    isolated = np.flatnonzero(degree - 2 * own <= 0)
    return Connectivity(int(count), labels, sizes, isolated)


def bridge_components(
    graph: Any, X: Any, *, metric: Any = "euclidean", unit: bool = False
) -> sparse.csr_matrix:
    """Add the closest pair between components, smallest component first, until one is left.

    The new edges have the length of the pair, or 1 if ``unit``.
    """
    graph = sparse.lil_matrix(graph, dtype=float)
    while True:
        found = connectivity(graph)
        if found.connected:
            return sparse.csr_matrix(graph)
        counts = np.bincount(found.labels)
        inside = np.flatnonzero(found.labels == counts.argmin())
        outside = np.flatnonzero(found.labels != counts.argmin())
        search = NearestNeighbors(n_neighbors=1, metric=metric).fit(X[outside])
        lengths, nearest = search.kneighbors(X[inside])
        best = int(lengths[:, 0].argmin())
        i, j = int(inside[best]), int(outside[nearest[best, 0]])
        length = 1.0 if unit else max(float(lengths[best, 0]), np.finfo(float).tiny)
        graph[i, j] = graph[j, i] = length
