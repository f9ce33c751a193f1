"""Arguments of ``certified_fit`` and ``certify``: what may be passed, and what to say otherwise."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples


def is_number(value: object) -> bool:
    """Whether this is a real number of Python's or numpy's; True is a misunderstanding."""
    return isinstance(value, Real) and not isinstance(value, bool)


def share(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number strictly between 0 and 1, got {value!r}")
    return float(value)


def whole(value: Any, name: str) -> int:
    """A whole number from 1 on."""
    if not is_number(value) or not math.isfinite(value) or int(value) != value or value < 1:
        raise ValueError(f"{name} must be a whole number >= 1, got {value!r}")
    return int(value)


def flag(value: object, name: str) -> bool:
    """True or False; a word or a number would be a misunderstanding."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def one_of(value: object, name: str, allowed: Any) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {sorted(allowed)}, got {value!r}")
    return value


def column(values: ArrayLike, n: int, name: str) -> NDArray[Any]:
    """One value per row, none of them missing."""
    array = np.asarray(values)
    if array.ndim == 0 or isinstance(values, str):
        raise ValueError(f"{name} needs one value per row ({n} of them), got {values!r}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        raise ValueError(f"{name} needs one value per row, shape ({n},), got shape {array.shape}")
    if array.dtype.kind in "fcmM":
        missing = np.isnat(array) if array.dtype.kind in "mM" else np.isnan(array)
    else:
        missing = np.array([v is None or v != v for v in array.tolist()], dtype=bool)
    if missing.any():
        raise ValueError(f"{name} has no value at row {int(np.flatnonzero(missing)[0])}")
    return array


def weights(values: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Sample weights: numbers, one per row."""
    if values is None:
        return None
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight must hold numbers, one per row, got {values!r}") from None
    return column(array, n, "sample_weight")


def limits(value: Any) -> tuple[float, float]:
    """A range of losses: two finite numbers, the smaller one first."""
    try:
        low, high = (float(v) for v in value)
        fine = math.isfinite(low) and math.isfinite(high) and low < high
    except (TypeError, ValueError):
        fine = False
    if not fine or isinstance(value, str):
        raise ValueError(f"loss_range needs two finite numbers low < high, got {value!r}")
    return low, high


def pool_rows(pool: Any) -> int:
    """Number of rows of a pool that is a table."""
    try:
        if isinstance(pool, str):
            raise TypeError
        return _num_samples(pool)
    except TypeError:
        raise ValueError(f"pool needs a table of unlabelled inputs, got {pool!r}") from None
