"""Hand a Gram to the compiled solver in the form it works on fastest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _native
from mercer.gram import Gram
from mercer.kernels import Fused

_SPARSE = {"linear", "polynomial", "sigmoid", "gaussian", "matern12", "matern32", "matern52"}
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
            rows = fused.prepare(X, shift, np.float32)
            dtype = _precision(len(X), fused.single_size_of(rows), accuracy)
    if dtype == np.float64:
        rows = fused.prepare(X, shift, np.float64)
    return _native.vector_source(rows, fused.family, fused.params, n_threads)


def _sparse(fused: Fused, X: Any, accuracy: float) -> _native.Source:
    X = sparse.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix stays as it is
        X.sum_duplicates()
    data = X.data.astype(np.float64)
    if fused.scale is not None:
        data = data * np.asarray(fused.scale, dtype=np.float64)[X.indices]
    squares = sparse.csr_array((data**2, X.indices, X.indptr), shape=X.shape).sum(axis=1)
    size = fused.single_size(float(np.max(squares, initial=0.0)), X.shape[1])
    dtype = _precision(X.shape[0], size, accuracy)
    return _native.sparse_source(
        X.indptr.astype(np.int64),
        X.indices.astype(np.int32),
        np.ascontiguousarray(data, dtype=dtype),
        X.shape[1],
        fused.family,
        fused.params,
    )


def _precision(n: int, size: tuple[float, float], accuracy: float) -> Any:
    """Single precision where its rounding stays below what the tolerance can see.

    ``accuracy`` is the error of kernel values that the outputs can bear: the tolerance over the
    norm of the coefficients.
    """
    if n <= _SMALL or accuracy == 0:
        return np.float64
    return np.float32 if _ROUNDING * size[1] <= 2 * accuracy else np.float64
