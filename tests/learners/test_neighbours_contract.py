"""scikit-learn's estimator checks on the neighbour learners."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.kernels import Polynomial
from mercer.learners.metric import CondensedNearestNeighbour, KNNClassifier, KNNRegressor

ESTIMATORS = [
    KNNClassifier("root", metric=Polynomial(2, coef0=1.0), ties="shrink"),
    KNNRegressor(),
    CondensedNearestNeighbour(),
    CondensedNearestNeighbour("net", metric="manhattan"),
]


@parametrize_with_checks(ESTIMATORS)
def test_check(estimator, check):
    check(estimator)
