"""Input of kernels: one place that turns what users pass into what tiles expect."""

from __future__ import annotations

import math
import numbers
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from mercer._types import Samples

VECTORS = frozenset({"vectors", "sparse"})


def as_data(X: Samples, accepts: frozenset[str], name: str = "X") -> Any:
    """Validated data: a finite C-contiguous float32/float64 array or CSR, or objects as given."""
    if "vectors" not in accepts:
        return as_objects(X, name)
    if not sparse.issparse(X):
        _refuse_text(X, name)
    return check_array(
        X,
        accept_sparse="csr" if "sparse" in accepts else False,
        dtype=[np.float64, np.float32],
        order="C",
        input_name=name,
    )


def as_objects(X: Any, name: str = "X") -> Any:
    """Anything with a length that numpy can index: strings and other objects become an array.

    A table of one column, a frame or an array of objects, is that column.
    """
    if isinstance(X, (str, bytes)):
        raise ValueError(f"{name} is a single string; pass a list of strings")
    X = _only_column(X, name)
    if isinstance(X, np.ndarray):
        data = X
    else:
        data = np.empty(len(X), dtype=object)
        for i, thing in enumerate(X):  # one by one, or numpy would unpack equal-length lists
            data[i] = thing
    if data.shape[0] == 0:
        raise ValueError(f"{name} is empty: at least one object is needed")
    return data


def _only_column(X: Any, name: str) -> Any:
    """The column of a table of one; anything that is no table stays as it is."""
    if isinstance(X, np.ndarray):
        return X[:, 0] if X.dtype.kind in "OUS" and X.ndim == 2 and X.shape[1] == 1 else X
    if not (hasattr(X, "columns") and len(getattr(X, "shape", ())) == 2):
        return X
    if X.shape[1] != 1:
        raise ValueError(
            f"{name} is a table of {X.shape[1]} columns, and objects are one column: pass that "
            f"one, e.g. {name}[[{X.columns[0]!r}]]"
        )
    return X[X.columns[0]]


def _refuse_text(X: Samples, name: str) -> None:
    """Say which column holds the first thing that is not a number."""
    array = np.asarray(X)
    if array.dtype.kind in "US" and array.ndim == 1:
        raise ValueError(
            f"{name} is a list of strings, but this kernel needs rows of numbers; use a kernel for "
            "strings or objects"
        )
    if array.dtype.kind not in "OUS" or array.ndim != 2:
        return
    for column in range(array.shape[1]):
        for row, value in enumerate(array[:, column]):
            if not isinstance(value, numbers.Real):
                shown = str(value) if isinstance(value, str) else value
                raise ValueError(
                    f"{name} must hold numbers, but row {row}, column {column} is {shown!r}. "
                    "Encode categories (e.g. sklearn.preprocessing.OneHotEncoder) and fill gaps "
                    "first, or use a kernel for objects."
                )


def as_pair(X: Any, Y: Any, accepts: frozenset[str]) -> tuple[Any, Any]:
    """Two validated samples of the same width, dtype and storage; one object if Y is None only."""
    X = as_data(X, accepts, "X")
    if Y is None:
        return X, X
    Y = apart(as_data(Y, accepts, "Y"), X)
    if "vectors" not in accepts:
        return X, Y
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"X has {X.shape[1]} columns and Y has {Y.shape[1]}: they must describe the same "
            "features"
        )
    if sparse.issparse(X) != sparse.issparse(Y):
        X, Y = sparse.csr_array(X), sparse.csr_array(Y)
    if X.dtype != Y.dtype:
        X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    return X, Y


def apart(Y: Any, X: Any) -> Any:
    """Y, as a copy if it is X: values must not depend on whether a caller handed over a copy.

    NumPy, too, rounds ``X @ Y.T`` in another way if both are at one address.
    """
    arrays = isinstance(X, np.ndarray) and isinstance(Y, np.ndarray) and X.shape == Y.shape
    return copy(Y) if X is Y or (arrays and X.ctypes.data == Y.ctypes.data) else Y


def take(X: Any, index: Any) -> Any:
    """Rows of a sample; the whole sample is never copied."""
    if isinstance(index, slice) and index == slice(None):
        return X
    return X[index]


def n_rows(X: Any) -> int:
    """Number of objects in a sample."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def real(value: Any, name: str, *, low: float = -math.inf, closed: bool = True) -> float:
    """A real number with a lower limit, or an error that names the parameter."""
    good = isinstance(value, (numbers.Real, np.number)) and not isinstance(value, bool)
    if good:
        number = float(value)
        if number > low or (closed and number == low):
            return number
    limit = "" if low == -math.inf else f" {'>=' if closed else '>'} {low:g}"
    raise ValueError(f"{name} must be a number{limit}, got {value!r}")


def natural(value: Any, name: str, low: int = 1) -> int:
    """A whole number at least ``low``, or an error that names the parameter."""
    good = isinstance(value, (numbers.Real, np.number)) and not isinstance(value, bool)
    if not good or float(value) != math.floor(float(value)) or float(value) < low:
        raise ValueError(f"{name} must be a whole number >= {low}, got {value!r}")
    return int(value)
