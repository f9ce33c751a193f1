"""Edge cases of the house for every learner with labels or targets, in the settings it offers.

scikit-learn's own checks run elsewhere; here is what they do not ask.
"""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import mercer
from mercer import NothingLearnedWarning
from mercer.learners import available
from mercer.learners._reasons import reasons


def fixed(example):
    """Nothing read off the rows, so that weights and repetitions can be compared."""
    own = example.get_params(deep=False)
    if "estimator" in own:
        inner = mercer.SVR(gamma=0.5) if is_regressor(example) else mercer.SVC(gamma=0.5)
        return example.set_params(estimator=inner)
    if isinstance(own.get("kernel"), str) and "gamma" in own:
        return example.set_params(gamma=0.5)
    return example


def given(example):
    return example.get_params(deep=False).get("kernel") == "precomputed"


EXAMPLES = [fixed(e) for learner in available().values() for e in learner.examples()]
CLASSIFIERS = [e for e in EXAMPLES if is_classifier(e) and not given(e)]
REGRESSORS = [e for e in EXAMPLES if is_regressor(e) and not given(e)]
ALL = CLASSIFIERS + REGRESSORS
CANNOT_TELL_TWO_ROWS = {
    "FiniteClassERM()": "a fixed grid of stumps",
    "Halving(discount=0.5)": "a fixed grid of stumps",
    "LeaveOneOutMachine(gamma=0.5)": "each row is judged by the other one, of the other class",
    "CondensedNearestNeighbor(method='net', metric='manhattan')": "one row stands for both",
    "LipschitzClassifier(C=0.05)": "slack is cheaper than a slope",
    "RelevanceVectorClassifier()": "two rows speak for no basis function",
}

rng = np.random.default_rng(0)
Y = np.repeat([0, 1], 15)
X = np.round(rng.normal(size=(30, 3)), 3)
X[:, 0] += 3.0 * Y
X[:, 2] = 1.5  # constant
TARGET = X[:, 0] + 0.1 * rng.normal(size=30)


def shown(estimator):
    """A setting on one line."""
    return " ".join(repr(estimator).split())


def named(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=lambda e: shown(e)[:60])


def target_of(estimator):
    return Y if is_classifier(estimator) else TARGET


