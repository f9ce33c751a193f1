"""Every form of a Gram matrix serves the same numbers."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mercer import _config
from mercer import kernels as mk
from mercer.gram import (
    CachedGram,
    DenseGram,
    KernelGram,
    LowRankGram,
    NotPositiveDefiniteError,
    build_gram,
)
from mercer.gram._iterative import conjugate_gradients, lanczos, pivoted_cholesky

X = np.random.default_rng(0).normal(size=(90, 3))
KERNEL = mk.Gaussian(1.1) + mk.White(0.01)
K = KERNEL(X)
FORMS = {
    "dense": lambda: DenseGram(K),
    "kernel": lambda: KernelGram(KERNEL, X),
    "fused": lambda: KernelGram(mk.Gaussian(1.1), X),
    "sparse": lambda: KernelGram(KERNEL, sparse.csr_array(X)),
    "cached": lambda: CachedGram(KernelGram(KERNEL, X), 8 * 90 * 10),
    "tight": lambda: KernelGram(KERNEL, X, memory_limit=8 * 90 * 40),
    "lowrank": lambda: LowRankGram.from_gram(K, 90),
}


@pytest.fixture(params=FORMS)
def gram(request):
    return FORMS[request.param]()


@pytest.fixture
def exact(gram):
    return mk.Gaussian(1.1)(X) if gram.fused is not None else K


def test_tiles_rows_and_diagonal(gram, exact):
    rows, columns = np.array([4, 0, 89, 4]), np.array([1, 4, 89])
    close = {"rtol": 1e-9, "atol": 1e-10}
    np.testing.assert_allclose(gram.rows(rows), exact[rows], **close)
    np.testing.assert_allclose(gram.rows([7]), exact[[7]], **close)
    np.testing.assert_allclose(gram.rows([-1]), exact[[-1]], **close)
    np.testing.assert_allclose(gram.tile(rows, columns), exact[np.ix_(rows, columns)], **close)
    np.testing.assert_allclose(gram.tile(slice(3, 7), columns), exact[3:7][:, columns], **close)
    np.testing.assert_allclose(gram.diag(), exact.diagonal(), **close)
    np.testing.assert_allclose(gram.trace(), np.trace(exact), **close)
    assert gram.shape == (90, 90)
    assert f"n={gram.n}" in repr(gram)
    with pytest.raises(IndexError):
        gram.rows([90])


def test_products(gram, exact):
    V = np.random.default_rng(1).normal(size=(90, 2))
    np.testing.assert_allclose(gram.matmul(V), exact @ V, atol=1e-8)
    np.testing.assert_allclose(gram.matmul(V[:, 0]), exact @ V[:, 0], atol=1e-8)
    for bad in (np.ones(89), np.ones((2, 90)), np.float64(1.0)):
        with pytest.raises(ValueError, match="90 objects"):
            gram.matmul(bad)


def test_subsets(gram, exact):
    index = np.array([5, 80, 3])
    part = gram.subset(index)
    assert type(part) is type(gram)
    np.testing.assert_allclose(part.dense(), exact[np.ix_(index, index)], atol=1e-9)
    mask = np.arange(90) < 4
    np.testing.assert_allclose(gram.subset(mask).dense(), exact[:4, :4], atol=1e-9)


def test_solves(gram, exact):
    b = np.random.default_rng(1).normal(size=(90, 2))
    expected = np.linalg.solve(exact + 0.3 * np.eye(90), b)
    np.testing.assert_allclose(gram.solve(0.3, b), expected, atol=1e-7)
    np.testing.assert_allclose(gram.solve(0.3, b[:, 1]), expected[:, 1], atol=1e-7)


def test_eigenvectors(gram, exact):
    values, vectors = gram.eigh(5)
    expected = np.linalg.eigvalsh(exact)[::-1]
    np.testing.assert_allclose(values, expected[:5], rtol=1e-8)
    np.testing.assert_allclose(exact @ vectors, vectors * values, atol=1e-7)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-9)
    for bad in (0, 91):
        with pytest.raises(ValueError, match=f"k={bad}"):
            gram.eigh(bad)


def test_all_eigenvalues_need_memory(gram, exact):
    if isinstance(gram, KernelGram) and gram.memory_limit:
        with pytest.raises(_config.MemoryLimitError, match="eigenvectors"):
            gram.eigh()
    else:
        np.testing.assert_allclose(gram.eigh()[0], np.linalg.eigvalsh(exact)[::-1], atol=1e-9)


def test_factors(gram, exact):
    if isinstance(gram, KernelGram) and gram.memory_limit:
        with pytest.raises(_config.MemoryLimitError, match=r"Cholesky.*LowRankGram"):
            gram.factor(0.3)
        return
    factor = gram.factor(0.3)
    shifted = exact + 0.3 * np.eye(90)
    np.testing.assert_allclose(factor.solve(shifted), np.eye(90), atol=1e-7)
    assert factor.log_determinant() == pytest.approx(np.linalg.slogdet(shifted)[1], rel=1e-8)


def test_pickles(gram, exact):
    again = pickle.loads(pickle.dumps(gram))
    np.testing.assert_allclose(again.rows([3]), exact[[3]], atol=1e-9)
    assert isinstance(gram.nbytes(), int)


def test_dense_is_a_copy():
    gram = DenseGram(K)
    gram.dense()[:] = 0
    gram.factor(1.0)
    np.testing.assert_array_equal(gram.array, K)
    assert gram.array is K


def test_dense_without_the_compiled_core_keeps_to_the_limit():
    rows = np.random.default_rng(1).normal(size=(1000, 3))
    with _config.config(compiled=False):
        gram = KernelGram(mk.Gaussian(1.0), rows, memory_limit=12e6)
        gram.diag()
        tracemalloc.start()
        gram.dense()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 12e6  # of which the matrix takes 8e6


def test_float32_is_kept():
    gram = KernelGram(KERNEL, X.astype(np.float32))
    assert gram.rows([1, 2]).dtype == np.float32
    assert gram.tile([1], [2, 3]).dtype == np.float32
    assert gram.matmul(np.ones(90)).dtype == np.float64
    np.testing.assert_allclose(gram.dense(), K, atol=2e-6)


def test_fused_is_what_the_solver_may_use():
    assert KernelGram(mk.Gaussian(2.0), X).fused == mk.Fused("gaussian", (0.125, 0.0, 0.0))
    ard = KernelGram(mk.Gaussian([1.0, 2.0, 4.0]), X).fused
    np.testing.assert_array_equal(ard.scale, [1.0, 0.5, 0.25])
    assert KernelGram(mk.Linear(), sparse.csr_array(X)).fused == mk.Linear().fused()
    assert KernelGram(mk.RationalQuadratic(), X).fused is None
    assert KernelGram(2 * mk.Gaussian(), X).fused.family == "composed"
    assert KernelGram(mk.Gaussian() + mk.White(), X).fused is None


def test_the_cache_is_least_recently_used_and_bounded():
    inner = KernelGram(mk.RationalQuadratic(), X)
    gram = CachedGram(inner, memory_limit=3 * 90 * 8)
    assert gram.capacity == 3
    gram.rows([0, 1, 2])
    gram.rows([0])
    gram.rows([3])  # row 1 goes, row 0 was just used
    assert (gram.hits, gram.misses) == (1, 4)
    gram.rows([0, 2, 3])
    assert (gram.hits, gram.misses) == (4, 4)
    gram.rows([1])
    assert (gram.hits, gram.misses) == (4, 5)
    gram.rows(np.arange(90))
    assert gram.nbytes() - inner.nbytes() <= 3 * 90 * 8
    np.testing.assert_allclose(gram.rows([5, 5]), inner.rows([5, 5]))
    assert all(row.base is None for row in gram._rows.values())


def test_a_cache_without_room_still_works():
    gram = CachedGram(KernelGram(mk.RationalQuadratic(), X), memory_limit=10)
    np.testing.assert_allclose(gram.rows([2]), mk.RationalQuadratic()(X)[[2]])
    assert gram.capacity == gram.hits == 0
    assert gram.X is gram.gram.X


@pytest.mark.parametrize(
    ("kernel", "data", "limit", "form"),
    [
        (mk.Gaussian("median"), X, None, KernelGram),
        (mk.RationalQuadratic(), X, None, DenseGram),
        (mk.RationalQuadratic(), X, 8 * 90 * 100, CachedGram),
        (mk.Gaussian(), sparse.csr_array(X), 8 * 90 * 100, KernelGram),
        (mk.Gaussian() + 1, sparse.csr_array(X), 8 * 90 * 100, CachedGram),
        (mk.Precomputed(), K, None, DenseGram),
        ("precomputed", K, None, DenseGram),
        (lambda A, B: A @ B.T, X, None, DenseGram),
    ],
)
def test_build_chooses(kernel, data, limit, form):
    gram = build_gram(kernel, data, memory_limit=limit)
    assert type(gram) is form
    assert isinstance(gram.kernel, mk.Kernel)
    with _config.config(memory_limit=limit):
        assert type(build_gram(kernel, data)) is form


def test_build_refuses():
    with pytest.raises(TypeError, match="from_sklearn"):
        build_gram("rbf", X)
    with pytest.raises(_config.MemoryLimitError, match="few rows"):
        build_gram(mk.Gaussian(), X, memory_limit=100)
    with pytest.raises(ValueError, match="DenseGram"):
        KernelGram(mk.Precomputed(), K)
    asymmetric = mk.FromCallable(lambda A, B: A @ B.T + A[:, :1])
    with pytest.raises(ValueError, match="not symmetric"):
        build_gram(asymmetric, X)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.ones((3, 2)), "square, got shape"),
        (np.ones(3), "2D"),
        (np.array([[1.0, np.nan], [0, 1]]), "NaN"),
        (np.array([[1.0, np.inf], [0, 1]]), "infinity"),
        (np.array([[1.0, 0.5], [0.4, 1]]), r"entry \(0, 1\) is 0.5 but \(1, 0\) is 0.4"),
        (np.array([["a", "b"], ["b", "a"]]), "convert|numbers"),
        (sparse.csr_array(np.eye(2)), "[Ss]parse"),
        (np.empty((0, 0)), "0 sample"),
    ],
)
def test_bad_precomputed_matrices(bad, message):
    with pytest.raises((ValueError, TypeError), match=message):
        build_gram("precomputed", bad)


def test_rounding_is_not_asymmetry():
    noisy = K.astype(np.float32)
    noisy[3, 4] += 1e-6
    assert DenseGram(noisy).n == 90
    assert DenseGram(K + 1e-9 * np.triu(np.ones((90, 90)))).n == 90


def test_not_positive_definite():
    with pytest.raises(NotPositiveDefiniteError, match="larger shift"):
        KernelGram(mk.Linear(), X).factor()
    with pytest.raises(NotPositiveDefiniteError, match="must be positive"):
        LowRankGram(X).factor(0.0)


def test_low_rank_from_a_kernel():
    gram = LowRankGram.from_kernel(mk.Gaussian(2.0), X, rank=60, random_state=0)
    Z = gram.features.landmarks_
    cross, inner = mk.Gaussian(2.0)(X, Z), mk.Gaussian(2.0)(Z)
    formula = cross @ np.linalg.pinv(inner, rcond=1e-14, hermitian=True) @ cross.T
    np.testing.assert_allclose(gram.dense(), formula, atol=1e-6)
    assert np.mean(np.abs(gram.dense() - mk.Gaussian(2.0)(X))) < 1e-3
    assert gram.rank <= 60
    new = gram.features.transform(X[:4])
    np.testing.assert_allclose(new @ gram.L.T, gram.rows(np.arange(4)), atol=1e-10)
    assert gram.nbytes() == gram.L.nbytes
    with pytest.raises(ValueError, match="finite matrix"):
        LowRankGram(np.array([1.0, np.nan]))


def test_pivoted_cholesky_error_shrinks_and_stops_at_the_rank():
    gram = KernelGram(mk.Linear(), X)
    L, pivots = pivoted_cholesky(gram, 50)
    assert L.shape == (90, 3)
    assert len(set(pivots)) == 3
    np.testing.assert_allclose(L @ L.T, X @ X.T, atol=1e-10)
    smooth = KernelGram(mk.Gaussian(2.0), X)
    errors = [np.abs(smooth.dense() - L @ L.T).max() for L in _factors(smooth, (5, 20, 60))]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def _factors(gram, ranks):
    return [pivoted_cholesky(gram, rank)[0] for rank in ranks]


@pytest.mark.parametrize("shift", [1e-2, 1.0, 0.0])
def test_conjugate_gradients(shift):
    gram = DenseGram(K)
    b = np.column_stack([np.ones(90), np.zeros(90), np.arange(90.0)])
    x = conjugate_gradients(gram, shift, b, tol=1e-12)
    np.testing.assert_allclose(x, np.linalg.solve(K + shift * np.eye(90), b), rtol=1e-6, atol=1e-7)


def test_conjugate_gradients_say_how_far_they_got():
    with pytest.warns(ConvergenceWarning, match="after 2 products with a relative residual"):
        conjugate_gradients(DenseGram(K), 0.0, np.arange(90.0), max_iter=2)


def test_lanczos_is_reproducible():
    gram = KernelGram(mk.Gaussian(), X)
    np.testing.assert_array_equal(lanczos(gram, 3)[1], lanczos(gram, 3)[1])


def test_a_whole_matrix_is_computed_beside_little_else():
    kernel, data = mk.RationalQuadratic() + mk.Linear(), np.ones((1500, 2))
    tracemalloc.start()
    with _config.config(memory_limit=30_000_000):  # the matrix takes 18 MB
        kernel(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


def test_memory_stays_within_the_limit():
    limit = 4_000_000  # the whole matrix would take 72 MB
    data = np.random.default_rng(0).normal(size=(3000, 3))
    gram = build_gram(mk.RationalQuadratic(), data, memory_limit=limit)
    tracemalloc.start()
    gram.matmul(np.ones(3000))
    gram.rows(np.arange(5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < limit
    with pytest.raises(_config.MemoryLimitError, match="full kernel matrix needs 72 MB"):
        gram.dense()
