"""scikit-learn's own checks on the search."""

from helpers_checks import with_checks
from mercer import SVC, SVR, KernelSearch
from mercer.learners.regression import KernelRidge

SMALL = {"C": [1.0], "gamma": [0.1]}
WEIGHTS = "Folds of repeated rows are other folds than those of weighted rows."


def expected_failures(estimator):
    failures = {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    }
    if isinstance(estimator.estimator, KernelRidge):
        failures["check_sample_weights_list"] = None
    return {name: why for name, why in failures.items() if why}


@with_checks(
    [
        KernelSearch(SVC(certify=None), param_grid=SMALL, cv=2),
        KernelSearch(SVR(certify=None), param_grid=SMALL, cv=2),
    ],
    expected_failures,
)
def test_check(estimator, check):
    check(estimator)
