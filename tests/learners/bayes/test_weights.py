"""Weights are repetitions for Bayesian learners at fixed hyper-parameters."""

import numpy as np
import pytest

import mercer
from mercer.kernels import Gaussian


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.GaussianProcessRegressor(Gaussian(1.0), noise=0.1, optimizer=None),
        mercer.GaussianProcessClassifier(Gaussian(1.0), optimizer=None),
        mercer.RelevanceVectorRegressor(
            basis=lambda X: Gaussian(1.0)(X, np.linspace(-2, 2, 8)[:, None] * np.ones(2))
        ),
        mercer.RelevanceVectorClassifier(
            basis=lambda X: Gaussian(1.0)(X, np.linspace(-2, 2, 8)[:, None] * np.ones(2))
        ),
    ],
    ids=lambda e: type(e).__name__,
)
def test_weights_are_repetitions(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=30)
    if "Classifier" in type(estimator).__name__:
        y = (y > 0).astype(int)
    weight = rng.integers(0, 4, 30)
    once = estimator.fit(X, y, sample_weight=weight)
    query = rng.normal(size=(20, 2))

    def answers(model):
        method = getattr(model, "predict_proba", None)
        return model.predict(query, return_std=True) if method is None else method(query)

    weighted = np.asarray(answers(once))
    evidence = getattr(once, "log_evidence_", None) or once.log_marginal_likelihood_value_
    again = estimator.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted, np.asarray(answers(again)), rtol=1e-3, atol=1e-4)
    repeated = getattr(again, "log_evidence_", None) or again.log_marginal_likelihood_value_
    assert evidence == pytest.approx(repeated, rel=1e-5)
