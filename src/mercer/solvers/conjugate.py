"""(A + shift I) x = b through products alone, to the accuracy of a direct solve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, cho_factor, cho_solve

from mercer._storable import record
from mercer.solvers.pivoted import ThinFactor

Floats = NDArray[np.float64]

INNER = 1e-4  # how far one round of single-precision steps may be trusted
ROUNDING = 1e-15  # a backward error below which more steps may be in vain


@record("conjugate-answer")
@dataclass(frozen=True)
class Answer:
    """A solution with its backward error ‖b − (A + shift I)x‖ / (‖A‖‖x‖ + ‖b‖)."""

    x: Floats
    error: float
    products: int


class Matrix(Protocol):
    """What steps need of a matrix."""

    def matmul(self, V: Floats) -> Floats:
        """The matrix times columns."""


class Preconditioner(Protocol):
    """An approximate inverse, up to a factor; ``size`` is about the matrix's largest eigenvalue."""

    size: float

    def __call__(self, v: Floats) -> Floats:
        """The inverse times columns."""


class ThinPreconditioner:
    """(L L' + μI)⁻¹ with μ = shift + the average of what L L' misses on the diagonal.

    L may be in single precision; the small inner system is always solved in double precision.
    """

    def __init__(self, thin: ThinFactor, shift: float) -> None:
        self.L = thin.transposed
        self.mu = shift + thin.left_over / max(1, self.L.shape[1])
        syrk = blas.ssyrk if self.L.dtype == np.float32 else blas.dsyrk
        inner = np.asarray(syrk(1.0, self.L.T, trans=1, lower=1), dtype=np.float64)
        self.size = _largest(inner) + shift + float(thin.residual.max(initial=0.0))
        inner[np.diag_indices_from(inner)] += self.mu
        self.inner = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def __call__(self, v: Floats) -> Floats:
        """The preconditioner times ``v``, up to the factor μ, which changes no step."""
        inside = cho_solve(self.inner, times(self.L, v), check_finite=False)
        return v - times(self.L.T, inside)


def times(matrix: NDArray[Any], v: Floats) -> Floats:
    """Matrix times columns in the matrix's precision, by SciPy's BLAS like all else in a step.

    NumPy brings a BLAS of its own, whose threads would wait beside SciPy's and take the cores.
    """
    gemv, gemm = blas.get_blas_funcs(("gemv", "gemm"), (matrix,))
    v = np.asarray(v, dtype=matrix.dtype)
    if not matrix.size:
        return np.zeros((len(matrix), v.shape[1]))
    turned = matrix.flags.c_contiguous
    columns = matrix.T if turned else matrix
    if v.shape[1] == 1:
        return gemv(1.0, columns, v[:, 0], trans=turned)[:, None].astype(np.float64)
    return gemm(1.0, columns, v, trans_a=turned).astype(np.float64)


def _largest(matrix: Floats) -> float:
    """Largest eigenvalue of a positive semi-definite lower triangle, from a few products."""
    if not len(matrix):
        return 0.0
    v = np.ones(len(matrix))
    for _ in range(10):
        v = blas.dsymv(1.0, matrix, v, lower=1)
        v /= max(float(np.linalg.norm(v)), 1e-300)
    return float(v @ blas.dsymv(1.0, matrix, v, lower=1))


class NotDefiniteError(ArithmeticError):
    """A direction in which the matrix is not positive was met."""


def solve(
    gram: Matrix,
    shift: float,
    b: Floats,
    precondition: Preconditioner,
    *,
    light: Matrix | None = None,
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
        step, products = rounds(light or gram, shift, residual, precondition, wanted, share)
        if products == share and not spent:
            return None
        x += step
        residual = b - gram.matmul(x) - shift * x
        spent += products + 1


def rounds(
    gram: Matrix,
    shift: float,
    b: Floats,
    precondition: Preconditioner,
    goal: Floats,
    most: int,
) -> tuple[Floats, int]:
    """Steps from zero until each residual is as short as its ``goal``, and how many there were."""
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
