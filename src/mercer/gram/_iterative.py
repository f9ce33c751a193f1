"""Solves and eigenvectors through products alone, for matrices that do not fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer.gram._factor import WoodburyFactor

if TYPE_CHECKING:
    from mercer.gram._base import Gram

Floats = NDArray[np.float64]


def pivoted_cholesky(gram: Gram, rank: int, tol: float = 1e-12) -> tuple[Floats, NDArray[np.intp]]:
    """A thin L with L L' close to K, from ``rank`` rows of K chosen greedily; and those rows."""
    residual = gram.diag().astype(np.float64).copy()
    stop = tol * max(float(residual.max(initial=0.0)), np.finfo(float).tiny)
    L = np.zeros((gram.n, min(rank, gram.n)))
    pivots: list[int] = []
    for column in range(L.shape[1]):
        pivot = int(np.argmax(residual))
        if residual[pivot] <= stop:
            break
        row = gram.rows([pivot])[0].astype(np.float64)
        L[:, column] = (row - L[:, :column] @ L[pivot, :column]) / np.sqrt(residual[pivot])
        residual = np.maximum(residual - L[:, column] ** 2, 0.0)
        residual[pivot] = 0.0
        pivots.append(pivot)
    return L[:, : len(pivots)], np.array(pivots, dtype=np.intp)


def conjugate_gradients(
    gram: Gram, shift: float, b: Floats, tol: float = 1e-10, max_iter: int | None = None
) -> Floats:
    """(K + shift I)^-1 b, preconditioned by a pivoted Cholesky factor.

    All right-hand sides share each product with K. The residual relative to ``b`` ends below
    ``tol``, or a `ConvergenceWarning` says how far it got.
    """
    limit = max_iter or min(10 * gram.n, 5000)
    precondition = _preconditioner(gram, shift)
    B = b.reshape(gram.n, -1)
    size = np.linalg.norm(B, axis=0)
    size[size == 0] = 1.0
    x, residual = np.zeros_like(B), B.copy()
    z = precondition(residual)
    direction, rho = z.copy(), np.sum(residual * z, axis=0)
    for _ in range(limit):
        if np.max(np.linalg.norm(residual, axis=0) / size) <= tol:
            return x.reshape(b.shape)
        image = gram.matmul(direction) + shift * direction
        step = _ratio(rho, np.sum(direction * image, axis=0))
        x += step * direction
        residual -= step * image
        z = precondition(residual)
        previous, rho = rho, np.sum(residual * z, axis=0)
        direction = z + _ratio(rho, previous) * direction
    reached = float(np.max(np.linalg.norm(residual, axis=0) / size))
    if reached > tol:
        warnings.warn(
            f"conjugate gradients stopped after {limit} products with a relative residual of "
            f"{reached:.1e} (wanted {tol:.1e}); a larger shift (now {shift:g}) converges faster",
            ConvergenceWarning,
            stacklevel=2,
        )
    return x.reshape(b.shape)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Step lengths; a right-hand side that is solved already stays where it is."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def _preconditioner(gram: Gram, shift: float) -> Callable[[Floats], Floats]:
    if not shift > 0:
        return lambda residual: residual.copy()
    L, _ = pivoted_cholesky(gram, min(200, max(20, int(np.sqrt(gram.n)))))
    return WoodburyFactor(L, shift).solve


def lanczos(gram: Gram, k: int) -> tuple[Floats, Floats]:
    """The k largest eigenvalues, descending, and vectors, by products with K."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    operator = LinearOperator(gram.shape, matvec=gram.matmul, matmat=gram.matmul, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(gram.n)
    values, vectors = eigsh(operator, k=k, which="LA", v0=start)
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order]
