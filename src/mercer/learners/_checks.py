"""Checks of rows and weights at the door: what is wrong, where, and what to do."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight

DTYPES = [np.float64, np.float32]
ASYMMETRY = 1e-6  # of the largest entry: above rounding, below anything meant


def check_magnitude(X: Any, first: str = "") -> None:
    """Refuse numbers whose squares overflow; ``first`` begins the message."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind != "f":  # whole numbers, for whoever takes them as they are
        return
    largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
    if largest > np.sqrt(np.finfo(values.dtype).max / max(X.shape[1], 1)):
        raise ValueError(
            f"{first}X reaches {largest:.3g}, whose square overflows {values.dtype}. The input "
            "data need to be preprocessed, for instance by StandardScaler."
        )


def check_targets(y: ArrayLike) -> NDArray[np.float64]:
    """Numbers to learn, finite and with finite sums of squares; says which row is not."""
    values = np.asarray(y, dtype=np.float64)  # gaps of object columns become NaN here
    bad = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
    if len(bad):
        kind = "NaN" if np.isnan(values[bad[0]]).any() else "infinity"
        raise ValueError(
            f"Input y contains {kind}: {len(bad)} rows have no finite target, the first is row "
            f"{bad[0]}. Leave these rows out."
        )
    largest = float(np.abs(values).max(initial=0.0))
    if largest > np.sqrt(np.finfo(np.float64).max / max(values.size, 1)):
        raise ValueError(
            f"y reaches {largest:.3g}, whose square overflows; divide the targets by a constant."
        )
    return values


def refuse_lists(y: ArrayLike) -> None:
    """Lists of different lengths are no labels, which NumPy would say in words of its own."""
    if isinstance(y, list | tuple) and y and isinstance(y[0], list | tuple):
        first = len(y[0])
        for row, values in enumerate(y):
            if not isinstance(values, list | tuple) or len(values) != first:
                raise ValueError(
                    f"y has {first} values for row 0 but not for row {row}: give every row one "
                    "label, or as many as all others."
                )


def check_gram(K: NDArray[Any]) -> None:
    """Refuse a precomputed Gram that is not square or not symmetric, and say where."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            "Precomputed matrix must be a square matrix."
            f" Input is a {K.shape[0]}x{K.shape[1]} matrix."
        )
    allowed = ASYMMETRY * max(float(K.max()), -float(K.min()))
    for first in range(0, len(K), 512):  # blocks: no second n x n array
        block = slice(first, first + 512)
        difference = np.abs(K[block] - K[:, block].T)
        if difference.max() > allowed:
            i, j = np.unravel_index(int(difference.argmax()), difference.shape)
            i += first
            raise ValueError(
                f"Precomputed matrix must be symmetric, but K[{i}, {j}] = {K[i, j]:.6g} and "
                f"K[{j}, {i}] = {K[j, i]:.6g}. If the difference is noise, pass (K + K.T) / 2."
            )


def check_distances(D: NDArray[Any]) -> None:
    """Refuse precomputed distances that are not square or negative, and say where."""
    if D.shape[0] != D.shape[1]:
        raise ValueError(
            "Precomputed matrix must be a square matrix."
            f" Input is a {D.shape[0]}x{D.shape[1]} matrix."
        )
    if D.size and D.min() < 0:
        i, j = np.unravel_index(int(D.argmin()), D.shape)
        raise ValueError(f"Negative values in data: D[{i}, {j}] = {D[i, j]:.6g} is no distance.")


def check_symmetric_distances(D: NDArray[Any]) -> None:
    """Refuse distances of training rows that depend on the direction, or to oneself."""
    allowed = ASYMMETRY * max(float(D.max(initial=0.0)), 1e-300)
    own = np.abs(np.diagonal(D))
    if own.max(initial=0.0) > allowed:
        place = int(own.argmax())
        raise ValueError(
            f"the distance of a row to itself is zero, but D[{place}, {place}] = "
            f"{own[place]:.6g}; are these "
            "similarities?"
        )
    for first in range(0, len(D), 512):  # blocks: no second n x n array
        block = slice(first, first + 512)
        difference = np.abs(D[block] - D[:, block].T)
        if difference.max() > allowed:
            i, j = np.unravel_index(int(difference.argmax()), difference.shape)
            i += first
            raise ValueError(
                f"the matrix of distances is not symmetric: D[{i}, {j}] = {D[i, j]:.6g} and "
                f"D[{j}, {i}] = {D[j, i]:.6g}. Average it with its transpose, (D + D.T) / 2."
            )


def check_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Weights with the negative ones set to zero, as LIBSVM does, but not silently."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.size and not np.any(weight > 0) and not np.any(np.isnan(weight)):
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    weight = _check_sample_weight(weight, np.empty((n, 0)), dtype=np.float64)
    negative = int(np.count_nonzero(weight < 0))
    if negative:
        warnings.warn(
            f"{negative} of {len(weight)} sample weights are negative: these samples are left "
            "out, as if their weight were zero.",
            UserWarning,
            stacklevel=2,
        )
    return np.maximum(weight, 0.0)


def sorted_csr(X: Any) -> Any:
    """Sparse rows with their columns in order, as the compiled loops want them."""
    if sparse.issparse(X) and not X.has_sorted_indices:
        return X.sorted_indices()  # a copy: the caller's matrix stays as it was
    return X
