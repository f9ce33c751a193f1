"""Neighbourhood graphs: who is connected, whether everything is, and what to do if not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mercer.learners.spectral._compared import Compared, compared
from mercer.learners.spectral._pieces import Connectivity, bridges, connectivity, with_edges

__all__ = [
    "KINDS",
    "WEIGHTS",
    "Connectivity",
    "bridge_components",
    "connectivity",
    "neighbor_graph",
]

_TINY = np.finfo(float).tiny
KINDS = ("knn", "mutual", "radius")
WEIGHTS = ("distance", "unit")


def neighbor_graph(
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

    Parameters
    ----------
    X : rows
        Vectors, dense or sparse; whatever ``metric`` compares; or a square matrix of distances.
    metric : str, callable, Metric or Kernel, default="euclidean"
        scikit-learn's names, "precomputed", a `mercer.metrics.Metric` or a function of two objects,
        or a `mercer.kernels.Kernel` for the distance in its feature space.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}")
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {WEIGHTS}, got {weights!r}")
    rows = compared(X, metric)
    if kind == "radius" and (radius is None or not radius > 0):
        raise ValueError(f"a radius graph needs radius > 0, got {radius!r}")
    if kind != "radius" and not 1 <= n_neighbors < rows.n:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} points, there are {rows.n}"
        )
    if kind == "radius":
        assert radius is not None
        graph = rows.within(radius)
    else:
        graph = rows.joined(n_neighbors, mutual=kind == "mutual")
    # a zero would be no edge at all
    graph.data = np.ones(graph.nnz) if weights == "unit" else np.maximum(np.sqrt(graph.data), _TINY)
    return graph


def bridge_components(
    graph: Any, X: Any, *, metric: Any = "euclidean", unit: bool = False
) -> sparse.csr_matrix:
    """Add the closest pairs between components until one is left: a spanning tree of components.

    The new edges have the length of the pair, or 1 if ``unit``. ``X`` and ``metric`` are as in
    `neighbor_graph`.
    """
    rows: Compared = compared(X, metric)
    found = connectivity(graph)
    one, other, squares = bridges(rows, found.labels)
    lengths = np.ones(len(squares)) if unit else np.sqrt(squares)
    return with_edges(graph, one, other, lengths)
