"""Least squares from sums over rows: what one pass keeps, however many rows there were.

Rows are coordinates Φ = k(x, Z) B of a kernel at landmarks Z, whitened by B with B'K(Z, Z)B = 1
before anything is added up: plain sums of kernel values have a condition number near 1e11 on smooth
data, at which single precision is lost, those of whitened coordinates one near 1e5. Tiles may be
single precision; sums are double.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigvalsh

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Σw, Σw φ, Σw φφ', Σw y, Σw φy', Σw y² over rows, of any number of targets."""

    mass: float
    sums: Floats
    squares: Floats
    targets: Floats
    products: Floats
    target_squares: Floats

    @classmethod
    def of(cls, phi: NDArray[Any], y: NDArray[Any], weight: NDArray[Any] | None = None) -> Moments:
        """Of one batch: coordinates (n, m), targets (n, t), weights (n,)."""
        y = np.asarray(y, dtype=np.float64)
        if weight is not None:
            root = np.sqrt(weight)[:, None]
            sums = phi.T.astype(np.float64) @ weight
            mass, targets = float(weight.sum()), weight @ y
            phi, y = phi * root.astype(phi.dtype), y * root
        else:
            sums = phi.sum(axis=0, dtype=np.float64)
            mass, targets = float(len(phi)), y.sum(axis=0)
        return cls(
            mass,
            sums,
            (phi.T @ phi).astype(np.float64),
            targets,
            (phi.T @ y.astype(phi.dtype)).astype(np.float64),
            np.einsum("ij,ij->j", y, y),
        )

    def merge(self, other: Moments) -> Moments:
        """Of both parts."""
        return Moments(
            self.mass + other.mass,
            self.sums + other.sums,
            self.squares + other.squares,
            self.targets + other.targets,
            self.products + other.products,
            self.target_squares + other.target_squares,
        )

    def centred(self) -> tuple[Floats, Floats]:
        """Σw (φ − φ̄)(φ − φ̄)' and Σw (φ − φ̄)(y − ȳ)'."""
        mean = self.sums / self.mass
        return (
            self.squares - np.outer(self.sums, mean),
            self.products - np.outer(mean, self.targets),
        )


@dataclass(frozen=True)
class SumsSolution:
    """Weights of the coordinates, offsets, and the condition number of the system."""

    weights: Floats
    intercept: Floats
    condition: float


def merge(one: Any, other: Any) -> Any:
    """What ``reduce`` of an engine asks for."""
    return one.merge(other)


def solve_ridge(moments: Moments, alpha: float, fit_intercept: bool) -> SumsSolution:
    """Minimise Σw (y − φ'v − b)² + α‖v‖².

    Raises
    ------
    ValueError
        If the system is too close to singular for the sums to tell its solution.
    """
    left, right = moments.centred() if fit_intercept else (moments.squares, moments.products)
    system = left + alpha * np.eye(len(left))
    ends = eigvalsh(system)
    condition = float(ends[-1] / ends[0]) if ends[0] > 0 else np.inf
    if condition > 1.0 / np.finfo(np.float64).eps:
        raise ValueError(
            f"the sums have the condition number {condition:.1e}, beyond what double precision can "
            "solve. Raise alpha, or lower n_landmarks."
        )
    weights = cho_solve(cho_factor(system), right)
    intercept = np.zeros(right.shape[1])
    if fit_intercept:
        intercept = (moments.targets - moments.sums @ weights) / moments.mass
    return SumsSolution(weights, intercept, condition)
