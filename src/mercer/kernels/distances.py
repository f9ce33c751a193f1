"""Squared distances that are fast and keep their digits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_CANCELLED = 1e-6  # below this fraction of the norms, fewer than ten digits are left
_PAIRS = 4096


def dot(X: Any, Y: Any) -> NDArray[Any]:
    """<x, y> for all pairs, dense or CSR."""
    product = X @ Y.T
    return product.toarray() if sparse.issparse(product) else product


def row_dot(X: Any, Y: Any) -> NDArray[Any]:
    """<x_i, y_i>, dense or CSR."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(Y).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, Y)


def scaled(X: Any, scale: Any) -> Any:
    """Columns divided by ``scale`` in float64, dense or CSR."""
    X = X.astype(np.float64, copy=False)
    if sparse.issparse(X):
        return X.multiply(np.broadcast_to(1.0 / np.asarray(scale), X.shape[1:])).tocsr()
    return X / scale


def squared_distances(X: Any, Y: Any) -> NDArray[np.float64]:
    """|x - y|^2 for all pairs in float64.

    Norms and one matrix product give almost all entries. Where they cancel (points much closer to
    each other than to the centre) the entry is computed again from the differences.
    """
    X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    if not sparse.issparse(X):
        centre = Y.mean(axis=0)
        X, Y = X - centre, Y - centre
    with np.errstate(over="ignore", invalid="ignore"):  # huge entries: inf - inf is repaired too
        norms = row_dot(X, X)[:, None] + row_dot(Y, Y)[None, :]
        squares = norms - 2.0 * dot(X, Y)
        rows, columns = np.nonzero(~(squares >= _CANCELLED * norms))
        for start in range(0, rows.size, _PAIRS):
            i, j = rows[start : start + _PAIRS], columns[start : start + _PAIRS]
            difference = X[i] - Y[j]
            squares[i, j] = row_dot(difference, difference)
    return np.maximum(squares, 0.0, out=squares)


def column_differences(X: Any, Y: Any, column: int) -> NDArray[np.float64]:
    """x_c - y_c for all pairs and one column, dense or CSR."""
    left, right = X[:, [column]], Y[:, [column]]
    if sparse.issparse(left):
        left, right = left.toarray(), right.toarray()
    return left.astype(np.float64) - right.astype(np.float64).T
