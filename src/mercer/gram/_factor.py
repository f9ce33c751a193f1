"""Factorisations of K + shift I."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular

Floats = NDArray[np.float64]


class Factor(Protocol):
    """Something that solves with K + shift I."""

    def solve(self, b: Any) -> Floats:
        """(K + shift I)^-1 b."""

    def log_determinant(self) -> float:
        """Log det(K + shift I)."""


class NotPositiveDefiniteError(np.linalg.LinAlgError, ValueError):
    """K + shift I has no Cholesky factor."""


class CholeskyFactor:
    """K + shift I = L L'. The array ``K`` is overwritten."""

    def __init__(self, K: Floats, shift: float = 0.0) -> None:
        K[np.diag_indices_from(K)] += shift
        try:
            self.lower = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError as error:
            raise NotPositiveDefiniteError(
                f"the kernel matrix plus {shift:g} on the diagonal is not positive definite "
                f"({error}); add a larger shift (ridge, noise), or look for duplicates and for a "
                "kernel that is not positive semi-definite with mercer.gram.check_psd"
            ) from None

    def half_solve(self, b: Any) -> Floats:
        """L^-1 b."""
        return solve_triangular(self.lower, b, lower=True, check_finite=False)

    def solve(self, b: Any) -> Floats:
        """(K + shift I)^-1 b."""
        return solve_triangular(
            self.lower, self.half_solve(b), lower=True, trans="T", check_finite=False
        )

    def log_determinant(self) -> float:
        """Log det(K + shift I)."""
        return float(2.0 * np.sum(np.log(np.diagonal(self.lower))))


class WoodburyFactor:
    """L L' + shift I for a thin L of shape (n, r), through an r x r Cholesky factor."""

    def __init__(self, L: Floats, shift: float) -> None:
        if not shift > 0:
            raise NotPositiveDefiniteError(
                f"a low-rank matrix plus {shift:g} on the diagonal is singular; the shift must be "
                "positive"
            )
        self.L, self.shift = L, float(shift)
        self.inner = CholeskyFactor(L.T @ L, self.shift)

    def solve(self, b: Any) -> Floats:
        """(L L' + shift I)^-1 b."""
        b = np.asarray(b, dtype=np.float64)
        return (b - self.L @ self.inner.solve(self.L.T @ b)) / self.shift

    def log_determinant(self) -> float:
        """Log det(L L' + shift I)."""
        n, rank = self.L.shape
        return self.inner.log_determinant() + (n - rank) * float(np.log(self.shift))
