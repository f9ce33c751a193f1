"""Edge cases of the house for every margin, discriminant, regression and neighbour learner.

scikit-learn's own checks run elsewhere; here is what they do not ask.
"""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import mercer
from mercer.learners import discriminant, margin, metric, multiclass, online, regression

CLASSIFIERS = [
    mercer.SVC(gamma=0.5),
    mercer.SVC(gamma=0.5, loss="squared_hinge"),
    mercer.NuSVC(gamma=0.5, nu=0.3),
    margin.Perceptron(),
    margin.KernelPerceptron(gamma=0.5),
    margin.AdaptiveMarginMachine(gamma=0.5),
    margin.LeaveOneOutMachine(gamma=0.5),
    discriminant.RegularisedRiskClassifier(gamma=0.5),
    discriminant.KernelLogistic(gamma=0.5),
    discriminant.LogisticClassifier(),
    discriminant.FisherDiscriminant(),
    discriminant.KernelFisher(gamma=0.5),
    discriminant.ExponentialFamilyClassifier(),
    discriminant.ParzenClassifier(gamma=0.5),
    discriminant.LinearERM(method="hinge"),
    discriminant.FiniteClassERM(),
    metric.KNNClassifier(1),
    metric.CondensedNearestNeighbour(),
    multiclass.OneVsRest(mercer.SVC(gamma=0.5)),
    multiclass.OneVsOne(mercer.SVC(gamma=0.5)),
    multiclass.DecisionDAG(mercer.SVC(gamma=0.5)),
    multiclass.CrammerSingerSVC(gamma=0.5),
    online.Halving(),
]
REGRESSORS = [
    mercer.SVR(gamma=0.5),
    mercer.NuSVR(gamma=0.5),
    mercer.KernelRidge(kernel="rbf", gamma=0.5),
    regression.RegularisedRiskRegressor(gamma=0.5),
    regression.LeastSquares(),
    regression.RidgeRegression(),
    regression.LassoRegression(),
    regression.PolynomialRegression(),
    metric.KNNRegressor(3),
]
ALL = CLASSIFIERS + REGRESSORS
# One constant label; a fixed grid of stumps; each row judged by the other one, of the other class.
CANNOT_TELL_TWO_ROWS = (
    discriminant.FiniteClassERM,
    online.Halving,
    margin.LeaveOneOutMachine,
)

rng = np.random.default_rng(0)
Y = np.repeat([0, 1], 15)
X = np.round(rng.normal(size=(30, 3)), 3)
X[:, 0] += 3.0 * Y
X[:, 2] = 1.5  # constant
TARGET = X[:, 0] + 0.1 * rng.normal(size=30)


def named(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=lambda e: repr(e)[:60])


def target_of(estimator):
    return Y if is_classifier(estimator) else TARGET


def fitted(estimator, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
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
    if isinstance(estimator, CANNOT_TELL_TWO_ROWS):
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


def weighted(estimator):
    """Leaving one of two equal rows out is not leaving out a row of weight two."""
    return has_fit_parameter(estimator, "sample_weight") and not isinstance(
        estimator, margin.LeaveOneOutMachine
    )


@named([e for e in ALL if weighted(e)])
def test_a_weight_of_two_is_a_row_twice(estimator):
    y = target_of(estimator)
    weight = np.where(np.arange(30) % 3 == 0, 2, 1)
    options = {}
    if "tol" in estimator.get_params():
        options["tol"] = 1e-8
    estimator = clone(estimator).set_params(**options)
    heavy = fitted(estimator, X, y, sample_weight=weight.astype(float))
    twice = fitted(estimator, np.repeat(X, weight, axis=0), np.repeat(y, weight))
    if hasattr(heavy, "decision_function"):
        one, two = heavy.decision_function(X), twice.decision_function(X)
    else:
        one, two = heavy.predict(X), twice.predict(X)
    assert_allclose(one, two, rtol=1e-3, atol=2e-3 * max(1.0, float(np.ptp(two))))


@named([e for e in ALL if "kernel" in e.get_params(deep=False)])
def test_a_precomputed_matrix_is_the_kernel(estimator):
    y = target_of(estimator)
    kernel = mercer.kernels.Gaussian(1.0)
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
