"""scikit-learn's estimator checks on the multi-class learners."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC
from mercer.learners.multiclass import CrammerSingerSVC, DecisionDAG, OneVsOne, OneVsRest

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ESTIMATORS = [
    CrammerSingerSVC(max_iter=30),
    OneVsRest(),
    OneVsOne(SVC(kernel="linear", loss="squared_hinge")),
    DecisionDAG(),
]


def expected_failures(_):
    exact = (
        "Holds to within tol, and gamma='scale' sees repeated rows but not weights; the check asks "
        "for seven digits."
    )
    names = (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    )
    return dict.fromkeys(names, exact)


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=True)
def test_check(estimator, check):
    check(estimator)
