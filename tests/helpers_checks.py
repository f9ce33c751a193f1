"""scikit-learn's estimator checks, in every version of scikit-learn that Mercer runs beside."""

import inspect

from sklearn.utils.estimator_checks import parametrize_with_checks


def with_checks(estimators, expected, strict=True):
    """A test per estimator and check; one that is expected to fail and passes is a failure.

    Before 1.8 there is no argument for that: pytest's own setting ``xfail_strict`` decides.
    """
    known = "xfail_strict" in inspect.signature(parametrize_with_checks).parameters
    options = {"xfail_strict": strict} if known else {}
    return parametrize_with_checks(estimators, expected_failed_checks=expected, **options)
