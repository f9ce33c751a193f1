"""Weights are repetitions for margin machines, by scikit-learn's own check at a small tol."""

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
)

import mercer


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
