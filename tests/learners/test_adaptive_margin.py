"""Leave-one-out and adaptive margin machines: definition, limits, evidence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import NothingLearnedWarning
from mercer.datasets import make_ringnorm
from mercer.kernels import Gaussian, Linear
from mercer.learners.margin import AdaptiveMarginMachine, LeaveOneOutMachine, amm_path

X, Y, LAW = make_ringnorm(320, d=4, random_state=2)
KERNEL = Gaussian(1.5)


def by_definition(K, y, lam):
    """(2.57)-(2.58) written out and given to HiGHS; the objective."""
    n = len(y)
    left = np.outer(y, y) * K - lam * np.diag(np.diag(K))
    matrix = np.hstack([-left, -np.eye(n)])
    cost = np.concatenate([np.zeros(n), np.ones(n)])
    return linprog(cost, A_ub=matrix, b_ub=-np.ones(n), bounds=(0, None)).fun


@pytest.mark.parametrize("lam", [0.2, 1.0, 1.7])
@pytest.mark.parametrize("kernel", [KERNEL, Linear() + 1.0], ids=["gaussian", "linear"])
def test_objective_by_definition_where_k_of_x_x_is_not_one(lam, kernel):
    rows = slice(0, 60)
    model = AdaptiveMarginMachine(lam, kernel=kernel).fit(X[rows], Y[rows])
    expected = by_definition(kernel(X[rows]), Y[rows], lam)
    assert model.objective_ == pytest.approx(expected, abs=1e-5)
    reached = Y[rows] * model.decision_function(X[rows])
    alpha = np.zeros(60)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    needed = 1 - model.slacks_ + lam * alpha * kernel.diag(X[rows])
    assert np.all(reached >= needed - 1e-6)


def test_the_leave_one_out_machine_lets_nobody_classify_itself():
    model = LeaveOneOutMachine(kernel=KERNEL).fit(X, Y)
    alpha = np.zeros(320)
    alpha[model.support_] = model.dual_coef_[0]
    K = KERNEL(X)
    np.fill_diagonal(K, 0.0)
    assert_allclose(model.slacks_, np.maximum(1 - Y * (K @ alpha), 0), atol=1e-8)
    assert model.objective_ == pytest.approx(model.slacks_.sum())
    amm = AdaptiveMarginMachine(1.0, kernel=KERNEL).fit(X, Y)
    assert_allclose(amm.decision_function(X), model.decision_function(X))


def test_lambda_from_none_to_too_much():
    lambdas = [0.0, 0.3, 0.6, 1.0, 2.0, 100.0]
    with pytest.warns(NothingLearnedWarning):  # of the last
        path = amm_path(X[:150], Y[:150], lambdas, AdaptiveMarginMachine(kernel=Gaussian(1.0)))
    assert np.all(np.diff(path.objectives) >= -1e-6)
    assert path.objectives[0] < 1e-4  # separable by this kernel: nothing stops λ = 0
    assert path.training_errors[0] == 0
    assert path.objectives[-1] == pytest.approx(150)
    assert path.n_support[-1] == 0
    one = AdaptiveMarginMachine(0.6, kernel=Gaussian(1.0)).fit(X[:150], Y[:150])
    assert path.objectives[2] == pytest.approx(one.objective_, abs=1e-6)


def test_the_path_saves_steps_and_changes_nothing():
    lambdas = np.linspace(0.4, 0.6, 5)
    path = amm_path(X, Y, lambdas, AdaptiveMarginMachine(kernel=KERNEL))
    cold = [AdaptiveMarginMachine(lam, kernel=KERNEL).fit(X, Y) for lam in lambdas]
    assert_allclose(path.objectives, [model.objective_ for model in cold], atol=1e-6)
    assert path.steps[1:].sum() < sum(model.n_iter_ for model in cold[1:])


def test_the_compression_set_alone_rebuilds_the_machine():
    model = AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X, Y)
    assert model.programme_.unique
    reached = Y * model.decision_function(X)
    alpha = np.zeros(320)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    kept = (alpha > 0) | (reached < 1 + 0.5 * alpha + 1e-5)
    again = clone(model).fit(X[kept], Y[kept])
    assert model.evidence_.compression.size == kept.sum() < 320
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5, rtol=1e-5)
    assert np.all(model.predict(X[~kept]) == Y[~kept])
    assert {"scenario", "compression"} <= set(model.certificates_)


def test_evidence_agrees_with_predict():
    model = AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X, Y)
    evidence = model.evidence_
    assert evidence.formulation == "amm"
    assert LeaveOneOutMachine(kernel=KERNEL).fit(X[:50], Y[:50]).evidence_.formulation == "loom"
    assert evidence.errors == np.sum(model.predict(X) != Y)
    assert_allclose(evidence.margins, Y * model.decision_function(X), atol=1e-9)
    coef = model.dual_coef_[0]
    K = KERNEL(model.support_vectors_)
    assert evidence.norm == pytest.approx(np.sqrt(coef @ K @ coef))
    weighted = AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X, Y, np.linspace(1, 2, 320))
    assert weighted.evidence_.compression is None


def test_outliers_are_not_chased():
    """A hard machine bends around a wrong label; an adaptive one gives it no weight to stand on."""
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal([-2, 0], 0.5, (40, 2)), rng.normal([2, 0], 0.5, (40, 2))])
    labels = np.repeat([-1, 1], 40)
    labels[0] = 1
    calm = AdaptiveMarginMachine(1.0, kernel=Gaussian(1.0)).fit(points, labels)
    hard = mercer.SVC(kernel=Gaussian(1.0), C=np.inf).fit(points, labels)
    assert calm.predict(points[:1])[0] == -1
    assert hard.predict(points[:1])[0] == 1


def test_rows_of_weight_zero_are_left_out():
    weight = np.ones(320)
    weight[:20] = 0.0
    model = AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X, Y, weight)
    without = AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X[20:], Y[20:])
    assert_allclose(model.decision_function(X), without.decision_function(X), atol=1e-7)
    assert model.evidence_.n == 300


def test_limits_and_refusals():
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        AdaptiveMarginMachine(0.5, kernel=KERNEL, max_iter=2).fit(X, Y)
    with pytest.raises(ValueError, match="'reg_param' parameter"):
        AdaptiveMarginMachine(-0.1).fit(X, Y)
    with mercer.config(memory_limit="1MB"), pytest.raises(MemoryError, match="linear programme"):
        AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X, Y)
    with pytest.raises(ValueError, match="shape"):
        amm_path(X, Y, 0.5)


def test_precomputed_and_progress(capsys):
    K = KERNEL(X)
    model = AdaptiveMarginMachine(0.5, kernel="precomputed", verbose=True).fit(K, Y)
    assert "AdaptiveMarginMachine" in capsys.readouterr().err
    plain = AdaptiveMarginMachine(0.5, kernel=KERNEL).fit(X, Y)
    assert_allclose(model.decision_function(K), plain.decision_function(X), atol=1e-8)
