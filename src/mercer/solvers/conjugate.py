"""(A + shift I) x = b through products alone, to the accuracy of a direct solve."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mercer.solvers._scaled import ScaledGram
from mercer.solvers.pivoted import ThinFactor

Floats = NDArray[np.float64]
Product = Callable[[Floats], Floats]

INNER = 1e-4  # how far one round of single-precision steps may be trusted
ROUNDING = 1e-15  # a backward error below which more steps may be in vain


@dataclass(frozen=True)
class Answer:
    """A solution with its backward error ‖b − (A + shift I)x‖ / (‖A‖‖x‖ + ‖b‖)."""

    x: Floats
    error: float
    products: int


class ThinPreconditioner:
    """(L L' + μI)⁻¹ with μ = shift + the average of what L L' misses on the diagonal."""

    def __init__(self, thin: ThinFactor, shift: float) -> None:
        self.L = thin.transposed
        self.mu = shift + thin.left_over / max(1, self.L.shape[1])
        inner = self.L @ self.L.T
        self.size = _largest(inner) + shift + float(thin.residual.max(initial=0.0))
        inner[np.diag_indices_from(inner)] += self.mu
        self.inner = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def __call__(self, v: Floats) -> Floats:
        """The preconditioner times ``v``, up to the factor μ, which changes no step."""
        return v - self.L.T @ cho_solve(self.inner, self.L @ v, check_finite=False)


def _largest(matrix: Floats) -> float:
    """Largest eigenvalue of a positive semi-definite matrix, from a few products."""
    if not len(matrix):
        return 0.0
    v = np.ones(len(matrix))
    for _ in range(10):
        v = matrix @ v
        v /= max(float(np.linalg.norm(v)), 1e-300)
    return float(v @ matrix @ v)


class NotDefiniteError(ArithmeticError):
    """A direction in which the matrix is not positive was met."""


def solve(
    gram: ScaledGram,
    shift: float,
    b: Floats,
    precondition: ThinPreconditioner,
    *,
    light: ScaledGram | None = None,
    tol: float = 1e-17,
    most: int = 1000,
) -> Answer | None:
    """Conjugate gradients, restarted from true residuals; None if ``most`` products do not do.

    Parameters
    ----------
    gram, shift, b
        The system; ``b`` has one column per right-hand side.
    precondition
        An approximate inverse.
    light
        The same matrix in single precision: it takes the steps, ``gram`` measures the residuals.
    tol
        Backward error to reach in every column.
    most
        Products with the matrix that may be spent.
    """
    x, residual, spent = np.zeros_like(b), b.copy(), 0
    length = np.linalg.norm(b, axis=0)
    best = math.inf
    inner = INNER if light is not None else 0.0
    while True:
        scale = precondition.size * np.linalg.norm(x, axis=0) + length
        goal = tol * np.maximum(scale, np.finfo(float).tiny)
        error = float(np.max(np.linalg.norm(residual, axis=0) / goal)) * tol
        if error <= tol:
            return Answer(x, error, spent)
        if spent >= most or error > 0.5 * best:  # no progress: rounding, or a hopeless condition
            return Answer(x, error, spent) if error <= max(tol, ROUNDING) else None
        best = error
        wanted = np.maximum(0.25 * goal, inner * np.linalg.norm(residual, axis=0))
        # Many steps for the first digits mean too many for all of them.
        share = max(10, min(most // 3, most - spent)) if light is not None else most - spent
        step, products = _rounds(light or gram, shift, residual, precondition, wanted, share)
        if products == share and not spent:
            return None
        x += step
        residual = b - gram.matmul(x) - shift * x
        spent += products + 1


def _rounds(
    gram: ScaledGram,
    shift: float,
    b: Floats,
    precondition: ThinPreconditioner,
    goal: Floats,
    most: int,
) -> tuple[Floats, int]:
    x, residual = np.zeros_like(b), b.copy()
    z = precondition(residual)
    direction, rho = z.copy(), np.sum(residual * z, axis=0)
    for count in range(most):
        open_ = np.linalg.norm(residual, axis=0) > goal
        if not open_.any():
            return x, count
        image = gram.matmul(direction) + shift * direction
        curvature = np.sum(direction * image, axis=0)
        if np.any(curvature[open_] <= 0):
            raise NotDefiniteError
        step = np.divide(rho, curvature, out=np.zeros_like(rho), where=open_)
        x += step * direction
        residual -= step * image
        z = precondition(residual)
        previous, rho = rho, np.sum(residual * z, axis=0)
        ratio = np.divide(rho, previous, out=np.zeros_like(rho), where=open_ & (previous > 0))
        direction = z + ratio * direction
    return x, most
