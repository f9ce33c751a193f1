"""Logistic classification and empirical risk minimisation, against brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import null_space
from scipy.optimize import linprog
from scipy.special import logsumexp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from mercer.bounds import Evidence
from mercer.bounds.finite_class import FiniteClass
from mercer.datasets import GaussianPair
from mercer.learners.discriminant import (
    FiniteClassERM,
    LinearERM,
    LogisticClassifier,
    log_sum_exp,
    softmax,
)
from mercer.solvers.softmax import SoftmaxRisk

LAW = GaussianPair([-1.0, 0.0], [1.0, 0.5])
# -- logistic --------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5]), st.booleans())
@settings(max_examples=20)
def test_gradient_and_hessian_against_differences(seed, classes, fit_intercept):
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(12, 3)), rng.integers(classes, size=12)
    risk = SoftmaxRisk(X, codes, rng.uniform(0.1, 2, 12), classes, 0.3, fit_intercept)
    beta = rng.normal(size=risk.rows * risk.outputs)
    _, gradient = risk.value_and_gradient(beta)
    step = 1e-6 * np.eye(len(beta))
    values = [
        risk.value_and_gradient(beta + s)[0] - risk.value_and_gradient(beta - s)[0] for s in step
    ]
    assert_allclose(gradient, np.array(values) / 2e-6, rtol=1e-5, atol=1e-6)
    slopes = [
        risk.value_and_gradient(beta + s)[1] - risk.value_and_gradient(beta - s)[1] for s in step
    ]
    assert_allclose(risk.hessian(beta), np.array(slopes) / 2e-6, rtol=1e-4, atol=1e-6)


def test_nothing_overflows():
    scores = np.array([[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4]])
    assert_allclose(log_sum_exp(scores), logsumexp(scores, axis=1))
    assert_allclose(log_sum_exp(scores + 7.0), log_sum_exp(scores) + 7.0)
    assert_allclose(softmax(scores), [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])
    X, y = load_iris(return_X_y=True)
    model = LogisticClassifier().fit(X, y)
    far = 1e6 * X
    assert np.all(np.isfinite(model.predict_log_proba(far)))
    assert_allclose(model.predict_proba(far).sum(axis=1), 1.0)


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_many_classes_as_in_scikit_learn(solver, fit_intercept, C):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weight = np.random.default_rng(0).uniform(0.2, 2, len(y))
    ours = LogisticClassifier(C=C, fit_intercept=fit_intercept, solver=solver, tol=1e-8)
    theirs = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10, max_iter=5000)
    for w in (None, weight):
        ours.fit(X, y, w)
        assert_allclose(ours.predict_proba(X), theirs.fit(X, y, w).predict_proba(X), atol=1e-4)


def test_two_classes_by_every_solver():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:] - X[50:].mean(axis=0), y[50:]
    theirs = LogisticRegression(tol=1e-10, max_iter=5000).fit(X, y)
    for solver in ("newton", "lbfgs", "gradient"):
        ours = LogisticClassifier(solver=solver, tol=1e-6, max_iter=20_000).fit(X, y)
        assert_allclose(ours.coef_, theirs.coef_, atol=2e-2 if solver == "gradient" else 2e-3)
        assert ours.solver_ == solver
    sums = sparse.csr_array(X)
    assert_allclose(LogisticClassifier(tol=1e-8).fit(sums, y).coef_, theirs.coef_, atol=1e-4)
    slow = LogisticClassifier(solver="gradient", tol=1e-3).fit(sums, y)
    assert_allclose(slow.predict(sums), theirs.predict(X))


def test_two_columns_of_softmax_are_the_two_class_method():
    """k = 2 softmax equals logistic with β₁ − β₂, at twice the penalty on the difference."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(30, 2)), rng.integers(2, size=30)
    beta = rng.normal(size=(3, 2))
    wide = SoftmaxRisk(X, codes, np.ones(30), 3, 0.0, True)  # a third class nobody has
    three = np.column_stack([beta, [0.0, 0.0, -800.0]])
    pair = SoftmaxRisk(X, codes, np.ones(30), 2, 0.0, True)
    value, _ = pair.value_and_gradient(beta[:, 1] - beta[:, 0])
    assert value == pytest.approx(wide.value_and_gradient(three.ravel())[0])


