"""Few eigenvectors of large symmetric operators, with signs that do not depend on the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]
_DENSE = 500
_MOST_BLOCKS = 16


def fixed_signs(vectors: Floats) -> Floats:
    """Each column with its largest entry positive."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def largest_eigenpairs(
    product: Callable[[Floats], Floats], n: int, k: int, *, tol: float = 1e-7, seed: int = 0
) -> tuple[Floats, Floats]:
    """The k algebraically largest eigenvalues, descending, of a symmetric operator.

    Large operators are asked for products with whole blocks of vectors, because a product with
    twenty vectors costs hardly more than one with a single vector when the matrix is recomputed.
    """
    if not 1 <= k <= n:
        raise ValueError(f"{k} eigenvectors of an operator on {n} points do not exist")
    if n <= _DENSE or k > n // 4:
        matrix = product(np.eye(n))
        values, vectors = eigh(0.5 * (matrix + matrix.T), subset_by_index=(n - k, n - 1))
        return values[::-1].copy(), fixed_signs(vectors[:, ::-1])
    with threadpool_limits(1, user_api="blas"):  # its waiting threads slow down the kernel's own
        found = _block_krylov(product, n, k, tol, seed)
    if found is None:  # eigenvalues too close together for a few blocks
        start = np.random.default_rng(seed).standard_normal(n)
        operator: Any = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
        values, vectors = eigsh(operator, k=k, which="LA", v0=start)
        order = np.argsort(values)[::-1]
        found = values[order], vectors[:, order]
    return found[0], fixed_signs(found[1])


def _block_krylov(
    product: Callable[[Floats], Floats], n: int, k: int, tol: float, seed: int
) -> tuple[Floats, Floats] | None:
    """Rayleigh–Ritz on growing blocks Q, AQ, A²Q, …, until ‖Av − θv‖ ≤ tol·θ₁; None: it was not.

    An eigenvalue is then right to about tol² over its gap.
    """
    width = k + 8
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, width)))[0]
    basis, image = Q, product(Q)
    for _ in range(_MOST_BLOCKS):
        small = basis.T @ image
        theta, turn = eigh(0.5 * (small + small.T))
        theta, turn = theta[::-1][:k], turn[:, ::-1][:, :k]
        vectors = basis @ turn
        residual = image @ turn - vectors * theta
        if np.linalg.norm(residual, axis=0).max() <= tol * max(abs(theta[0]), 1e-300):
            return theta, vectors
        if basis.shape[1] + width > n:
            return None
        fresh = image[:, -width:]
        for _ in range(2):  # once is not enough in rounded arithmetic
            fresh = fresh - basis @ (basis.T @ fresh)
        fresh = np.linalg.qr(fresh)[0]
        basis, image = np.hstack([basis, fresh]), np.hstack([image, product(fresh)])
    return None


def centred(product: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """V ↦ J·A·J·V for V ↦ A·V, with J taking the mean of the rows away; J·A·J is never formed."""

    def both_sides(V: Floats) -> Floats:
        W = product(V - V.mean(axis=0))
        return W - W.mean(axis=0)

    return both_sides


def over_roots(values: Floats, vectors: Floats) -> Floats:
    """Eigenvectors divided by √eigenvalue, zero where that is not positive: they place new rows."""
    roots = np.sqrt(np.maximum(values, 0.0))
    return vectors * np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
