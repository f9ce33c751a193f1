"""What a fit leaves: answers and evidence follow from it, a failed one leaves the former whole."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import is_regressor

import mercer
from mercer.kernels import Gaussian

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 2))
F = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=40)
QUERY = rng.normal(size=(15, 2))
CHANGED = [
    (
        mercer.GaussianProcessRegressor.automatic(Gaussian(1.0), n_restarts_optimizer=0),
        {"kernel": None, "dtype": "float32", "alpha": 9.0, "normalize_y": False, "optimizer": None},
    ),
    (
        mercer.GaussianProcessClassifier.automatic(Gaussian(1.0)),
        {"kernel": "linear", "dtype": "float32", "inference": "mcmc", "optimizer": None},
    ),
    (
        mercer.SparseGaussianProcessRegressor(
            Gaussian(1.0), n_inducing=10, refine=2, random_state=0
        ),
        {"kernel": None, "n_inducing": 3, "normalize_y": False, "inducing": "random"},
    ),
    (
        mercer.RelevanceVectorRegressor(Gaussian(1.0)),
        {"basis": np.sin, "fit_intercept": False, "kernel": "linear", "noise": 9.0},
    ),
    (
        mercer.RelevanceVectorClassifier(Gaussian(1.0)),
        {"basis": np.sin, "fit_intercept": False, "kernel": "linear", "beta": 9.0},
    ),
    (
        mercer.BayesPointMachine(Gaussian(1.0), solver="gibbs", n_samples=10, random_state=0),
        {"strategy": "gibbs", "reg_param": 0.0, "kernel": "linear", "random_state": 3},
    ),
]


def names(cases):
    return [type(estimator).__name__ for estimator, _ in cases]


def trained(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, target(estimator))


def target(estimator):
    return F if is_regressor(estimator) else np.where(F > 0, "yes", "no")


def answers(model):
    found = [model.predict(QUERY)]
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            found.append(getattr(model, name)(QUERY))
    if is_regressor(model):
        found.extend(model.predict(QUERY, return_std=True))
    return found


def assert_equal(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize(("estimator", "changes"), CHANGED, ids=names(CHANGED))
def test_arguments_changed_after_fit_change_no_answer_and_no_evidence(estimator, changes):
    kept = estimator.get_params()
    before, evidence = answers(trained(estimator)), estimator.evidence_
    trained(estimator).set_params(**changes)
    assert_equal(answers(estimator), before)
    found = estimator.evidence_
    for name in ("n", "learner", "errors", "norm", "risks", "loo", "choices", "posterior"):
        assert getattr(found, name) == getattr(evidence, name), name
    assert_array_equal(found.margins, evidence.margins)
    estimator.set_params(**kept)


@pytest.mark.parametrize("estimator", [case[0] for case in CHANGED], ids=names(CHANGED))
def test_a_fit_that_fails_on_the_way_leaves_the_old_model_whole(estimator):
    model, kernel = trained(estimator), estimator.kernel
    before, state = answers(model), dict(vars(model))

    def breaks(a, b):
        raise ZeroDivisionError

    model.set_params(kernel=breaks)
    with pytest.raises(ZeroDivisionError):
        model.fit(rng.normal(size=(30, 5)), np.arange(30) % 2)
    model.set_params(kernel=kernel)
    assert vars(model) == state
    assert_equal(answers(model), before)


def test_draws_that_somebody_looks_at_change_no_answer():
    model = trained(mercer.GaussianProcessClassifier.automatic(Gaussian(1.0), optimizer=None))
    before = answers(model)
    assert model.sample_latents(20, burn_in=5).shape == (20, len(X))
    assert_equal(answers(model), before)


def test_weights_stay_when_rows_are_taken_in():
    weight = np.arange(40) % 3 + 1.0
    model = mercer.GaussianProcessRegressor.automatic(Gaussian(1.0), noise=0.1, optimizer=None)
    model.fit(X, F, sample_weight=weight).partial_fit(QUERY, np.sin(2 * QUERY[:, 0]))
    point = model.theta_
    assert model.log_marginal_likelihood() == pytest.approx(model.log_marginal_likelihood(point))
    kept = model.fitted_.factor.array
    del vars(model.fitted_)["factor"]  # as after loading
    np.testing.assert_allclose(np.tril(model.fitted_.factor.array), np.tril(kept), atol=1e-12)


def test_a_precomputed_matrix_and_draws_have_two_classes():
    model = mercer.GaussianProcessClassifier.automatic("precomputed", inference="mcmc")
    model.fit(Gaussian(1.0)(X), F > 0)
    assert model.score(Gaussian(1.0)(X), F > 0) > 0.8


def test_alpha_of_rows_of_weight_zero_is_left_out():
    alpha, weight = np.linspace(0.1, 1.0, 40), np.arange(40) % 2
    model = mercer.GaussianProcessRegressor.automatic(Gaussian(1.0), alpha=alpha, optimizer=None)
    found = model.fit(X, F, sample_weight=weight).predict(QUERY)
    model.set_params(alpha=alpha[weight > 0])
    assert_array_equal(model.fit(X[weight > 0], F[weight > 0]).predict(QUERY), found)
