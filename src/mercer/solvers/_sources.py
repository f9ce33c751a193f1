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
# Below this many rows double precision costs nothing anybody would notice.
_SMALL = 1000


def source_of(
    gram: Gram, tol: float, n_threads: int, order: NDArray[np.intp] | None = None
) -> _native.Source:
    """Packed vectors, sparse rows or a matrix in memory; otherwise blocks asked of Python.

    With an ``order``, row ``i`` of the source is row ``order[i]`` of the Gram.
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
    if gram.fused is not None and X is not None:
        if not sparse.issparse(X):
            return _dense(gram.fused, np.asarray(X), tol, n_threads)
        if gram.fused.family in _SPARSE:
            return _sparse(gram.fused, X, tol)
    whole = np.arange(gram.n) if order is None else order

    def tile(rows: NDArray[np.intp], columns: NDArray[np.intp] | None) -> NDArray[np.float64]:
        if columns is None and order is None:
            found = gram.rows(rows)
        else:
            found = gram.tile(whole[rows], whole if columns is None else whole[columns])
        return np.ascontiguousarray(found, dtype=np.float64)

    return _native.callback_source(np.ascontiguousarray(gram.diag()[whole], dtype=np.float64), tile)


def _dense(fused: Fused, X: NDArray[Any], tol: float, n_threads: int) -> _native.Source:
    shift = fused.shift(X)
    dtype = np.float64
    if len(X) > _SMALL:
        rows = _rows(fused, X, shift, np.float32)
        largest = float(np.max(np.einsum("ij,ij->i", rows, rows), initial=0.0))
        dtype = _precision(fused, len(X), largest, tol)
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


def _sparse(fused: Fused, X: Any, tol: float) -> _native.Source:
    X = sparse.csr_array(X)
    X.sort_indices()
    data = X.data.astype(np.float64)
    if fused.scale is not None:
        data = data * np.asarray(fused.scale, dtype=np.float64)[X.indices]
    squares = sparse.csr_array((data**2, X.indices, X.indptr), shape=X.shape).sum(axis=1)
    dtype = _precision(fused, X.shape[0], float(np.max(squares, initial=0.0)), tol)
    return _native.sparse_source(
        X.indptr.astype(np.int64),
        X.indices.astype(np.int32),
        np.ascontiguousarray(data, dtype=dtype),
        X.shape[1],
        fused.family,
        fused.params,
    )


def _precision(fused: Fused, n: int, largest_square: float, tol: float) -> Any:
    """Single precision where its rounding is far below what ``tol`` can see."""
    # exp(-r) has a kink at zero, where r is the root of a cancelled difference
    if n <= _SMALL or tol < 1e-4 or fused.family == "matern12":
        return np.float64
    if fused.family in _EXPANDED:
        # |x-y|^2 is a difference of squares: its rounding error, times the kernel's slope
        size = fused.params[0] ** (1 / _EXPANDED[fused.family]) * largest_square
        return np.float32 if size < 100 else np.float64
    if fused.family in ("linear", "polynomial"):
        # unbounded values: only if they stay of order one does an absolute tolerance mean much
        value = abs(fused.params[0] if fused.family == "polynomial" else 1.0) * largest_square
        value += fused.params[1] if fused.family == "polynomial" else 0.0
        power = fused.params[2] if fused.family == "polynomial" else 1.0
        return np.float32 if value <= 0 or power * np.log10(value) < 2 else np.float64
    return np.float32
