"""Distances along a graph, and along paths that pay for the density they cross."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config, _graph

Floats = NDArray[np.float64]


def shortest_paths(graph: Any, sources: Any = None) -> Floats:
    """Length of the shortest path from each source (default: every node) to every node.

    ``graph`` is a sparse matrix of non-negative lengths; unreachable nodes get infinity.
    """
    graph = sparse.csr_matrix(graph, dtype=np.float64)
    n = graph.shape[0]
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"a graph is a square matrix, got shape {graph.shape}")
    index = np.arange(n) if sources is None else np.atleast_1d(np.asarray(sources))
    _config.reserve(
        8 * len(index) * n,
        "The matrix of path lengths",
        "Use n_landmarks, fewer points, or a larger mercer.set_config(memory_limit=...).",
    )
    result = np.empty((len(index), n))
    _graph.shortest_paths(
        np.ascontiguousarray(graph.indptr, dtype=np.int32),
        np.ascontiguousarray(graph.indices, dtype=np.int32),
        np.ascontiguousarray(graph.data, dtype=np.float64),
        np.ascontiguousarray(index, dtype=np.int32),
        result,
        _config.n_threads(),
    )
    return result


def density_lengths(graph: Any, density: Any, power: float) -> sparse.csr_matrix:
    """Edges as long as ∫ f ds with f = density**power, by the trapezium rule on each edge.

    Hop counts of k-nearest-neighbour graphs converge to such lengths with power 1/d, which is why
    they avoid thin regions; ``power=0`` gives ordinary lengths back.
    """
    graph = sparse.coo_matrix(graph)
    price = np.asarray(density, dtype=float) ** power
    if len(price) != graph.shape[0] or not np.all(np.isfinite(price)):
        raise ValueError("one finite density value is needed per point")
    data = graph.data * 0.5 * (price[graph.row] + price[graph.col])
    return sparse.csr_matrix((data, (graph.row, graph.col)), shape=graph.shape)
