"""Few eigenvectors of large symmetric operators, with signs that do not depend on the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

Floats = NDArray[np.float64]
_DENSE = 500


def fixed_signs(vectors: Floats) -> Floats:
    """Each column with its largest entry positive."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def largest_eigenpairs(
    product: Callable[[Floats], Floats], n: int, k: int, *, tol: float = 1e-9, seed: int = 0
) -> tuple[Floats, Floats]:
    """The k algebraically largest eigenvalues, descending, of a symmetric operator."""
    if not 1 <= k <= n:
        raise ValueError(f"{k} eigenvectors of an operator on {n} points do not exist")
    if n <= _DENSE or k > n // 4:
        matrix = product(np.eye(n))
        values, vectors = eigh(0.5 * (matrix + matrix.T), subset_by_index=(n - k, n - 1))
    else:
        start = np.random.default_rng(seed).standard_normal(n)
        operator: Any = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
        values, vectors = eigsh(operator, k=k, which="LA", v0=start, tol=tol)
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    return values[::-1].copy(), fixed_signs(vectors[:, ::-1])


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
