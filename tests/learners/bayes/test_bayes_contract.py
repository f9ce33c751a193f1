"""scikit-learn's estimator checks on every Bayesian learner."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer.kernels import Gaussian

ESTIMATORS = [
    mercer.GaussianProcessRegressor(n_restarts_optimizer=0),
    mercer.GaussianProcessRegressor(kernel="precomputed"),
    mercer.SparseGaussianProcessRegressor(n_restarts_optimizer=0, n_inducing=20, refine=3),
    mercer.GaussianProcessClassifier(),
    mercer.GaussianProcessClassifier(multi_class="softmax"),
    mercer.RelevanceVectorRegressor(),
    mercer.RelevanceVectorClassifier(),
    mercer.BayesPointMachine(tol=0.1),
]
TO_TOLERANCE = (
    "The search for hyper-parameters starts from statistics of the rows that know no weights, and "
    "ends within a tolerance; test_weights_are_repetitions compares at fixed parameters."
)
INDEFINITE = "Its matrix is not positive semi-definite: no covariance, a clear error."


def expected_failures(estimator):
    failures = {}
    weighted = not isinstance(estimator, mercer.BayesPointMachine)
    if estimator.kernel == "precomputed":
        failures = {
            "check_positive_only_tag_during_fit": INDEFINITE,
            "check_estimators_dtypes": INDEFINITE,
        }
    elif weighted:
        failures = {
            "check_sample_weight_equivalence_on_dense_data": TO_TOLERANCE,
            "check_sample_weight_equivalence_on_sparse_data": TO_TOLERANCE,
        }
    return failures


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_check(estimator, check):
    check(estimator)


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
