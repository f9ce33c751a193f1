"""What every kernel promises; a new kernel file is tested here without being named."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from helpers_kernels import is_vectors
from mercer import _config
from mercer.gram import KernelGram
from mercer.kernels import Kernel, available, check_psd
from mercer.kernels._numeric import float_parameters


def facts_known(kernel):
    """A user's function may have more properties than anybody knows."""
    return type(kernel).__name__ != "FromCallable"


def moved(kernel, name, value):
    return clone(kernel).set_params(**{name: value})


def differentiable(kernel, prefix=""):
    """Names of all real parameters, those of inner kernels included."""
    names = {prefix + name for name in float_parameters(kernel)}
    for name, part in kernel.get_params(deep=False).items():
        if isinstance(part, Kernel):
            names |= differentiable(part, f"{prefix}{name}__")
    return names


def test_there_are_all_the_families():
    expected = {"linear", "polynomial", "gaussian", "mahalanobis", "laplacian", "matern", "sigmoid"}
    expected |= {"rational_quadratic", "periodic", "chi_squared", "additive_chi_squared", "white"}
    expected |= {"intersection", "jaccard", "constant", "precomputed", "from_callable", "on"}
    expected |= {"from_features", "sum", "scaled", "shifted", "product", "rank_one", "power"}
    expected |= {"exponential", "feature_gaussian", "normalized", "centered"}
    assert expected <= set(available())


@pytest.mark.parametrize("name", sorted(available()))
def test_constructor_only_stores(name):
    kind = available()[name]
    parameters = [p for p in inspect.signature(kind.__init__).parameters if p != "self"]
    markers = {p: object() for p in parameters if p not in ("args", "kwargs")}
    built = kind(**markers)
    assert all(getattr(built, p) is marker for p, marker in markers.items())


def test_shape_and_finite(case):
    kernel, X, Y = case
    K = kernel(X, Y)
    assert K.shape == (17, 11)
    assert K.dtype == np.float64
    assert np.all(np.isfinite(K))


def test_symmetric(case):
    kernel, X, Y = case
    np.testing.assert_allclose(kernel(X, Y), kernel(Y, X).T, rtol=1e-12, atol=1e-13)
    K = kernel(X)
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-13)


def test_psd_where_promised(case):
    kernel, X, _ = case
    report = check_psd(kernel, X)
    assert kernel.psd in (True, False)
    assert report.ok == kernel.psd, report.explain()


def test_bounded_where_promised(case):
    kernel, X, _ = case
    if not is_vectors(X):
        return
    small, large = kernel.radius(X), kernel.radius(X * 1.2)
    far = [kernel.diag(X * 10.0**power).max() for power in (2, 3)] if kernel.bounded else [1.0]
    assert max(far) <= 100 * max(1.0, kernel.diag(X).max())
    assert kernel.bounded or large > small or not facts_known(kernel)


def test_stationary_where_promised(case):
    kernel, X, Y = case
    if not is_vectors(X):
        return
    same = np.allclose(kernel(X + 0.37, Y + 0.37), kernel(X, Y), rtol=1e-7, atol=1e-9)
    assert same == kernel.stationary or not facts_known(kernel)


def test_diag_is_the_diagonal(case):
    kernel, X, _ = case
    np.testing.assert_array_equal(kernel.diag(X), np.diagonal(kernel(X)))
    if type(kernel).__name__ != "White":
        again = np.diagonal(kernel(X, X))
        # 1e-7: the compiled core may round |x - x|^2 to 1e-16, and Matérn 1/2 takes its root
        np.testing.assert_allclose(kernel.diag(X), again, rtol=1e-7)


def test_tiles_make_the_whole(case):
    kernel, X, Y = case
    K = kernel(X, Y)
    parts = np.vstack([np.hstack([kernel(x, y) for y in (Y[:4], Y[4:])]) for x in (X[:9], X[9:])])
    np.testing.assert_allclose(parts, K, rtol=1e-11, atol=1e-12)


def test_one_row(case):
    kernel, X, Y = case
    np.testing.assert_allclose(kernel(X[:1], Y)[0], kernel(X, Y)[0], rtol=1e-11, atol=1e-12)


