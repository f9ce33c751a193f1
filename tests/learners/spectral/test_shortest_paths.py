"""Paths from many sources at once have the bits of Dijkstra's from each alone."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from mercer import _config
from mercer.learners.spectral.graphs import neighbor_graph
from mercer.learners.spectral.paths import shortest_paths


def same(graph, sources=None):
    found = shortest_paths(graph, sources)
    assert np.array_equal(found, dijkstra(graph, indices=sources))
    return found


def directed(n, edges, rng, zeros=False):
    """Random one-way edges, of which some may have no length."""
    row, col = rng.integers(0, n, (2, edges))
    length = rng.random(edges) + 0.01
    graph = sparse.csr_matrix((length, (row, col)), shape=(n, n))
    if zeros:
        graph.data[::5] = 0.0
    return graph


def test_a_graph_of_neighbours_in_two_pieces(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 2))
    X[100:] += 50
    graph = neighbor_graph(X, n_neighbors=7)
    found = same(graph)
    assert np.isinf(found[0, 200])
    for threads in (1, 3):
        monkeypatch.setattr(_config, "n_threads", lambda threads=threads: threads)
        assert np.array_equal(shortest_paths(graph), found)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize(("n", "edges"), [(1, 0), (40, 30), (200, 500), (200, 4000)])
def test_one_way_edges(n, edges, zeros):
    rng = np.random.default_rng(n + edges)
    graph = directed(n, edges, rng, zeros)
    found = shortest_paths(graph)
    dense = graph.toarray()
    dense[dense == 0] = np.inf
    stored = graph.tocoo()
    dense[stored.row, stored.col] = stored.data
    np.fill_diagonal(dense, 0.0)
    for k in range(n):  # Floyd and Warshall, whose sums have another order
        dense = np.minimum(dense, dense[:, [k]] + dense[[k]])
    np.testing.assert_allclose(found, dense, rtol=1e-12)
    if not zeros:  # scipy takes an edge without length for none
        same(graph)


@pytest.mark.parametrize("sources", [[5], [7, 7, 3, 7], list(range(60, 0, -1)), [199, 0, 0, 198]])
def test_some_sources_in_any_order_and_twice(sources):
    graph = directed(200, 900, np.random.default_rng(1))
    same(graph, sources)


def test_lengths_that_lead_to_and_fro_are_left_to_dijkstra():
    """A path that changes its direction at every node, seen from the first source."""
    m = 400
    rank = np.empty(m)
    rank[::2], rank[1::2] = np.arange(m // 2), np.arange(m - 1, m // 2 - 1, -1)
    first, others, path = 0, [1, 2, 3, 4], np.arange(5, 5 + m)
    edges = [(first, v, 1000 + r / m) for v, r in zip(path, rank, strict=True)]
    edges += [(first, o, 5000.0) for o in others]
    edges += [(o, path[0], 1.0 + o) for o in others]
    edges += [(a, b, 1.0) for a, b in itertools.pairwise(path)]
    row, col, length = zip(*edges, strict=True)
    graph = sparse.csr_matrix((length, (row, col)), shape=(5 + m, 5 + m))
    found = same(graph, [first, *others])
    assert found[1, path[-1]] == 2.0 + m - 1
