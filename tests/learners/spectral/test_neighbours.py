"""The compiled neighbour search and the walk's eigen-solver, against slow and obvious twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

import mercer
from mercer import _graph
from mercer.learners.spectral import _neighbours
from mercer.learners.spectral._diffusion import spectrum
from mercer.learners.spectral._neighbours import joined, nearest, tree_order, within
from mercer.learners.spectral._walk import Matrix, slow_modes


def points(n, d, seed, grid):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return np.round(X * 2) / 2 if grid else X  # on a grid: ties and points that coincide


def brute_nearest(X, Q, k, own):
    squares = np.sum((Q[:, None] - X[None]) ** 2, axis=2)
    if own:
        squares[np.diag_indices(len(X))] = np.inf
    order = np.lexsort((np.broadcast_to(np.arange(len(X)), squares.shape), squares), axis=1)[:, :k]
    return np.take_along_axis(squares, order, axis=1), order


@settings(max_examples=40)
@given(st.integers(2, 150), st.integers(1, 6), st.integers(0, 9), st.booleans(), st.data())
def test_nearest_is_exact_with_ties_by_number(n, d, seed, grid, data):
    X = points(n, d, seed, grid)
    k = data.draw(st.integers(1, n - 1))
    squares, places = nearest(X, k)
    expected = brute_nearest(X, X, k, own=True)
    assert np.array_equal(places, expected[1])
    assert squares == pytest.approx(expected[0], abs=1e-12)
    Q = points(20, d, seed + 1, grid)
    squares, places = nearest(X, min(k, n), Q)
    assert np.array_equal(places, brute_nearest(X, Q, min(k, n), own=False)[1])


@pytest.mark.parametrize("d", [2, 14])
@pytest.mark.parametrize("mutual", [False, True])
@pytest.mark.parametrize("itself", [False, True])
def test_graphs_of_neighbours(d, mutual, itself):
    X = points(80, d, 0, grid=d == 2)
    near = np.zeros((80, 80), dtype=bool)
    np.put_along_axis(near, brute_nearest(X, X, 5, own=True)[1], True, axis=1)
    wanted = (near & near.T if mutual else near | near.T) | (np.eye(80, dtype=bool) & itself)
    found = joined(X, 5, mutual=mutual, itself=itself)
    pattern = np.zeros((80, 80), dtype=bool)
    pattern[np.repeat(np.arange(80), np.diff(found.indptr)), found.indices] = True
    assert np.array_equal(pattern, wanted)  # zero distances are entries as well
    assert found.toarray() == pytest.approx(np.where(wanted, cdist(X, X) ** 2, 0.0), abs=1e-9)
    assert np.all(
        np.diff(found.indices)[np.diff(np.repeat(np.arange(80), np.diff(found.indptr))) == 0] > 0
    )


@pytest.mark.parametrize("d", [3, 14])
def test_within_a_radius(d):
    X, Q = points(90, d, 0, grid=d == 3), points(30, d, 1, grid=d == 3)
    radius = 1.5 if d == 3 else 4.5
    for asked, found in ((X, within(X, radius, itself=True)), (Q, within(X, radius, Q))):
        near = cdist(asked, X) <= radius
        pattern = np.zeros(near.shape, dtype=bool)
        pattern[np.repeat(np.arange(len(asked)), np.diff(found.indptr)), found.indices] = True
        assert np.array_equal(pattern, near)
    alone = within(X, radius)
    assert alone.nnz == within(X, radius, itself=True).nnz - 90
    assert abs(alone - alone.T).max() == 0.0


def test_threads_do_not_change_neighbours(monkeypatch):
    X = points(3000, 3, 0, grid=False)
    monkeypatch.setattr(_neighbours._config, "n_threads", lambda: 1)
    one = joined(X, 12)
    monkeypatch.setattr(_neighbours._config, "n_threads", lambda: 3)
    three = joined(X, 12)
    assert np.array_equal(one.indices, three.indices)
    assert np.array_equal(one.data, three.data)
    assert sorted(tree_order(X)) == list(range(3000))


def test_points_without_coordinates_coincide():
    X = np.zeros((40, 0))
    assert list(_graph.order(X)) == list(range(40))
    squares, places = np.empty((40, 2)), np.empty((40, 2), dtype=np.int32)
    _graph.nearest(X, X, True, squares, places, 1)
    assert np.array_equal(places[:3], [[1, 2], [0, 2], [0, 1]])
    assert not squares.any()


def test_of_equal_points_those_with_the_lowest_numbers_are_nearest():
    X = np.zeros((300_000, 2))  # looking at all pairs would take minutes
    X[::3] = 1.0
    expected = {0: [3, 6], 3: [0, 6], 1: [2, 4], 4: [1, 2], 299_999: [1, 2]}
    places = nearest(X, 2)[1]
    assert {row: list(places[row]) for row in expected} == expected


@pytest.mark.parametrize("columns", [2, 20], ids=["compiled", "searched"])
def test_pairs_of_equal_points_are_refused_before_they_fill_the_memory(columns):
    X = np.zeros((20_000, columns))  # 400 million pairs
    with mercer.config(memory_limit="20MB"):
        with pytest.raises(MemoryError, match="pairs of rows are at most"):
            within(X, 0.5)
        assert within(X[:300], 0.5).nnz == 300 * 299


def test_nonsense_is_refused():
    X = points(10, 2, 0, grid=False)
    squares, places = np.empty((10, 3)), np.empty((10, 3), dtype=np.int32)
    bad = X.copy()
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        _graph.nearest(bad, bad, True, squares, places, 1)
    with pytest.raises(ValueError, match="more neighbours"):
        _graph.nearest(X[:3], X, False, np.empty((10, 4)), np.empty((10, 4), dtype=np.int32), 1)
    with pytest.raises(ValueError, match="wrong shape"):
        _graph.nearest(X, X[:4], False, squares, places, 1)
    with pytest.raises(ValueError, match="dimension"):
        _graph.within(X, X[:, :1].copy(), False, False, 1.0, 100, 1)
    with pytest.raises(ValueError, match="negative"):
        _graph.within(X, X, True, False, -1.0, 100, 1)
    with pytest.raises(ValueError, match="not a point"):
        _graph.joined_from(squares, np.full((10, 3), 77, dtype=np.int32), False, False, 1)
    with pytest.raises(ValueError, match="out of the graph"):
        _graph.Walk(np.array([0, 1], np.int32), np.array([5], np.int32), np.ones(1), 1)
    A = sparse.eye_array(10, format="csr")
    walk = _graph.Walk(A.indptr.astype(np.int32), A.indices.astype(np.int32), A.data, 1)
    with pytest.raises(ValueError, match="vectors at once"):
        walk.chebyshev(np.ones((10, 3)), np.ones((10, 3)), 1, 0.0, 0.5, 1.0)
    with pytest.raises(ValueError, match="low < high"):
        walk.chebyshev(np.ones((10, 4)), np.ones((10, 4)), 3, 0.9, 0.5, 1.0)
    with pytest.raises(ValueError, match="wrong shape"):
        walk.chebyshev(np.ones((9, 4)), np.ones((9, 4)), 1, 0.0, 0.5, 1.0)


# --- polynomials of the walk, and its slow modes -------------------------------------------------


def walk_of(X, k=12, width=0.5):
    K = joined(X, k, itself=True)
    K.data = np.exp(-K.data / width)
    degree = np.asarray(K.sum(axis=1)).ravel()
    root = sparse.diags_array(degree**-0.5)
    return sparse.csr_matrix(root @ K @ root), degree, K


@pytest.mark.parametrize("degree", [1, 2, 3, 8, 15])
@pytest.mark.parametrize("columns", [1, 4, 8, 12, 16])
def test_polynomials_against_numpy(degree, columns):
    A = walk_of(points(300, 2, 0, grid=False))[0]
    V = np.random.default_rng(1).normal(size=(300, columns))
    low, high = -0.3, 0.8
    found = Matrix(A).chebyshev(V, degree, low, high)
    if degree == 1:
        assert found == pytest.approx(A @ V, abs=1e-12)
        return
    values, vectors = np.linalg.eigh(A.toarray())
    centre, half = 0.5 * (low + high), 0.5 * (high - low)
    T = np.polynomial.chebyshev.Chebyshev.basis(degree)
    exact = vectors @ (
        (T((values - centre) / half) / T((1 - centre) / half))[:, None] * (vectors.T @ V)
    )
    assert found == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("k", [1, 5, 14])
def test_slow_modes_against_a_full_decomposition(k, smooth):
    X = points(450, 2, 3, grid=False)
    A, degree, K = walk_of(X)
    known = np.sqrt(degree / degree.sum())
    values, vectors = slow_modes(A, known, k, smooth=X if smooth else None)
    exact = np.linalg.eigvalsh(A.toarray())[::-1][1 : k + 1]
    assert values == pytest.approx(exact, abs=1e-12)
    assert np.linalg.norm(A @ vectors - vectors * values, axis=0).max() < 1e-8
    assert vectors.T @ vectors == pytest.approx(np.eye(k), abs=1e-10)
    found, psi = spectrum(K, degree, k + 1, points=X)
    assert found == pytest.approx(np.r_[1.0, exact], abs=1e-12)
    assert psi[:, 0] == pytest.approx(1.0)


def test_many_equal_eigenvalues_are_all_found():
    """Twelve copies of one graph have each eigenvalue twelve times, more than a block of four."""
    part = walk_of(points(100, 2, 0, grid=False))[0].toarray()
    A = sparse.csr_matrix(np.kron(np.eye(12), part))
    one = np.linalg.eigh(part)
    known = np.tile(one[1][:, -1], 12)
    known /= np.linalg.norm(known)
    values, _ = slow_modes(A, known, 15)
    assert values == pytest.approx(np.r_[np.ones(11), np.repeat(one[0][-2], 4)], abs=1e-9)
    odd = sparse.csr_matrix(np.kron([[0.0, 1.0], [1.0, 0.0]], np.ones((100, 100)) / 100))
    assert slow_modes(odd, np.full(200, 200**-0.5), 3) is None  # −1 is as large: not for this


def test_symmetric_points_keep_their_double_eigenvalues():
    """On a regular circle sine and cosine belong together, and the start is symmetric too."""
    angle = np.arange(600) * 2 * np.pi / 600
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    A, degree, _ = walk_of(X, 10, 4e-4)
    values, _ = slow_modes(A, np.sqrt(degree / degree.sum()), 4, smooth=X)
    exact = np.linalg.eigvalsh(A.toarray())[::-1][1:5]
    assert values == pytest.approx(exact, abs=1e-11)
    assert values[0] == pytest.approx(values[1], abs=1e-11)