def fitted(estimator, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", NothingLearnedWarning)  # two rows, coin flips
        return clone(estimator).fit(X, y, **options)


@named(ALL)
def test_constant_columns_and_duplicates_are_no_accident(estimator):
    """Every row twice, one column constant: a prediction for every row, none of them nan."""
    y = target_of(estimator)
    model = fitted(estimator, np.vstack([X, X]), np.concatenate([y, y]))
    answer = model.predict(X)
    if is_classifier(estimator):
        assert set(np.unique(answer)) <= {0, 1}
    else:
        assert np.all(np.isfinite(answer))


@named(CLASSIFIERS)
def test_one_row_per_class(estimator):
    points = np.array([[-1.0, 0.0], [1.0, 0.5]])
    model = fitted(estimator, points, ["a", "b"])
    answer = model.predict(points)
    if shown(estimator) in CANNOT_TELL_TWO_ROWS:
        assert set(answer) <= {"a", "b"}
    else:
        assert_array_equal(answer, ["a", "b"])


@named(ALL)
def test_gaps_are_named(estimator):
    y = target_of(estimator)
    hole = X.copy()
    hole[4, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(estimator).fit(hole, y)
    with pytest.raises(ValueError, match="NaN"):
        fitted(estimator, X, y).predict(hole)


@named(CLASSIFIERS)
@pytest.mark.parametrize("names", [("no", "yes"), (False, True), (-7, 12), (2.0, 3.0)])
def test_labels_of_any_type_come_back(estimator, names):
    labels = np.array(names)[Y]
    model = fitted(estimator, X, labels)
    assert_array_equal(model.classes_, np.unique(labels))
    answer = model.predict(X)
    assert answer.dtype == labels.dtype
    plain = fitted(estimator, X, Y).predict(X)
    assert_array_equal(answer, np.array(names)[plain])


@named(CLASSIFIERS)
def test_labels_of_mixed_types_are_refused(estimator):
    mixed = np.array([0, "one"] * 15, dtype=object)
    with pytest.raises((ValueError, TypeError)):
        clone(estimator).fit(X, mixed)


@named(ALL)
def test_float32_rows_give_nearly_the_same(estimator):
    y = target_of(estimator)
    coarse = X.astype(np.float32)
    one = fitted(estimator, coarse, y).predict(coarse)
    two = fitted(estimator, coarse.astype(np.float64), y).predict(coarse.astype(np.float64))
    if is_classifier(estimator):
        assert np.mean(one != two) <= 0.1
    else:
        assert_allclose(one, two, atol=5e-3 * np.ptp(TARGET))


@named(ALL)
def test_sparse_rows_are_dense_rows_or_refused(estimator):
    y = target_of(estimator)
    rows = sparse.csr_array(X)
    if not get_tags(estimator).input_tags.sparse:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            clone(estimator).fit(rows, y)
        return
    dense = fitted(estimator, X, y).predict(X)
    answer = fitted(estimator, rows, y).predict(rows)
    if is_classifier(estimator):
        assert np.mean(answer != dense) <= 0.1
    else:
        assert_allclose(answer, dense, atol=1e-3 * np.ptp(TARGET))


PRECISION = "a weight is the precision of a target"
SEARCH = "the search starts from statistics that know no weights"
TWICE = "a repeated row is a basis function twice"
CUT = "cells are cut where they have too many rows, copies among them"
DRAWN = "landmarks are drawn from the rows, copies among them"
NO_REPETITIONS = {
    "KernelRidge(alpha='loo', gamma=0.5, kernel='rbf')": "a twin that stays tells a row left out",
    "GaussianProcessRegressor(kernel='auto', noise='auto', normalize_y=True, "
    "optimizer='staged', random_state=0)": PRECISION,
    "GaussianProcessRegressor(kernel='auto', noise='auto', normalize_y=True, "
    "optimizer='staged', random_state=0, solver='cg')": PRECISION,
    "GaussianProcessClassifier(kernel='auto', optimizer='staged', random_state=0)": SEARCH,
    "GaussianProcessClassifier(kernel='auto', multi_class='softmax', optimizer='staged', "
    "random_state=0)": SEARCH,
    "SparseGaussianProcessRegressor(n_inducing=20, n_restarts_optimizer=0, random_state=0, "
    "refine=3)": PRECISION,
    "CellClassifier(cell_size=12, estimator=SVC(gamma=0.5), random_state=0)": CUT,
    "CellRegressor(cell_size=12, estimator=SVR(gamma=0.5), random_state=0)": CUT,
    "NystroemClassifier(gamma=0.5, n_landmarks=20, random_state=0)": DRAWN,
    "RelevanceVectorRegressor()": TWICE,
    "RelevanceVectorClassifier()": TWICE,
}


def test_no_exception_is_about_a_setting_that_is_gone():
    settings = {shown(estimator) for estimator in ALL}
    assert set(NO_REPETITIONS) <= settings
    assert set(CANNOT_TELL_TWO_ROWS) <= settings


def weighted(estimator):
    takes = has_fit_parameter(estimator, "sample_weight")
    other = "copies" in reasons(type(estimator)) or shown(estimator) in NO_REPETITIONS
    return takes and not other


@named([e for e in ALL if weighted(e)])
def test_a_weight_of_two_is_a_row_twice(estimator):
    y = target_of(estimator)
    weight = np.where(np.arange(30) % 3 == 0, 2, 1)
    options = {}
    if "tol" in estimator.get_params():
        options["tol"] = 1e-8
    if "length_scales" in estimator.get_params():
        options["length_scales"] = (0.5, 1.0)  # by default a median over pairs, copies included
    estimator = clone(estimator).set_params(**options)
    heavy = fitted(estimator, X, y, sample_weight=weight.astype(float))
    twice = fitted(estimator, np.repeat(X, weight, axis=0), np.repeat(y, weight))
    if hasattr(heavy, "decision_function"):
        one, two = heavy.decision_function(X), twice.decision_function(X)
    else:
        one, two = heavy.predict(X), twice.predict(X)
    assert_allclose(one, two, rtol=1e-3, atol=2e-3 * max(1.0, float(np.ptp(two))))


def takes_a_matrix(estimator):
    """Inducing points are chosen among rows, of which a matrix has none."""
    own = estimator.get_params(deep=False)
    return "kernel" in own and "inducing" not in own


@named([e for e in ALL if takes_a_matrix(e)])
def test_a_precomputed_matrix_is_the_kernel(estimator):
    y = target_of(estimator)
    kernel = mercer.kernels.Gaussian(1.0)
    if "optimizer" in estimator.get_params():
        estimator = clone(estimator).set_params(optimizer=None)  # a matrix has nothing to search
    by_kernel = fitted(clone(estimator).set_params(kernel=kernel), X, y).predict(X)
    K = kernel(X)
    by_matrix = fitted(clone(estimator).set_params(kernel="precomputed"), K, y).predict(K)
    if is_classifier(estimator):
        assert_array_equal(by_matrix, by_kernel)
    else:
        assert_allclose(by_matrix, by_kernel, atol=1e-3)


@named(ALL)
def test_evidence_and_certificates_are_there(estimator):
    model = fitted(estimator, X, target_of(estimator))
    assert model.evidence_.n == len(X)
    assert model.certificates_ or model.not_applicable_
    for one in model.certificates_.values():
        assert np.isfinite(one.value)
