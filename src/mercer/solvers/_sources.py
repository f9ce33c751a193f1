"""Hand a Gram to the compiled solver in the form it works on fastest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _native
from mercer.gram import Gram
from mercer.kernels import Fused

_EXPANDED = {"gaussian": 1.0, "matern12": 0.5, "matern32": 0.5, "matern52": 0.5}
_SPARSE = {"linear", "polynomial", "sigmoid", *_EXPANDED}
_PRODUCTS = {"linear", "polynomial", "sigmoid"}
# Below this many rows double precision costs nothing anybody would notice.
_SMALL = 1000
_ROUNDING = 6e-8  # of single precision


def source_of(
    gram: Gram,
    tol: float,
    n_threads: int,
    order: NDArray[np.intp] | None = None,
    reach: float = 0.0,
) -> _native.Source:
    """Packed vectors, sparse rows or a matrix in memory; otherwise blocks asked of Python.

    With an ``order``, row ``i`` of the source is row ``order[i]`` of the Gram. ``reach`` is the
    norm that the coefficients may have: the larger, the more a rounded kernel value matters.
    """
    array = getattr(gram, "array", None)
    if array is not None:
        dtype = np.float32 if array.dtype == np.float32 else np.float64
        if order is not None:
            array = array[np.ix_(order, order)]
        return _native.matrix_source(np.ascontiguousarray(array, dtype=dtype))
    X = getattr(gram, "X", None)
    if order is not None and X is not None:
        X = X[order]
    accuracy = tol / max(reach, 1.0) if tol >= 1e-4 else 0.0
    if gram.fused is not None and X is not None:
        if not sparse.issparse(X):
            return _dense(gram.fused, np.asarray(X), accuracy, n_threads)
        if gram.fused.family in _SPARSE:
            return _sparse(gram.fused, X, accuracy)
    whole = np.arange(gram.n) if order is None else order

    def tile(rows: NDArray[np.intp], columns: NDArray[np.intp] | None) -> NDArray[np.float64]:
        if columns is None and order is None:
            found = gram.rows(rows)
        else:
            found = gram.tile(whole[rows], whole if columns is None else whole[columns])
        return np.ascontiguousarray(found, dtype=np.float64)

    return _native.callback_source(np.ascontiguousarray(gram.diag()[whole], dtype=np.float64), tile)


def _dense(fused: Fused, X: NDArray[Any], accuracy: float, n_threads: int) -> _native.Source:
    shift = fused.shift(X)
    dtype = np.float64
    if len(X) > _SMALL:
        with np.errstate(over="ignore", invalid="ignore"):  # too large for it: double precision
            rows = _rows(fused, X, shift, np.float32)
            squares = np.einsum("ij,ij->i", rows, rows)
        dtype = _precision(fused, X.shape, float(np.max(squares, initial=0.0)), accuracy)
    if dtype == np.float64:
        rows = _rows(fused, X, shift, np.float64)
    return _native.vector_source(rows, fused.family, fused.params, n_threads)


def _rows(fused: Fused, X: NDArray[Any], shift: NDArray[Any] | None, dtype: Any) -> NDArray[Any]:
    """Shifted in the precision of the data and then rounded: what is rounded is small."""
    rows = np.empty(X.shape, dtype=dtype)
    if shift is None:
        rows[...] = X
    else:
        np.subtract(X, shift, out=rows, casting="same_kind")
    if fused.scale is not None:
        rows *= fused.scale.astype(dtype)
    return rows


def _sparse(fused: Fused, X: Any, accuracy: float) -> _native.Source:
    X = sparse.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix stays as it is
        X.sum_duplicates()
    data = X.data.astype(np.float64)
    if fused.scale is not None:
        data = data * np.asarray(fused.scale, dtype=np.float64)[X.indices]
    squares = sparse.csr_array((data**2, X.indices, X.indptr), shape=X.shape).sum(axis=1)
    dtype = _precision(fused, X.shape, float(np.max(squares, initial=0.0)), accuracy)
    return _native.sparse_source(
        X.indptr.astype(np.int64),
        X.indices.astype(np.int32),
        np.ascontiguousarray(data, dtype=dtype),
        X.shape[1],
        fused.family,
        fused.params,
    )


def _precision(fused: Fused, shape: tuple[int, ...], square: float, accuracy: float) -> Any:
    """Single precision where its rounding stays below what the tolerance can see.

    ``square`` is the largest |x|^2, ``accuracy`` the error of kernel values that the outputs can
    bear: the tolerance over the norm of the coefficients.
    """
    # exp(-r) has a kink at zero, where r is the root of a cancelled difference
    if shape[0] <= _SMALL or accuracy == 0 or fused.family == "matern12":
        return np.float64
    # |x-y|^2 as a difference of squares, or a large argument of tanh: its error times the slope
    argument = 0.0
    if fused.family in _EXPANDED:
        argument = fused.params[0] ** (1 / _EXPANDED[fused.family]) * square
    elif fused.family in _PRODUCTS:
        gamma, offset = (1.0, 0.0) if fused.family == "linear" else fused.params[:2]
        argument = abs(gamma) * square + abs(offset)
    elif fused.family == "intersection":
        argument = np.sqrt(square * shape[1])
    value = 1.0
    if fused.family in ("linear", "polynomial", "intersection"):  # unbounded
        power = fused.params[2] if fused.family == "polynomial" else 1.0
        value = max(argument, 1.0) ** power if argument < 100 else np.inf
    good = np.isfinite(square) and argument < 100 and value < 100
    return np.float32 if good and _ROUNDING * value <= 2 * accuracy else np.float64
