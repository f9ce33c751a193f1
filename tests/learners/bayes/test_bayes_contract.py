"""scikit-learn's estimator checks on every Bayesian learner."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.learners.bayes import (
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    RelevanceVectorClassifier,
    RelevanceVectorRegressor,
)

ESTIMATORS = [
    GaussianProcessRegressor(n_restarts_optimizer=0),
    GaussianProcessRegressor(kernel="precomputed"),
    GaussianProcessClassifier(),
    RelevanceVectorRegressor(),
    RelevanceVectorClassifier(),
]


@parametrize_with_checks(ESTIMATORS)
def test_check(estimator, check):
    check(estimator)