def test_descent_with_the_safe_step_never_climbs():
    X, y = load_iris(return_X_y=True)
    for rows in (slice(50, 150), slice(0, 150)):
        values = []
        for steps in (1, 5, 20, 80):
            model = LogisticClassifier(solver="gradient", max_iter=steps, tol=1e-12)
            with pytest.warns(UserWarning, match="did not reach"):
                model.fit(10 * X[rows], y[rows])
            values.append(model.objective_)
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "gradient"])
@pytest.mark.parametrize("rows", [np.array, sparse.csr_array], ids=["dense", "sparse"])
def test_separable_classes_without_a_penalty_are_named(solver, rows):
    X = np.array([[-2.0, 0.3], [-1.0, 1.0], [1.0, 0.2], [2.0, 0.7], [4.0, 0.1], [5.0, 0.0]])
    touching = np.array([[-1.0], [0.0], [0.0], [1.0], [2.0], [3.0]])
    free = LogisticClassifier(C=np.inf, solver=solver)
    for table, y in (
        (X, [0, 0, 1, 1, 1, 1]),
        (X, [0, 0, 1, 1, 2, 2]),
        (touching, [0, 0, 1, 1, 1, 1]),  # two equal rows of different classes at the edge
    ):
        with pytest.warns(ConvergenceWarning, match="C=inf on separable classes has no optimum"):
            free.fit(rows(table), y)
    LogisticClassifier(C=1e3, solver=solver, max_iter=100_000).fit(rows(X), [0, 0, 1, 1, 1, 1])
    mixed = LogisticClassifier(C=np.inf, solver=solver, max_iter=100_000)
    both = np.vstack([X, X[[0, 2, 4]]])  # rows of either class: an optimum, nothing to warn of
    mixed.fit(rows(both), [0, 0, 1, 1, 1, 1, 1, 0, 0])
    assert np.abs(mixed.coef_).max() < 20


# -- the fewest errors -----------------------------------------------------------------------------


def separable(X, y):
    """Whether some plane gives all rows their labels strictly, by a linear programme."""
    lifted = y[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(lifted.shape[1]), -lifted, -np.ones(len(X)), bounds=(None, None))
    return found.status == 0


def fewest_errors(X, y):
    """By dropping ever larger sets of rows until a plane separates the rest."""
    for dropped in range(len(y)):
        for rows in itertools.combinations(range(len(y)), dropped):
            rest = np.setdiff1d(np.arange(len(y)), rows)
            if separable(X[rest], y[rest]):
                return dropped
    return len(y)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2, 3])
def test_enumeration_is_exact(seed, d):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(9, d)), rng.choice([-1, 1], size=9)
    y[:2] = -1, 1
    model = LinearERM().fit(X, y)
    assert round(9 * model.empirical_risk_) == fewest_errors(X, y)
    assert np.count_nonzero(model.predict(X) != y) == round(9 * model.empirical_risk_)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_risk_off_the_plane_is_that_of_the_text(d):
    """L̂ of the l − d rows off the plane, over all planes through d rows, one by one."""
    rng = np.random.default_rng(d)
    for separable in (False, True):
        X = rng.normal(size=(10, d))
        y = np.where(X[:, 0] + 0.1 > 0, 1, -1) if separable else rng.choice([-1, 1], size=10)
        y[:2] = (y[0], y[1]) if separable else (-1, 1)
        model = LinearERM().fit(X, y)
        lifted, best = np.column_stack([X, np.ones(10)]), np.inf
        for subset in itertools.combinations(range(10), d):
            normal = null_space(lifted[list(subset)])[:, 0]
            rest = np.setdiff1d(np.arange(10), subset)
            for side in (1, -1):
                wrong = np.count_nonzero(np.sign(side * lifted[rest] @ normal) != y[rest])
                best = min(best, wrong / (10 - d))
        assert model.off_plane_risk_ == pytest.approx(best)
        assert (
            model.empirical_risk_ <= model.through_risk_ <= model.empirical_risk_ + d / 10 + 1e-12
        )
        if separable:
            assert model.off_plane_risk_ == 0.0
    assert np.isnan(LinearERM(method="hinge").fit(X, y).off_plane_risk_)