def test_permutation(case):
    kernel, X, _ = case
    order = np.random.default_rng(0).permutation(17)
    np.testing.assert_allclose(
        kernel(X[order]), kernel(X)[np.ix_(order, order)], rtol=1e-11, atol=1e-12
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("limit", [None, 4000])
def test_matmul_is_the_dense_product(case, training, limit):
    kernel, X, Y = case
    other = None if training else Y
    V = np.random.default_rng(1).normal(size=(17 if training else 11, 3))
    K = kernel(X, other)
    with _config.config(memory_limit=limit):  # the second limit forces several blocks
        np.testing.assert_allclose(kernel.matmul(X, other, V), K @ V, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(
            kernel.matmul(X, other, V[:, 0]), K @ V[:, 0], rtol=1e-9, atol=1e-10
        )


def test_gram_object_serves_the_same(case):
    kernel, X, _ = case
    K, gram = kernel(X), KernelGram(kernel, X)
    rows, columns = np.array([3, 0, 16]), np.array([5, 3, 3, 16])
    np.testing.assert_allclose(gram.rows(rows), K[rows], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(
        gram.tile(rows, columns), K[np.ix_(rows, columns)], rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(gram.diag(), np.diagonal(K), rtol=1e-12)
    np.testing.assert_allclose(gram.matmul(np.eye(17)), K, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("training", [True, False])
def test_gradient_against_finite_differences(case, training):
    kernel, X, Y = case
    other = None if training else Y
    gradient = kernel.gradient(X, other)
    assert set(gradient) == differentiable(kernel)
    for name, slope in gradient.items():
        value = np.atleast_1d(np.asarray(kernel.get_params()[name], dtype=float))
        scalar = np.ndim(kernel.get_params()[name]) == 0
        assert slope.shape == (17, 17 if training else 11) + (() if scalar else value.shape)
        for i in range(value.size):
            step = np.zeros_like(value)
            step[i] = 1e-5
            ends = [
                moved(kernel, name, float(v[0]) if scalar else v)(X, other)
                for v in (value + step, value - step)
            ]
            expected = (ends[0] - ends[1]) / 2e-5
            found = slope if scalar else slope[..., i]
            scale = max(1.0, np.abs(expected).max())
            np.testing.assert_allclose(found, expected, atol=2e-8 * scale, rtol=1e-6)


def test_float32_agrees_with_float64(case):
    kernel, X, Y = case
    if not is_vectors(X):
        return
    K = kernel(X.astype(np.float32), Y.astype(np.float32))
    exact = kernel(X.astype(np.float32).astype(float), Y.astype(np.float32).astype(float))
    assert K.dtype == np.float32
    assert kernel(X.astype(np.float32)).dtype == np.float32
    assert kernel.diag(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(K, exact, rtol=2e-5, atol=2e-5 * np.abs(exact).max())
    mixed = kernel(X.astype(np.float32), Y)
    assert mixed.dtype == np.float64
    for left, right in ((X.astype(np.float32), Y), (X, Y.astype(np.float32))):
        tile = kernel.tile(left, right)  # learners hand over rows as they were kept
        np.testing.assert_allclose(tile, exact, rtol=5e-5, atol=5e-5 * np.abs(exact).max())


def test_float32_far_from_the_origin(case):
    kernel, X, Y = case
    if not (is_vectors(X) and kernel.stationary):
        return
    left, right = (np.float32(100.0) + A.astype(np.float32) for A in (X, Y))
    exact = kernel(left.astype(float), right.astype(float))
    np.testing.assert_allclose(kernel(left, right), exact, atol=2e-5 * np.abs(exact).max())


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_is_dense(case, form):
    kernel, X, Y = case
    if "sparse" not in kernel.accepts:
        return
    X, Y = np.where(X > 0.3, X, 0.0), np.where(Y > 0.3, Y, 0.0)
    np.testing.assert_allclose(kernel(form(X), form(Y)), kernel(X, Y), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(kernel(form(X)), kernel(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(kernel(form(X), Y), kernel(X, Y), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(kernel.diag(form(X)), kernel.diag(X), rtol=1e-12, atol=1e-13)
    dense = kernel.gradient(X, Y)
    for name, slope in kernel.gradient(form(X), form(Y)).items():
        np.testing.assert_allclose(slope, dense[name], rtol=1e-8, atol=1e-10)
    gram = KernelGram(kernel, form(X))
    np.testing.assert_allclose(gram.rows([2, 5]), kernel(X)[[2, 5]], rtol=1e-10, atol=1e-12)


def test_compiled_and_numpy_twin_agree(case):
    kernel, X, Y = case
    with _config.config(compiled=False):
        slow, slow_product = kernel(X, Y), kernel.matmul(X, Y, np.ones(11))
    np.testing.assert_allclose(kernel(X, Y), slow, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.matmul(X, Y, np.ones(11)), slow_product, rtol=1e-11)


def test_clone_pickle_and_copy(case):
    kernel, X, Y = case
    K = kernel(X, Y)
    for twin in (clone(kernel), pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        assert twin is not kernel
        assert repr(twin) == repr(kernel)
        np.testing.assert_array_equal(twin(X, Y), K)


def test_set_params_reaches_every_level(case):
    kernel, X, Y = case
    before = kernel(X, Y)
    for name in differentiable(kernel):
        value = kernel.get_params()[name]
        changed = clone(kernel)
        np.testing.assert_array_equal(changed(X, Y), before)  # fills whatever is remembered
        changed.set_params(**{name: value * 1.5 + 0.1})
        training = [k(X) for k in (changed, kernel)]
        assert not np.allclose(*training), f"{name} changes nothing"


def test_read_only_and_strided_input(case):
    kernel, X, Y = case
    if not is_vectors(X):
        return
    frozen = X.copy()
    frozen.setflags(write=False)
    strided = np.repeat(Y, 2, axis=0)[::2]
    fortran = np.asfortranarray(X)
    K = kernel(X, Y)
    np.testing.assert_array_equal(kernel(frozen, strided), K)
    np.testing.assert_array_equal(kernel(fortran, Y), K)
    kernel(frozen)
    kernel.gradient(frozen)


def test_input_is_not_changed(case):
    kernel, X, Y = case
    before = copy.deepcopy((X, Y))
    kernel(X, Y), kernel(X), kernel.gradient(X), kernel.matmul(X, None, np.ones(17))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Y, before[1])


def test_features_approximate_the_kernel(case):
    kernel, X, _ = case
    if kernel.psd is not True or type(kernel).__name__ == "White":
        return
    features = kernel.features(rank=4000, random_state=0).fit(X)
    Phi = features.transform(X)
    K = kernel(X, X)
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=0.08 * np.abs(K).max())
    assert features.get_params()["random_state"] == 0


def test_distance_and_radius(case):
    kernel, X, Y = case
    if kernel.psd is not True:
        return
    D, K = kernel.distance(X, Y), kernel(X, Y)
    expected = kernel.diag(X)[:, None] - 2 * K + kernel.diag(Y)[None, :]
    np.testing.assert_allclose(D**2, np.maximum(expected, 0), rtol=1e-9, atol=1e-9)
    assert np.all(np.diagonal(kernel.distance(X)) == 0)
    assert kernel.radius(X) == pytest.approx(np.sqrt(np.diagonal(kernel(X)).max()))


def test_bad_numbers_are_refused(case):
    kernel, X, _ = case
    if not is_vectors(X):
        return
    for bad in (np.nan, np.inf):
        broken = X.copy()
        broken[3, 1] = bad
        for call in (kernel, kernel.diag, kernel.gradient, lambda A: kernel(X, A)):
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                call(broken)


def test_bad_shapes_are_refused(case):
    kernel, X, Y = case
    if not is_vectors(X):
        return
    with pytest.raises(ValueError, match="columns"):
        kernel(X, np.hstack([Y, Y]))
    with pytest.raises(ValueError, match="2D"):
        kernel(X[0])
    with pytest.raises(ValueError, match="0 sample"):
        kernel(X[:0])
    with pytest.raises(ValueError, match="V has shape"):
        kernel.matmul(X, Y, np.ones(17))
    words = X.astype(object)
    words[2, 1] = "red"
    with pytest.raises(ValueError, match="row 2, column 1 is 'red'"):
        kernel(words)


def test_memory_is_refused_before_it_is_taken(case):
    kernel, X, _ = case
    with (
        _config.config(memory_limit=1000),
        pytest.raises(_config.MemoryLimitError, match="17 x 17"),
    ):
        kernel(X)
