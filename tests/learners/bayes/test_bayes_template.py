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
        mercer.RelevanceVectorRegressor(Gaussian(1.0)),
        {"basis": np.sin, "fit_intercept": False, "kernel": "linear", "noise": 9.0},
    ),
    (
        mercer.RelevanceVectorClassifier(Gaussian(1.0)),
        {"basis": np.sin, "fit_intercept": False, "kernel": "linear", "beta": 9.0},
    ),
    (
        mercer.BayesPointMachine(Gaussian(1.0), method="gibbs", n_samples=10),
        {"strategy": "gibbs", "soft": 0.0, "kernel": "linear", "random_state": 3},
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
