"""`kernel_meant`: one answer to what ``kernel=`` means, for every family of learners."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.gaussian_process import kernels as theirs
from sklearn.metrics.pairwise import pairwise_kernels

from mercer import SVC, KernelRidge, _config
from mercer import kernels as mk
from mercer.gram import DenseGram, KernelGram, build_gram
from mercer.kernels.resolve import ard_gaussian, kernel_meant
from mercer.kernels.structured.from_callable import FromCallable, UserFunction
from mercer.learners import bayes
from mercer.learners._parameters import RULES


@pytest.fixture
def X():
    return np.abs(np.random.default_rng(3).normal(size=(12, 4))) + 0.1


def scale(X):
    return 1.0 / (X.shape[1] * X.var())


@pytest.mark.parametrize("name", [n for n in mk.SKLEARN_KERNELS if n != "precomputed"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_name_means_what_scikit_learn_means(name, form, X):
    meant = kernel_meant(name, form(X), gamma=0.3, degree=2, coef0=0.7)
    given = {"gamma": 0.3, "degree": 2, "coef0": 0.7}
    expected = pairwise_kernels(X, metric=name, filter_params=True, **given)
    np.testing.assert_allclose(meant.kernel(form(X)), expected, rtol=1e-9)
    assert meant.checked
    assert meant.read_off == ()
    assert not meant.bounds
    assert meant.gamma == pytest.approx(0.0 if name in ("linear", "cosine") else 0.3)


@pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2"])
def test_the_rules_for_gamma(name, X):
    assert kernel_meant(name, X).gamma == pytest.approx(scale(X))  # SVC's default
    assert kernel_meant(name, X, gamma="auto").gamma == pytest.approx(0.25)
    pairwise = kernel_meant(name, X, gamma=None)  # KernelRidge's default
    assert pairwise.gamma == pytest.approx(1.0 if name == "chi2" else 0.25)
    expected = pairwise_kernels(X, metric=name, filter_params=True, coef0=0.0)
    np.testing.assert_allclose(pairwise.kernel(X), expected, rtol=1e-9)


def test_what_was_read_off_the_rows_is_said(X):
    for name in ("rbf", "laplacian", "poly", "sigmoid", "chi2"):
        assert kernel_meant(name, X).read_off[0][0] == "gamma"
        assert kernel_meant(name, X, gamma="auto").read_off == ()
    assert kernel_meant("linear", X).read_off == ()
    assert kernel_meant(mk.Gaussian(2.0), X).read_off == ()
    ((what, how),) = kernel_meant(mk.Gaussian("median"), X).read_off
    assert what == "the kernel's parameters"
    assert "median" in how
    assert kernel_meant(None, X, default=ard_gaussian).read_off


def test_kernel_objects_are_resolved_on_a_copy(X):
    given = mk.Gaussian("median")
    meant = kernel_meant(given, X, gamma=7.0)
    assert given.length_scale == "median"
    assert isinstance(meant.kernel.length_scale, float)
    assert meant.gamma == 0.0
    assert not meant.checked


def test_a_precomputed_matrix_was_checked_at_the_door(X):
    for given in ("precomputed", mk.Precomputed()):
        meant = kernel_meant(given, X @ X.T)
        assert isinstance(meant.kernel, mk.Precomputed)
        assert meant.checked


def test_functions_see_samples_as_the_user_has_them_or_vectors(X):
    whole = kernel_meant(len, ["ab", "c"]).kernel
    assert type(whole) is UserFunction
    assert "vectors" not in whole.accepts
    pairs = kernel_meant(lambda a, b: a @ b.T, X, functions="pairs").kernel
    assert type(pairs) is FromCallable
    assert "vectors" in pairs.accepts


def test_kernel_objects_of_scikit_learn_bring_their_bounds(X):
    given = theirs.ConstantKernel(2.0, (0.5, 4.0)) * theirs.RBF(0.7, (0.1, 9.0))
    meant = kernel_meant(given, X, functions="pairs")
    np.testing.assert_allclose(meant.kernel(X), given(X))
    assert meant.bounds == {"factor": (0.5, 4.0), "kernel__length_scale": (0.1, 9.0)}
    assert isinstance(kernel_meant(given, X).kernel, UserFunction)  # SVC calls it, as theirs does


def test_no_kernel_means_what_the_learner_says(X):
    kernel = kernel_meant(None, X, default=lambda X: ard_gaussian(X, 3.0)).kernel
    assert kernel.factor == 3.0
    np.testing.assert_allclose(kernel.kernel.length_scale, 2.0 * X.std(axis=0))
    wide = np.random.default_rng(0).normal(size=(5, 31))
    assert np.ndim(ard_gaussian(wide).kernel.length_scale) == 0
    with pytest.raises(TypeError, match="is not a kernel"):
        kernel_meant(None, X)


def test_refusals(X):
    with pytest.raises(ValueError, match="unknown kernel 'bessel'"):
        kernel_meant("bessel", X)
    with pytest.raises(ValueError, match="negative entries"):
        kernel_meant("chi2", -X)
    with pytest.raises(TypeError, match="is not a kernel"):
        kernel_meant(3, X, functions="pairs")


def test_rows_given_as_lists_are_not_called_checked(X):
    meant = kernel_meant("rbf", X.tolist())
    assert meant.gamma == pytest.approx(scale(X))
    assert not meant.checked


# -- the same answer inside the learners ----------------------------------------------------------


@pytest.mark.parametrize("name", ["laplacian", "cosine", "chi2", "polynomial"])
def test_all_nine_names_work_in_a_support_vector_machine(name, X):
    y = np.arange(12) % 2
    machine = SVC(kernel=name, gamma=0.5).fit(X, y)
    K = pairwise_kernels(X, metric=name, filter_params=True, gamma=0.5, degree=3, coef0=0.0)
    twin = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(machine.decision_function(X), twin.decision_function(K), atol=1e-2)


def test_there_is_one_list_of_names():
    wanted = RULES["kernel"][1]
    assert all(name in wanted for name in mk.SKLEARN_KERNELS)
    assert len(mk.SKLEARN_KERNELS) == 9


def test_learners_keep_their_own_defaults(X):
    y = np.arange(12) % 2
    assert SVC().fit(X, y)._gamma == pytest.approx(scale(X))
    ridge = KernelRidge(kernel="rbf").fit(X, y)
    assert 0.5 / ridge.kernel_.length_scale**2 == pytest.approx(0.25)
    process = bayes.GaussianProcessRegressor.automatic(optimizer=None).fit(X, y * 1.0)
    np.testing.assert_allclose(process.kernel_.kernel.length_scale, 2.0 * X.std(axis=0))


# -- the Gram -------------------------------------------------------------------------------------


def test_solvers_that_ask_for_rows_get_them_streamed(X):
    slow = mk.RationalQuadratic(1.0, 1.0)
    assert slow.fused() is None
    assert type(build_gram(slow, X)) is DenseGram
    assert type(build_gram(slow, X, use="rows")) is KernelGram
    assert type(build_gram(mk.Gaussian(), X)) is KernelGram


def test_checked_rows_are_not_looked_at_again(X, monkeypatch):
    looked = []
    monkeypatch.setattr(mk.Gaussian, "_check", lambda self, X, name="X": looked.append(name))
    build_gram(mk.Gaussian(1.0), X, use="rows", checked=True)
    assert not looked
    build_gram(mk.Gaussian(1.0), X, use="rows")
    assert looked
    crooked = X[:4] + np.arange(4)
    assert build_gram("precomputed", crooked, checked=True).array is crooked
    with pytest.raises(ValueError, match="not symmetric"):
        build_gram("precomputed", crooked)


def test_a_user_function_is_called_once_on_whole_samples():
    words, seen = ["a", "bb", "cc"], []

    def same_length(left, right):
        seen.append((left, right))
        return np.array([[float(len(a) == len(b)) for b in right] for a in left])

    kernel = kernel_meant(same_length, words).kernel
    gram = build_gram(kernel, words, use="rows")
    np.testing.assert_array_equal(gram.dense(), [[1, 0, 0], [0, 1, 1], [0, 1, 1]])
    assert len(seen) == 1
    assert seen[0][0] is words
    with pytest.raises(_config.MemoryLimitError, match="callable kernel"):
        build_gram(kernel, words, memory_limit=10)
    with pytest.raises(ValueError, match="3 x 3 matrix"):
        build_gram(UserFunction(lambda a, b: np.ones((2, 2)), objects=True), words)
    with pytest.raises(ValueError, match="NaN or infinite"):
        build_gram(UserFunction(lambda a, b: np.full((3, 3), np.nan), objects=True), words)


def test_a_function_of_whole_samples_is_nothing_to_choose_by_name():
    assert "user_function" not in mk.available()
    assert "from_callable" in mk.available()
