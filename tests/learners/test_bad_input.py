"""Every kind of bad input is refused, or accepted with a word about it, and never crashes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import mercer
from mercer._config import MemoryLimitError
from mercer.learners.margin import IndefiniteKernelWarning
from mercer.learners.margin.svm.training import most_steps
from mercer.learners.regression import PolynomialRegression, RidgeRegression
from mercer.learners.spectral import LaplacianEigenmaps, MixtureClustering

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 3))
y = np.arange(20) % 2
K = X @ X.T
ALL = [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM]
CLASSIFIERS = [mercer.SVC, mercer.NuSVC]


def changed(array, place, value):
    array = np.array(array, dtype=float)
    array[place] = value
    return array


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite(cls, value):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        cls().fit(changed(X, (3, 1), value), y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        cls(kernel="precomputed").fit(changed(K, (3, 3), value), y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        cls().fit(X, y).predict(changed(X, (3, 1), value))
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        cls().fit(X, y, sample_weight=changed(np.ones(20), 3, value))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_targets_not_finite(value):
    for cls in (mercer.SVR, mercer.NuSVR):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            cls().fit(X, changed(y, 3, value))


@pytest.mark.parametrize("cls", ALL)
def test_wrong_shapes(cls):
    with pytest.raises(ValueError, match="2D array"):
        cls().fit(X[:, 0], y)
    with pytest.raises(ValueError, match="dim 3"):
        cls().fit(X[None], y)
    with pytest.raises(ValueError, match=r"expecting 3 features"):
        cls().fit(X, y).predict(X[:, :2])
    with pytest.raises(ValueError, match="sample_weight"):
        cls().fit(X, y, sample_weight=np.ones(3))
    if cls is not mercer.OneClassSVM:
        with pytest.raises(ValueError, match="inconsistent"):
            cls().fit(X, y[:-1])


@pytest.mark.parametrize("cls", ALL)
def test_empty(cls):
    with pytest.raises(ValueError, match=r"0 sample|minimum of"):
        cls().fit(np.empty((0, 3)), np.empty(0))
    with pytest.raises(ValueError, match="0 feature"):
        cls().fit(np.empty((20, 0)), y)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_one_class(cls):
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        cls().fit(X, np.zeros(20))


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_continuous_labels(cls):
    with pytest.raises(ValueError, match="continuous"):
        cls().fit(X, X[:, 0])


@pytest.mark.parametrize("cls", ALL)
def test_gram_not_square_or_not_symmetric(cls):
    with pytest.raises(ValueError, match="square"):
        cls(kernel="precomputed").fit(K[:, :-1], y)
    with pytest.raises(ValueError, match=r"symmetric, but K\[2, 5\]"):
        cls(kernel="precomputed").fit(changed(K, (2, 5), 9.0), y)
    with pytest.raises(ValueError, match="features"):
        cls(kernel="precomputed").fit(K, y).predict(K[:, :-1])
    with pytest.raises(TypeError, match="Sparse precomputed"):
        cls(kernel="precomputed").fit(sparse.csr_array(K), y)


@pytest.mark.parametrize("cls", ALL)
def test_indefinite_kernel_is_solved_with_a_warning(cls):
    indefinite = K - 0.5 * np.eye(20)
    with pytest.warns(IndefiniteKernelWarning, match="not positive semi-definite"):
        model = cls(kernel="precomputed", max_iter=10_000).fit(indefinite, y)
    assert np.all(np.isfinite(model.dual_coef_))
    assert model.predict(indefinite).shape == (20,)


def test_sigmoid_kernel_is_silent_where_it_is_harmless():
    mercer.SVC(kernel="sigmoid", gamma=1e-3).fit(X, y)
    with pytest.warns(IndefiniteKernelWarning, match="Sigmoid"):
        mercer.SVC(kernel="sigmoid", gamma=5.0, coef0=-3.0).fit(X, y)


@pytest.mark.parametrize("cls", ALL)
def test_negative_weights(cls):
    weight = np.ones(20)
    weight[:2] = -1.0
    with pytest.warns(UserWarning, match="2 of 20 sample weights are negative"):
        model = cls(gamma=0.5).fit(X, y, sample_weight=weight)
    without = cls(gamma=0.5).fit(X[2:], y[2:])
    assert model.predict(X) == pytest.approx(without.predict(X), abs=1e-2)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        cls().fit(X, y, sample_weight=np.zeros(20))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "dag"])
def test_class_without_weight(multi_class):
    labels = np.arange(20) % 3
    weight = (labels != 1).astype(float)
    with pytest.raises(ValueError, match=r"Classes \[1\] have no sample"):
        mercer.SVC(multi_class=multi_class).fit(X, labels, sample_weight=weight)
    with pytest.raises(ValueError, match="same class"):
        mercer.SVC().fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match="class_weight must not be negative"):
        mercer.SVC(class_weight={0: -1.0}).fit(X, y)


def test_infeasible_nu():
    labels = (np.arange(20) < 3).astype(int)
    with pytest.raises(ValueError, match=r"nu is infeasible.*nu <= 0\.3"):
        mercer.NuSVC(nu=0.5).fit(X, labels)
    mercer.NuSVC(nu=0.5, class_weight="balanced").fit(X, labels)
    mercer.NuSVC(nu=0.5, fit_intercept=False).fit(X, labels)


PARAMETERS = {
    "C": [0.0, -1.0, np.nan, "1", None, True],
    "nu": [0.0, -0.1, 1.1, np.nan, "0.5"],
    "epsilon": [-0.1, np.inf, "a"],
    "kernel": ["gauss", 3, None],
    "degree": [-1, 2.5],
    "gamma": [-1.0, "median", np.nan, None],
    "coef0": [np.inf, "x"],
    "tol": [0.0, -1e-3, np.inf],
    "cache_size": [0, -1, "all"],
    "max_iter": [-2, 1.5],
    "time_limit": [0, -1, "soon"],
    "n_jobs": [0, 1.5],
    "class_weight": ["heavy", 3],
    "decision_function_shape": ["ovx"],
    "multi_class": ["multinomial"],
    "loss": ["square"],
    "fit_intercept": ["yes"],
}


@pytest.mark.parametrize("cls", ALL)
def test_parameters_out_of_range(cls):
    tried = 0
    for name, values in PARAMETERS.items():
        if name not in cls().get_params():
            continue
        for value in values:
            with pytest.raises(ValueError, match=f"'{name}' parameter of {cls.__name__} must be"):
                cls(**{name: value}).fit(X, y)
            tried += 1
    assert tried > 20


def test_combinations_that_make_no_sense():
    with pytest.raises(ValueError, match="needs pairwise machines"):
        mercer.SVC(multi_class="ovr", decision_function_shape="ovo").fit(X, np.arange(20) % 3)
    with pytest.raises(ValueError, match="NuSVR needs a finite C"):
        mercer.NuSVR(C=np.inf).fit(X, y)


@pytest.mark.parametrize("cls", ALL)
def test_text_and_object_columns(cls):
    with pytest.raises(ValueError, match="could not convert string"):
        cls().fit(np.array([["a", "b"]] * 20), y)
    with pytest.raises((ValueError, TypeError), match=r"argument must be|could not convert"):
        cls().fit(np.array([[{}, 1.0]] * 20, dtype=object), y)
    cls().fit(X.astype(object), y)
    if "SVR" in cls.__name__:
        with pytest.raises(ValueError, match=r"could not convert|[Uu]nknown label|string"):
            cls().fit(X, np.array(["low", "high"] * 10))


@pytest.mark.parametrize("cls", ALL)
def test_numbers_too_large(cls):
    with pytest.raises(ValueError, match=r"^The dual coefficients .* square overflows float64"):
        cls().fit(1e200 * X, y)
    with pytest.raises(ValueError, match="square overflows float32"):
        cls().fit((1e30 * X).astype(np.float32), y)


@pytest.mark.parametrize("cls", ALL)
def test_bad_kernel_functions(cls):
    with pytest.raises(ValueError, match="must return a 20 x 20 matrix"):
        cls(kernel=lambda a, b: np.ones((2, 2))).fit(X, y)
    with pytest.raises(ValueError, match="NaN or infinite"):
        cls(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X, y)
    with pytest.raises(ZeroDivisionError):
        cls(kernel=lambda a, b: 1 / 0).fit(X, y)


def test_more_memory_than_the_limit():
    with (
        mercer._config.config(memory_limit="1kB"),
        pytest.raises(MemoryLimitError, match="callable kernel, 20 x 20"),
    ):
        mercer.SVC(kernel=lambda a, b: a @ b.T).fit(X, y)


@pytest.mark.parametrize("cls", ALL)
def test_not_fitted(cls):
    model = cls()
    with pytest.raises(NotFittedError):
        model.predict(X)
    for name in ("n_support_", "diagnostics_", "solution_", "solutions_"):
        assert not hasattr(model, name)


def test_sparse_queries_to_a_dense_machine():
    with pytest.raises(ValueError, match="cannot use sparse input in 'SVC'"):
        mercer.SVC().fit(X, y).predict(sparse.csr_array(X))


def test_lists_of_different_lengths_are_no_labels():
    with pytest.raises(ValueError, match="2 values for row 0 but not for row 1"):
        mercer.SVC().fit([[0.0], [1.0]], [[0, 1], [1]])


def test_sizes_that_rounding_cannot_join_are_told_with_what_to_do():
    rows = rng.normal(size=(12, 3)) * [1e-150, 1.0, 1e150]
    for X in (rows, sparse.csr_array(rows)):
        with pytest.raises(ValueError, match=r"columns differ too much in size\. Scale them"):
            RidgeRegression(solver="dual").fit(X, np.arange(12.0))


def test_columns_of_very_different_size_end_without_a_limit_of_the_users():
    """No step of the solver gets anywhere; without a limit it went on for ever."""
    rows = rng.normal(size=(24, 3)) * [1e-8, 1.0, 1e8]
    with pytest.warns(ConvergenceWarning, match=r"max_iter=-1, 10,0\d\d,\d\d\d here"):
        mercer.SVC(kernel="linear").fit(rows, np.arange(24) % 2)
    assert most_steps(5000) == 5 * 10**7


@pytest.mark.parametrize("learner", [MixtureClustering(), PolynomialRegression()])
def test_squares_of_many_columns_are_refused_before_they_are_made(learner):
    wide = rng.normal(size=(6, 3000))
    with mercer.config(memory_limit="100 MB"), pytest.raises(MemoryError, match="columns needs"):
        learner.fit(wide, np.arange(6.0))


def test_coordinates_of_equal_rows_say_nothing_of_others():
    model = LaplacianEigenmaps(affinity="kernel").fit(np.ones((12, 2)))
    assert np.isfinite(model.embedding_).all()
    with pytest.raises(ValueError, match="nothing of other rows"):
        model.transform([[1.0, 1.0]])
