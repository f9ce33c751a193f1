"""Arrays that are already what a learner wants: seen in microseconds.

scikit-learn's check asks for every kind of container there is and takes a third of the time of a
fit of a hundred rows. Whatever is unusual here goes that way and gets its words.
"""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Any

import numpy as np

NUMBERS = "biuf"


def plain_rows(X: Any, dtypes: Container[Any], least: int) -> bool:
    """Whether rows are a table of finite numbers, as it is to be held."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.type in dtypes
        and X.dtype.isnative
        and X.flags.c_contiguous
        and len(X) >= max(least, 1)
        and X.shape[1] > 0
        and _finite(X)
    )


def plain_targets(y: Any, n: int) -> bool:
    """Whether there is one finite number for each row."""
    return (
        type(y) is np.ndarray
        and y.shape == (n,)
        and y.dtype.kind in NUMBERS
        and (y.dtype.kind != "f" or _finite(y))
    )


def _finite(values: Any) -> bool:
    """False also where finite numbers have no finite sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(values.sum())


def columns_fit(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether columns without names are those of the fit, or known from now on."""
    if reset:
        estimator.n_features_in_ = X.shape[1]
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return True
    return getattr(estimator, "n_features_in_", None) == X.shape[1] and not hasattr(
        estimator, "feature_names_in_"
    )
