"""scikit-learn's estimator checks on every margin machine."""

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

import mercer

ESTIMATORS = [
    mercer.SVC(),
    mercer.SVC(kernel="precomputed"),
    mercer.SVC(kernel="linear", multi_class="ovr", loss="squared_hinge"),
    mercer.SVC(multi_class="dag", fit_intercept=False),
    mercer.SVC(kernel=mercer.kernels.Matern(1.5)),
    mercer.NuSVC(),
    mercer.SVR(),
    mercer.SVR(kernel="precomputed"),
    mercer.NuSVR(),
    mercer.OneClassSVM(),
]
TO_TOLERANCE = (
    "Holds to within tol, and gamma='scale' sees repeated rows but not weights; the check asks for "
    "seven digits. test_weights_are_repetitions runs it with a small tol and a fixed gamma."
)


def expected_failures(estimator):
    failures = {
        "check_sample_weight_equivalence_on_dense_data": TO_TOLERANCE,
        "check_sample_weight_equivalence_on_sparse_data": TO_TOLERANCE,
    }
    if isinstance(estimator, mercer.NuSVC):
        failures["check_class_weight_classifiers"] = (
            "Class weights have an effect (scikit-learn ignores them), and with weights 1000 and "
            "0.0001 no positive nu of this size is feasible: a clear error."
        )
    if estimator.kernel == "precomputed":
        return {
            "check_positive_only_tag_during_fit": "Its matrix is not PSD: Mercer warns.",
            "check_classifiers_one_label_sample_weights": "Its matrix is not symmetric: refused.",
        }
    return failures


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures, xfail_strict=True)
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "check",
    [
        check_sample_weight_equivalence_on_dense_data,
        check_sample_weight_equivalence_on_sparse_data,
    ],
)
@pytest.mark.parametrize(
    "estimator",
    [
        mercer.SVC(gamma=0.3),
        mercer.SVC(gamma=0.3, multi_class="ovr", loss="squared_hinge"),
        mercer.SVC(gamma=0.3, fit_intercept=False),
        mercer.NuSVC(gamma=0.3, nu=0.3),
        mercer.SVR(gamma=0.3),
        mercer.NuSVR(gamma=0.3),
    ],
    ids=str,
)
def test_weights_are_repetitions(estimator, check):
    estimator.set_params(tol=1e-11, time_limit=5)
    check(type(estimator).__name__, estimator)
