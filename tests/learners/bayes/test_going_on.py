"""Bayesian machines that go on from their last fit, and that stop when their time is over."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer.learners.bayes import (
    BayesPointMachine,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
    SparseGaussianProcessRegressor,
)
from mercer.learners.multiclass import CrammerSingerSVC

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
Y = np.sin(2.0 * X[:, 0]) + 0.1 * RNG.normal(size=60)
LABELS = (Y > 0).astype(int)
THREE = np.digitize(Y, [-0.4, 0.4])


@pytest.mark.parametrize("solver", ["auto", "sequential", "text"])
@pytest.mark.parametrize(
    ("cls", "target"), [(RelevanceVectorRegressor, Y), (RelevanceVectorClassifier, LABELS)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # pruning is slow
def test_a_settled_relevance_machine_stays(cls, target, solver):
    model = cls(solver=solver, warm_start=True).fit(X, target)
    value, steps = model.log_marginal_likelihood_value_, model.n_iter_
    again = model.fit(X, target)
    assert again.log_marginal_likelihood_value_ >= value - 1e-2
    assert again.n_iter_ < max(steps, 5) or not model.fitted_.machines[0].converged


@pytest.mark.parametrize(
    ("cls", "target"), [(RelevanceVectorRegressor, Y), (RelevanceVectorClassifier, LABELS)]
)
def test_a_relevance_machine_whose_time_is_over(cls, target):
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        short = cls(solver="sequential", time_limit=1e-9).fit(X, target)
    assert short.n_iter_ < cls(solver="sequential").fit(X, target).n_iter_


def test_a_billiard_goes_on():
    model = BayesPointMachine(tol=0.05, warm_start=True, random_state=0).fit(X, LABELS)
    before = model.dual_coef_.copy()
    assert_allclose(model.fit(X, LABELS).dual_coef_, before, atol=0.05 * np.abs(before).max())
    assert model.n_iter_ == 1  # it had settled
    other = model.fit(X[::-1], LABELS[::-1])  # other rows: only the start is taken over
    assert other.n_iter_ > 1


@pytest.mark.parametrize("solver", ["billiard", "gibbs", "perceptrons"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_game_whose_time_is_over(solver):
    model = BayesPointMachine(solver=solver, time_limit=1e-9, random_state=0).fit(X, LABELS)
    assert model.n_iter_ < 30
    assert model.score(X, LABELS) > 0.7


def test_processes_search_on_from_where_they_were():
    options = {"optimizer": "fmin_l_bfgs_b", "warm_start": True, "noise": "learn"}
    model = mercer.GaussianProcessRegressor(**options).fit(X, Y)
    value, cost = model.log_marginal_likelihood_value_, model.n_evaluations_
    again = model.fit(X, Y)
    assert again.log_marginal_likelihood_value_ >= value - 1e-3
    assert again.n_evaluations_ < cost


def test_a_sparse_process_refines_on():
    model = SparseGaussianProcessRegressor(n_inducing=15, refine=3, random_state=0, warm_start=True)
    bound, points = model.fit(X, Y).elbo_, model.inducing_points_
    again = model.fit(X, Y)
    assert again.elbo_ >= bound - 1e-6
    assert_array_equal(again.inducing_points_, points)


def test_a_joint_machine_goes_on_and_takes_another_price():
    model = CrammerSingerSVC(gamma=0.5, warm_start=True).fit(X, THREE)
    before = model.decision_function(X)
    assert model.fit(X, THREE).n_iter_ <= 1
    assert_allclose(model.decision_function(X), before, atol=1e-2)
    cold = CrammerSingerSVC(gamma=0.5, C=0.3).fit(X, THREE)
    warm = model.set_params(C=0.3).fit(X, THREE)
    assert_allclose(warm.joint_.dual, cold.joint_.dual, rtol=1e-3)
    other = model.fit(X, THREE[::-1])  # other labels: coefficients of the wrong sign are dropped
    assert other.joint_.converged
