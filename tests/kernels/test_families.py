"""Families against scikit-learn's formulas, their domains, and their numerical edges."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics import pairwise

from mercer import _config
from mercer import kernels as mk
from mercer.kernels.distances import squared_distances

RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(20, 4)), RNG.normal(size=(13, 4))
H = np.abs(RNG.normal(size=(20, 4)))


@pytest.mark.parametrize(
    ("kernel", "other"),
    [
        (mk.Gaussian(0.7), gp.RBF(0.7)),
        (mk.Gaussian([0.7, 1, 2, 3]), gp.RBF([0.7, 1, 2, 3])),
        (mk.Matern(0.7, 0.5), gp.Matern(0.7, nu=0.5)),
        (mk.Matern(0.7, 1.5), gp.Matern(0.7, nu=1.5)),
        (mk.Matern([0.7, 1, 2, 3], 2.5), gp.Matern([0.7, 1, 2, 3], nu=2.5)),
        (mk.RationalQuadratic(0.7, 1.4), gp.RationalQuadratic(0.7, 1.4)),
        (mk.Constant(0.7), gp.ConstantKernel(0.7)),
        (mk.White(0.7), gp.WhiteKernel(0.7)),
    ],
    ids=str,
)
def test_same_as_sklearn_gaussian_processes(kernel, other):
    np.testing.assert_allclose(kernel(X, Y), other(X, Y), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel(X), other(X), rtol=1e-12, atol=1e-14)


def test_periodic_in_one_dimension_is_sklearns():
    other = gp.ExpSineSquared(0.7, 1.9)(X[:, :1], Y[:, :1])
    np.testing.assert_allclose(mk.Periodic(0.7, 1.9)(X[:, :1], Y[:, :1]), other, rtol=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 0.3, "scale", "auto"])
@pytest.mark.parametrize(
    "name", ["linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "cosine"]
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_from_sklearn_means_the_same(name, gamma, form):
    data = form(H)
    number = gamma
    if gamma == "scale":
        number = 1.0 / (4 * H.var())
    elif gamma == "auto":
        number = 0.25
    parameters = {"rbf": ["gamma"], "laplacian": ["gamma"], "chi2": ["gamma"]}.get(name, [])
    parameters = {"sigmoid": ["gamma", "coef0"], "poly": ["gamma", "coef0", "degree"]}.get(
        name, parameters
    )
    values = {"gamma": number, "coef0": 0.4, "degree": 2}
    expected = pairwise.pairwise_kernels(H, metric=name, **{p: values[p] for p in parameters})
    kernel = mk.from_sklearn(name, gamma=gamma, degree=2, coef0=0.4)
    np.testing.assert_allclose(kernel.resolve(data)(data), expected, rtol=1e-10, atol=1e-12)


def test_from_sklearn_refuses_what_it_does_not_know():
    assert isinstance(mk.from_sklearn("precomputed"), mk.Precomputed)
    with pytest.raises(ValueError, match=r"unknown kernel 'bessel'.*poly"):
        mk.from_sklearn("bessel")
    for gamma in (-1.0, "big", None, float("nan")):
        with pytest.raises(ValueError, match="gamma must be a number >= 0"):
            mk.from_sklearn("rbf", gamma=gamma)


@pytest.mark.parametrize("kernel", [mk.ChiSquared(), mk.AdditiveChiSquared(), mk.Intersection()])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_histograms_refuse_negative_entries(kernel, form):
    bad = H.copy()
    bad[3, 2] = -0.5
    with pytest.raises(ValueError, match="must not have negative entries"):
        kernel(form(bad))
    with pytest.raises(ValueError, match="Y must not have negative entries"):
        kernel(form(H), form(bad))
    with pytest.raises(ValueError, match=r"row 3, column 2 is -0.5"):
        (kernel + kernel)(bad)


def test_additive_chi_squared_is_the_kernel_of_the_distance():
    distances = mk.AdditiveChiSquared().distance(H[:5], H[5:]) ** 2
    np.testing.assert_allclose(distances, -pairwise.additive_chi2_kernel(H[:5], H[5:]), rtol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [
        mk.Gaussian(0.0),
        mk.Gaussian(-1.0),
        mk.Gaussian(float("nan")),
        mk.Gaussian(1e-200),
        mk.Gaussian("wide"),
        mk.Gaussian(None),
        mk.Gaussian([1.0, 2.0]),
        mk.Gaussian([1.0, 2.0, 0.0, 1.0]),
        mk.Gaussian([]),
        mk.Gaussian(np.ones((2, 2))),
        mk.Gaussian("median"),
        mk.Laplacian("scale"),
        mk.Polynomial(gamma="scale"),
        mk.Polynomial(-1),
        mk.Polynomial("2"),
        mk.Sigmoid(coef0="0"),
        mk.Sigmoid(gamma=-1.0),
        mk.ChiSquared("auto"),
        mk.Matern(nu=1.0),
        mk.RationalQuadratic(alpha=0.0),
        mk.RationalQuadratic(alpha=np.inf),
        mk.Periodic(period=0.0),
        mk.Periodic(length_scale=-1.0),
        mk.Constant(-1.0),
        mk.White(-1.0),
    ],
    ids=str,
)
def test_impossible_parameters_are_named(kernel):
    message = "|".join(["length_scale", "gamma", "degree", "coef0", "nu must", "alpha", "period"])
    for call in (kernel, kernel.diag, kernel.gradient, lambda A: kernel.matmul(A, None, A)):
        with pytest.raises(ValueError, match=f"{message}|value must|noise must|whole"):
            call(X)


def test_a_fractional_degree_is_computed_but_not_compiled():
    kernel = mk.Polynomial(2.5, coef0=1.0)
    assert kernel.fused() is None
    np.testing.assert_allclose(kernel(H), (H @ H.T + 1) ** 2.5, rtol=1e-13)
    slope = (mk.Polynomial(2.5, coef0=1.001)(H) - mk.Polynomial(2.5, coef0=0.999)(H)) / 2e-3
    np.testing.assert_allclose(kernel.gradient(H)["coef0"], slope, rtol=1e-5)
    for call in (kernel, kernel.gradient):
        with pytest.raises(ValueError, match="use a whole degree"):
            call(X)


@pytest.mark.parametrize("degree", [0, 1, 2, 7, 3.0, np.int64(2)])
def test_whole_degrees(degree):
    kernel = mk.Polynomial(degree, coef0=0.5, gamma=0.3)
    np.testing.assert_allclose(kernel(X, Y), (0.3 * X @ Y.T + 0.5) ** int(degree), rtol=1e-11)


def test_an_infinite_length_scale_switches_a_column_off():
    ard = mk.Gaussian([0.5, np.inf, 1.0, np.inf])
    np.testing.assert_allclose(ard(X, Y), mk.Gaussian([0.5, 1.0])(X[:, ::2], Y[:, ::2]), rtol=1e-13)
    np.testing.assert_array_equal(mk.Gaussian(np.inf)(X, Y), np.ones((20, 13)))


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_squared_distances_keep_their_digits(offset, form):
    close = offset + np.vstack([X, X + 1e-7, X, 3 * X])
    exact = cdist(close, close, "sqeuclidean")
    found = squared_distances(form(close), form(close))
    np.testing.assert_allclose(found, exact, rtol=1e-8)
    assert np.all(found[:20, 40:60].diagonal() == 0)


@pytest.mark.parametrize("size", [1e150, 1e200, 1e-200])
def test_extreme_data_never_give_nan(size):
    for kernel in (mk.Gaussian(), mk.Laplacian(), mk.Matern(nu=0.5), mk.RationalQuadratic()):
        for compiled in (True, False):
            with _config.config(compiled=compiled):
                K = kernel(size * X)
            assert np.all((K >= 0) & (K <= 1))
            np.testing.assert_array_equal(np.diagonal(K), 1.0)


def test_features_of_linear_are_the_data():
    np.testing.assert_array_equal(mk.Linear().features_of(X), X)


def test_a_wide_explicit_map_is_refused():
    with pytest.raises(_config.MemoryLimitError, match="polynomial features"):
        mk.Polynomial(20).features_of(np.ones((2, 60)))


def test_a_callable_kernel():
    kernel = mk.FromCallable(lambda A, B: A @ B.T)
    np.testing.assert_allclose(kernel(X, Y), X @ Y.T)
    pairs = mk.FromCallable(lambda a, b: float(a @ b), pairwise=True)
    np.testing.assert_allclose(pairs(X, Y), X @ Y.T)
    words = mk.FromCallable(lambda a, b: len(set(a) & set(b)), pairwise=True, objects=True)
    np.testing.assert_array_equal(words(["cat", "car"], ["cat", "dog"]), [[3, 0], [2, 0]])
    np.testing.assert_array_equal(words.diag(["cat", "aaa"]), [3, 1])
    np.testing.assert_array_equal(words([["c", "a"], ["d", "a"]]), [[2, 1], [1, 2]])
    assert words.normalized()(["cat", "car"])[0, 1] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: A @ A.T, r"shape \(20, 13\)"),
        (lambda A, B: 1.0, "pairwise=True"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "NaN or infinite"),
        (lambda A, B: np.full((len(A), len(B)), "a"), "must return numbers"),
    ],
)
def test_a_callable_that_misbehaves(function, message):
    with pytest.raises(ValueError, match=message):
        mk.FromCallable(function)(X, Y)


def test_a_feature_map_that_misbehaves():
    with pytest.raises(ValueError, match="19 rows for 20 objects"):
        mk.FromFeatures(lambda A: A[1:])(X)
    with pytest.raises(ValueError, match="NaN"):
        mk.FromFeatures(lambda A: A * np.nan)(X)


def test_single_strings_and_empty_lists_are_refused():
    words = mk.FromCallable(max, objects=True, pairwise=True)
    with pytest.raises(ValueError, match="single string"):
        words("cat")
    with pytest.raises(ValueError, match="empty"):
        words([])
    with pytest.raises(ValueError, match="list of strings"):
        mk.Gaussian()(["cat", "dog"])
    with pytest.raises(ValueError, match="row 0, column 0 is '1'"):
        mk.Gaussian()([["1", "2"]])
    with pytest.raises(ValueError, match="row 1, column 0 is None"):
        mk.Gaussian()(np.array([[1.0], [None]], dtype=object))
    np.testing.assert_array_equal(mk.Linear()(np.array([[1], [2]], dtype=object)), [[1, 2], [2, 4]])


def test_a_precomputed_kernel_is_its_matrix():
    K, kernel = X @ X.T, mk.Precomputed()
    np.testing.assert_array_equal(kernel(K), K)
    np.testing.assert_array_equal(kernel.diag(K), K.diagonal())
    np.testing.assert_allclose(kernel.matmul(K[:3], None, np.ones(20)), K[:3].sum(axis=1))
    assert kernel.psd is None
    assert kernel.gradient(K) == {}
    for bad, message in [
        (lambda: kernel.diag(K[:3]), "only the square"),
        (lambda: kernel(K, X[:3]), "20 columns for 3"),
        (lambda: kernel.matmul(K, None, np.ones(3)), "20 columns"),
        (lambda: kernel(K * np.nan), "NaN"),
        (lambda: (2 * kernel)(K), "combine the matrices"),
        (lambda: kernel.features(), "LowRankGram"),
    ]:
        with pytest.raises(ValueError, match=message):
            bad()


def test_a_kernel_written_by_a_stranger_gets_everything():
    class Cauchy(mk.Kernel):
        def __init__(self, width=1.0):
            self.width = width

        def _tile(self, X, Y):
            return 1.0 / (1.0 + cdist(X, Y, "sqeuclidean") / self.width**2)

    kernel = Cauchy(1.5)
    expected = 1.0 / (1.0 + cdist(X, Y, "sqeuclidean") / 2.25)
    np.testing.assert_allclose(kernel(sparse.csr_array(X), Y), expected)
    np.testing.assert_array_equal(kernel.diag(X), np.ones(20))
    np.testing.assert_allclose(kernel.matmul(X, Y, np.ones(13)), expected.sum(axis=1))
    slope = (Cauchy(1.5001)(X, Y) - Cauchy(1.4999)(X, Y)) / 2e-4
    np.testing.assert_allclose(kernel.gradient(X, Y)["width"], slope, atol=1e-7)
    np.testing.assert_allclose((kernel * 2.0).gradient(X, Y)["kernel__width"], 2 * slope, atol=1e-7)
    assert kernel(X.astype(np.float32)).dtype == np.float32
