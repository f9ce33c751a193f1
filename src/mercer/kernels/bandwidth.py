"""Bandwidths that are read off the data: "scale", "auto" and "median"."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._config import reserve

HEURISTICS = ("scale", "auto", "median")
DATA_DEPENDENT = ("scale", "median")  # "auto" only counts the columns
_SMALLEST = 1e-100  # its square must not vanish
_SUBSAMPLE = 1000


class Resolved(float):
    """A number that a heuristic read off the data; remembers which one did.

    It is an ordinary float in every computation. The memory survives ``clone`` and ``pickle``,
    which lets a certificate see that the parameter was not fixed in advance.
    """

    rule: str

    def __new__(cls, value: float, rule: str = "scale") -> Resolved:
        """Store the value and the rule."""
        number = super().__new__(cls, value)
        number.rule = rule
        return number


def sklearn_gamma(X: Any, rule: str) -> float:
    """scikit-learn's ``gamma``: "scale" is 1 / (d Var(X)) over all entries, "auto" is 1 / d."""
    if rule == "auto":
        return 1.0 / X.shape[1]
    X = X.astype(np.float64, copy=False)  # as scikit-learn does before it asks
    variance = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var()
    return float(1.0 / (X.shape[1] * variance)) if variance != 0 else 1.0


def median_distance(X: Any, metric: str = "euclidean") -> float:
    """Median distance of distinct pairs, on at most 1000 rows drawn with a fixed seed.

    If more than half of the pairs coincide, the median of the others; if all do, one.
    """
    from scipy.spatial.distance import pdist

    if X.shape[0] > _SUBSAMPLE:
        rows = np.random.default_rng(0).choice(X.shape[0], _SUBSAMPLE, replace=False)
        X = X[np.sort(rows)]
    distances = pdist(_dense(X).astype(np.float64), metric)
    middle = float(np.median(distances)) if distances.size else 0.0
    if middle == 0.0:
        positive = distances[distances > 0]
        middle = float(np.median(positive)) if positive.size else 1.0
    return middle


def _dense(X: Any) -> NDArray[Any]:
    """Columns that are empty throughout do not change a distance, so they are left out."""
    if not sparse.issparse(X):
        return X
    used = np.unique(X.indices) if X.nnz else np.zeros(1, dtype=int)
    reserve(X.shape[0] * used.size * 8, "The median distance", "Give length_scale as a number.")
    return X[:, used].toarray()


def positive_scale(value: object, owner: str, n_features: int | None = None) -> Any:
    """A length scale as a positive float, or as a vector with one entry per column."""
    if isinstance(value, str):
        hint = (
            "call kernel.resolve(X_train) first; learners and Gram objects do"
            if value in HEURISTICS
            else f"the heuristics are {', '.join(map(repr, HEURISTICS))}"
        )
        raise ValueError(f"{owner}: length_scale={value!r} is not a number; {hint}")
    try:
        scale = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        scale = np.asarray(np.nan)
    if scale.ndim > 1 or scale.size == 0 or not np.all(scale >= _SMALLEST):
        raise ValueError(
            f"{owner}: length_scale must be a positive number or a vector of them, got {value!r}"
        )
    if scale.ndim == 1 and n_features is not None and scale.size != n_features:
        raise ValueError(
            f"{owner}: length_scale has {scale.size} entries but the data have {n_features} columns"
        )
    return scale if scale.ndim else float(scale)