def test_enumeration_counts_weights_and_refuses_to_run_for_ever():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    assert LinearERM().fit(X, y).empirical_risk_ == pytest.approx(1 / 3)
    assert LinearERM().fit(X, y, [1, 5, 2]).empirical_risk_ == pytest.approx(1 / 8)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="max_planes"):
        LinearERM().fit(rng.normal(size=(200, 8)), np.arange(200) % 2)


def test_enumeration_beats_the_surrogate_and_both_separate():
    X, y = LAW.sample(60, random_state=3)
    exact, hinge = LinearERM().fit(X, y), LinearERM(method="hinge").fit(X, y)
    assert exact.empirical_risk_ <= hinge.empirical_risk_
    assert exact.evidence_.errors == round(60 * exact.empirical_risk_)
    assert exact.n_planes_ == 60 * 59
    apart = np.where(y > 0, 3.0, -3.0)[:, None] + X
    for method in ("enumerate", "hinge"):
        assert LinearERM(method=method).fit(apart, y).empirical_risk_ == 0


def test_the_exclusive_or_needs_one_error():
    model = LinearERM().fit([[0, 0], [1, 0], [0, 1], [1, 1]], [0, 1, 1, 0])
    assert model.empirical_risk_ == 0.25


def test_best_of_finitely_many():
    law = LAW
    X, y = law.sample(200, random_state=0)
    cuts = np.linspace(-2, 2, 9)
    rules = [lambda X, t=t: np.where(X[:, 0] > t, 1, -1) for t in cuts]
    model = FiniteClassERM(rules).fit(X, y)
    counted = [np.mean(rule(X) != y) for rule in rules]
    assert model.best_ == int(np.argmin(counted))
    assert_allclose(model.risks_, counted)
    assert_allclose(model.predict(X), rules[model.best_](X))
    split = model.split(law, n=20_000)
    assert split.estimation >= 0
    assert split.approximation >= -0.02
    assert split.risk == pytest.approx(split.bayes + split.estimation + split.approximation)
    with pytest.raises(ValueError, match="empty"):
        FiniteClassERM([]).fit(X, y)
    assert FiniteClassERM().fit(X, y).risks_.min() <= 0.5


def test_the_size_of_a_finite_class_is_paid_for():
    """The certificate holds on a law of known risk; that of one rule, size not paid, does not."""
    cuts = np.linspace(-4, 4, 200)
    rules = [lambda X, t=t: np.where(X[:, 0] > t, 1, -1) for t in cuts]
    rng = np.random.default_rng(0)
    broken = 0
    for _ in range(40):  # labels are coins: every rule has risk 1/2
        X, y = rng.uniform(-4, 4, size=(60, 1)), rng.choice([-1, 1], 60)
        model = FiniteClassERM(rules, delta=0.2).fit(X, y)
        assert model.evidence_.log_class_size == pytest.approx(np.log(200))
        paid = {code: c.value for code, c in model.certificates_.items()}
        assert paid["finite-class-hoeffding"] >= paid["finite-class"] >= 0.5
        assert model.certificate_.value == paid["finite-class"]
        errors = model.evidence_.errors
        broken += (
            FiniteClass().evaluate(Evidence(60, errors=errors, log_class_size=0.0), 0.2).value < 0.5
        )
    assert broken > 8  # more than δ = 0.2 of the draws
    chosen_by_data = FiniteClassERM().fit(X, y)
    assert chosen_by_data.evidence_.log_class_size is None
    assert "finite-class" not in chosen_by_data.certificates_


def test_certificates_of_linear_rules():
    X, y = LAW.sample(400, random_state=1)
    for model in (LogisticClassifier().fit(X, y), LinearERM(method="hinge").fit(X, y)):
        assert model.evidence_.errors == np.count_nonzero(model.predict(X) != y)
        assert model.certificate_ is not None
        assert "vc-relative" in model.certificates_


def test_descent_on_sparse_rows_takes_the_same_steps_every_time():
    rows = np.random.default_rng(0).normal(size=(40, 5))
    X, y = sparse.csr_array(np.maximum(rows, 0.0)), np.arange(40) % 2
    first, again = (LogisticClassifier(solver="gradient").fit(X, y).coef_ for _ in range(2))
    assert_array_equal(first, again)
