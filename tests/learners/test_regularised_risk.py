"""Regularised risk for any convex loss: twins, gaps, brute force in feature space, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC as TheirSVC
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
)

from mercer import SVC, SVR, KernelRidge, certified_fit
from mercer.kernels import Gaussian, Linear
from mercer.learners.discriminant import KernelLogistic, RegularizedRiskClassifier
from mercer.learners.regression import RegularizedRiskRegressor
from mercer.losses import EpsilonInsensitive, Hinge, Huber, Logistic, MarginLoss, Quantile, Square

A = np.array([(2, 0), (4, -4), (-3, -3), (-2, -1), (2, -1), (4, 2)], dtype=float)
B = np.vstack([A, [(-1, 1), (1, 1)]])
LABELS = np.array([1, -1, -1, -1, 1, 1, 1, -1])
R = np.array([-2.0, -1, 0, 1, 2, 3])[:, None]
T = np.array([-0.9, -0.8, 0, 0.8, 0.9, 0.1])

CLASSIFIER_LOSSES = ["hinge", "squared_hinge", "logistic", "exponential", "square"]
REGRESSOR_LOSSES = [Square(), EpsilonInsensitive(0.1), Huber(0.3), Quantile(0.8)]

ESTIMATORS = [
    RegularizedRiskClassifier(),
    RegularizedRiskClassifier("hinge"),
    RegularizedRiskRegressor(),
    RegularizedRiskRegressor("quantile"),
    KernelLogistic(),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_weights_are_repetitions(estimator):
    if getattr(estimator, "loss", "") == "quantile":
        estimator = RegularizedRiskRegressor(Huber(0.5))  # a quantile need not be unique
    estimator.set_params(gamma=0.3, tol=1e-15)
    check_sample_weight_equivalence_on_dense_data(type(estimator).__name__, estimator)


def draw(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 0.3, 1, -1)
    return X, y, np.sin(X[:, 0]) + 0.2 * rng.normal(size=n)


# -- known machines --------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_hinge_is_the_support_vector_machine(fit_intercept):
    X, y, _ = draw()
    ours = RegularizedRiskClassifier("hinge", gamma=0.5, fit_intercept=fit_intercept, tol=1e-9)
    theirs = SVC(gamma=0.5, fit_intercept=fit_intercept, tol=1e-8).fit(X, y)
    assert_allclose(ours.fit(X, y).decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_squared_hinge_is_the_quadratic_soft_margin():
    X, y, _ = draw()
    ours = RegularizedRiskClassifier("squared_hinge", gamma=0.5, C=2.0).fit(X, y)
    theirs = SVC(gamma=0.5, C=2.0, loss="squared_hinge", tol=1e-8).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


def test_tube_is_support_vector_regression_and_square_is_kernel_ridge():
    X, _, t = draw()
    tube = RegularizedRiskRegressor(EpsilonInsensitive(0.1), gamma=0.5, tol=1e-10).fit(X, t)
    assert_allclose(tube.predict(X), SVR(gamma=0.5, tol=1e-8).fit(X, t).predict(X), atol=1e-4)
    square = RegularizedRiskRegressor(gamma=0.5, C=2.0).fit(X, t)
    ridge = KernelRidge(0.25, kernel="rbf", gamma=0.5, fit_intercept=True).fit(X, t)
    assert_allclose(square.predict(X), ridge.predict(X), atol=1e-9)


def test_linear_logistic_is_scikit_learn_s():
    X, y, _ = draw()
    ours = RegularizedRiskClassifier("logistic", kernel="linear", C=0.7).fit(X, y)
    theirs = LogisticRegression(C=0.7, tol=1e-10).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    probability = KernelLogistic(kernel="linear", C=0.7).fit(X, y).predict_proba(X)
    assert_allclose(probability, theirs.predict_proba(X), atol=1e-5)


def test_golden_values():
    soft = RegularizedRiskClassifier("hinge", kernel="linear", fit_intercept=False, tol=1e-12).fit(
        B, LABELS
    )
    assert_allclose(soft.dual_coef_ @ B, [0.375, 0.625], atol=1e-6)
    assert_allclose(soft.objective_, 4.140625, atol=1e-8)
    # λm = 0.5, so the price of the squared slack is C = 1
    quadratic = RegularizedRiskClassifier(
        "squared_hinge", kernel="linear", fit_intercept=False, tol=1e-13
    ).fit(B, LABELS)
    assert_allclose(quadratic.dual_coef_ @ B, [0.173324, 0.330399], atol=1e-6)
    assert_allclose(quadratic.objective_, 4.67840217, atol=1e-7)
    tube = RegularizedRiskRegressor(
        EpsilonInsensitive(0.1), kernel=Gaussian(1.0), fit_intercept=False, tol=1e-12
    ).fit(R, T)
    wanted = [-0.551072, -0.416511, 0, 0.308098, 0.825538, -0.342269]
    assert_allclose(tube.dual_coef_, wanted, atol=1e-5)
    assert_allclose(tube.objective_, 0.77002980, atol=1e-8)
    # GP classification at the mode: K plus 0.1 on the diagonal, standard logistic, C = 1
    K = Gaussian(2.0)(B) + 0.1 * np.eye(8)
    mode = RegularizedRiskClassifier("logistic", kernel="precomputed", fit_intercept=False)
    alpha = mode.set_params(tol=1e-14).fit(K, LABELS).dual_coef_
    wanted = [0.375241, -0.412717, -0.361335, -0.401975, 0.382315, 0.380619, 0.466840, -0.548394]
    assert_allclose(alpha, wanted, atol=1e-6)


# -- duality and brute force -----------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", [*CLASSIFIER_LOSSES, *REGRESSOR_LOSSES], ids=str)
def test_gap_is_closed_and_splitting_agrees(loss, fit_intercept):
    X, y, t = draw(60)
    kind = RegularizedRiskClassifier if isinstance(loss, str) else RegularizedRiskRegressor
    target = y if isinstance(loss, str) else t
    model = kind(loss, gamma=0.5, fit_intercept=fit_intercept, tol=1e-7).fit(X, target)
    assert 0 <= model.dual_gap_ + 1e-10 <= 1e-6 * max(1.0, model.objective_)
    twin = kind(loss, gamma=0.5, fit_intercept=fit_intercept, tol=1e-6, solver="splitting")
    assert_allclose(twin.fit(X, target).objective_, model.objective_, rtol=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "exponential", "square"])
def test_the_representer_theorem(loss):
    """Minimising over w in an explicit feature space gives the same predictions."""
    X, y, _ = draw(40)
    model = RegularizedRiskClassifier(loss, kernel="linear", C=0.5, tol=1e-12).fit(X, y)

    def objective(v):
        return 0.5 * v[:2] @ v[:2] + 0.5 * model.loss_.value(X @ v[:2] + v[2], y).sum()

    best = minimize(objective, np.zeros(3), options={"gtol": 1e-9})
    assert_allclose(model.decision_function(X), X @ best.x[:2] + best.x[2], atol=1e-4)
    assert model.objective_ <= best.fun + 1e-9


def test_quantiles_cover_what_they_should():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(300, 1))
    t = np.sin(X[:, 0]) + 0.3 * rng.normal(size=300)
    for level in (0.1, 0.5, 0.9):
        model = RegularizedRiskRegressor(Quantile(level), C=1.0, gamma=1.0).fit(X, t)
        below = np.mean(t <= model.predict(X) + 1e-6)
        assert abs(below - level) < 0.05


def test_a_loss_of_your_own():
    class Cubed(MarginLoss):
        """max(1 − y f, 0)³, which Mercer does not have."""

        def _value(self, t):
            return np.maximum(1 - t, 0) ** 3

        def _slope(self, t):
            return -3 * np.maximum(1 - t, 0) ** 2

        def _conjugate(self, s):
            v = np.maximum(-s, 0)
            return np.where(s <= 1e-12, -v + 2 * (v / 3) ** 1.5, np.inf)

    X, y, _ = draw(50)
    model = RegularizedRiskClassifier(Cubed(), kernel="linear", tol=1e-6).fit(X, y)
    assert model.solver_ == "splitting"

    def objective(v):
        return 0.5 * v[:2] @ v[:2] + Cubed().value(X @ v[:2] + v[2], y).sum()

    assert_allclose(model.objective_, minimize(objective, np.zeros(3)).fun, rtol=1e-5)


# -- data, evidence, mistakes ----------------------------------------------------------------------


def test_sparse_precomputed_and_labels_of_any_kind():
    X, y, _ = draw()
    names = np.where(y > 0, "yes", "no")
    dense = RegularizedRiskClassifier(gamma=0.5).fit(X, names)
    assert set(dense.predict(X)) == {"no", "yes"}
    rows = sparse.csr_array(X)
    thin = RegularizedRiskClassifier(gamma=0.5).fit(rows, names)
    assert_allclose(thin.decision_function(rows), dense.decision_function(X), atol=1e-8)
    K = Gaussian(1.0)(X)
    given = RegularizedRiskClassifier(kernel="precomputed").fit(K, names)
    assert_allclose(given.decision_function(K), dense.decision_function(X), atol=1e-8)


def test_evidence_and_certificates():
    X, y, t = draw()
    model = RegularizedRiskClassifier("hinge", kernel=Gaussian(1.0), fit_intercept=False).fit(X, y)
    evidence = model.evidence_
    K = Gaussian(1.0)(X)
    assert_allclose(evidence.norm, np.sqrt(model.dual_coef_ @ K @ model.dual_coef_))
    assert_allclose(evidence.margins, y * model.decision_function(X), atol=1e-9)
    assert evidence.errors == np.count_nonzero(model.predict(X) != y)
    assert {"stability", "gaussian-margin"} <= set(model.certificates_)
    other = RegularizedRiskClassifier("exponential", kernel=Gaussian(1.0)).fit(X, y)
    assert "stability" not in other.certificates_
    assert other.certificate_ is not None
    tube = RegularizedRiskRegressor(EpsilonInsensitive(0.2), gamma=0.5).fit(X, t).evidence_
    assert (tube.tube, tube.loss) == (0.2, "epsilon-insensitive")
    certified = certified_fit(RegularizedRiskClassifier(), X, y, mode="holdout")
    assert certified.certificate_.value <= 1.0


def test_the_stability_of_losses_steeper_than_one_is_not_that_of_the_plain_one():
    X, y, _ = draw()
    for loss, plain in ((Logistic(), True), (Logistic(0.5), True), (Logistic(9.0), False)):
        model = RegularizedRiskClassifier(loss, kernel=Gaussian(1.0), fit_intercept=False)
        assert ("stability" in model.fit(X, y).certificates_) == plain
    bits = RegularizedRiskClassifier(
        Logistic(base_two=True), kernel=Gaussian(1.0), fit_intercept=False
    )
    assert "slope 1.4427" in bits.fit(X, y).not_applicable_["stability"]


def test_huge_prices_and_far_rows_stay_finite():
    X, y, _ = draw(40)
    for loss in CLASSIFIER_LOSSES[1:]:
        model = RegularizedRiskClassifier(loss, C=1e4, gamma=0.5, max_iter=400).fit(1e3 * X, y)
        assert np.all(np.isfinite(model.decision_function(1e3 * X)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RegularizedRiskClassifier("zero_one"), "not convex"),
        (lambda: RegularizedRiskClassifier("hing"), "unknown loss"),
        (lambda: RegularizedRiskClassifier("hinge", solver="newton"), "has kinks"),
        (lambda: RegularizedRiskClassifier(solver="working sets"), "knows the hinge"),
        (lambda: RegularizedRiskClassifier(C=0.0), "'C' parameter"),
        (lambda: RegularizedRiskClassifier(kernel="gauss"), "'kernel' parameter"),
    ],
)
def test_mistakes_are_named(make, message):
    X, y, _ = draw(20)
    with pytest.raises(ValueError, match=message):
        make().fit(X, y)


def test_more_mistakes():
    X, y, t = draw(20)
    with pytest.raises(ValueError, match="for labels"):
        RegularizedRiskRegressor(Hinge()).fit(X, t)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        RegularizedRiskClassifier(kernel="precomputed").fit(-5 * Linear()(X), y)


def test_a_stopped_search_says_so():
    X, y, _ = draw(40)
    with pytest.warns(UserWarning, match="duality gap"):
        RegularizedRiskClassifier(Logistic(), C=1e3, max_iter=1).fit(X, y)


def test_against_libsvm_with_weights():
    X, y, _ = draw()
    weight = np.random.default_rng(1).uniform(0.2, 3, len(y))
    ours = RegularizedRiskClassifier("hinge", gamma=0.5, tol=1e-10).fit(X, y, weight)
    theirs = TheirSVC(gamma=0.5, tol=1e-8).fit(X, y, weight)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
