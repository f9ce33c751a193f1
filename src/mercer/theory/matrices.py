"""Matrix identities that the texts' proofs use, as functions one can check them with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from mercer._types import Samples

Floats = NDArray[np.float64]


def woodbury(C_inverse: Any, A: Any, B: Any) -> Floats:
    """(C + AB)⁻¹ from C⁻¹: only a matrix of the inner size is inverted."""
    C_inverse, A, B = (np.asarray(M, dtype=float) for M in (C_inverse, A, B))
    inner = np.eye(A.shape[1]) + B @ C_inverse @ A
    return C_inverse - C_inverse @ A @ np.linalg.solve(inner, B @ C_inverse)


def block_inverse(A: Any, B: Any, C: Any, D: Samples) -> Floats:
    """Inverse of [[A, B], [C, D]] through the Schur complement of A."""
    A, B, C, D = (np.atleast_2d(np.asarray(M, dtype=float)) for M in (A, B, C, D))
    A_inverse = np.linalg.inv(A)
    S = np.linalg.inv(D - C @ A_inverse @ B)
    upper = A_inverse @ B @ S
    lower = S @ C @ A_inverse
    return np.block([[A_inverse + upper @ C @ A_inverse, -upper], [-lower, S]])


def block_log_determinant(A: Any, B: Any, C: Any, D: Samples) -> tuple[float, float]:
    """Sign and ln|det| of [[A, B], [C, D]] as det(A)·det(D − CA⁻¹B)."""
    A, B, C, D = (np.atleast_2d(np.asarray(M, dtype=float)) for M in (A, B, C, D))
    first = np.linalg.slogdet(A)
    second = np.linalg.slogdet(D - C @ np.linalg.solve(A, B))
    return float(first[0] * second[0]), float(first[1] + second[1])


def merge_quadratic_forms(
    a: Any, A: Any, b: Any, B: Any, X: Samples
) -> tuple[Floats, Floats, float]:
    """(a−Xu)'A(a−Xu) + (b−u)'B(b−u) = (c−u)'C(c−u) + d; returns c, C and d."""
    a, A, b, B, X = (np.asarray(M, dtype=float) for M in (a, A, b, B, X))
    C = X.T @ A @ X + B
    c = np.linalg.solve(C, X.T @ A @ a + B @ b)
    gap = a - X @ b
    inner = np.linalg.inv(A) + X @ np.linalg.solve(B, X.T)
    return c, C, float(gap @ np.linalg.solve(inner, gap))


def rayleigh(A: Any, x: Any, B: Any = None) -> float:
    """X'Ax / x'Bx, with B the identity unless given."""
    x = np.asarray(x, dtype=float)
    bottom = x @ x if B is None else x @ np.asarray(B, dtype=float) @ x
    return float(x @ np.asarray(A, dtype=float) @ x / bottom)


def rayleigh_maximum(A: Any, B: Any = None) -> tuple[float, Floats]:
    """Largest (generalised) Rayleigh quotient of symmetric A, and where; A = aa': B⁻¹a."""
    values, vectors = eigh(np.asarray(A, dtype=float), None if B is None else np.asarray(B, float))
    return float(values[-1]), vectors[:, -1]


def kronecker_eigenvalues(A: Any, B: Any) -> Floats:
    """Eigenvalues of A ⊗ B for symmetric A and B: all products, sorted."""
    left, right = np.linalg.eigvalsh(np.asarray(A, float)), np.linalg.eigvalsh(np.asarray(B, float))
    return np.sort(np.outer(left, right).ravel())
