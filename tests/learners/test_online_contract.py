"""scikit-learn's estimator checks on the halving rule and on the smallest ball."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.learners.margin import SVDD
from mercer.learners.online import Halving

REPEATED = (
    "Holds to within tol, and gamma='scale' sees repeated rows but not weights; the check asks for "
    "seven digits."
)


def expected_failures(estimator):
    if isinstance(estimator, SVDD):
        return {
            "check_sample_weight_equivalence_on_dense_data": REPEATED,
            "check_sample_weight_equivalence_on_sparse_data": REPEATED,
        }
    return {}


@parametrize_with_checks(
    [Halving(penalty=0.5), SVDD()], expected_failed_checks=expected_failures, xfail_strict=True
)
def test_check(estimator, check):
    check(estimator)
