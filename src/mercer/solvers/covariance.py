"""A covariance K + noise through products alone: no n × n array is needed."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mercer._cached import cached_property
from mercer.gram import Gram
from mercer.solvers import conjugate, lanczos
from mercer.solvers.pivoted import thin_factor
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]

RANK = 1000  # of the thin factor that preconditions
MOST = 2000  # products that a solution may take
TOL = 1e-15  # backward error of a solution
SHARE = 1e-6  # of a prior variance: how well `explained` knows what is left of it
AT_ONCE = 64  # columns of `explained` that share a product


class UnsolvedError(ArithmeticError):
    """Products alone do not solve with this covariance."""


class Covariance:
    """C = K + diag(variances): solutions, log determinant and explained variances.

    With S = variances^-1/2, C = S^-1 (S K S + I) S^-1; equal variances are a plain shift. Solutions
    come by conjugate gradients with a thin Cholesky factor in front, to the backward error of a
    direct solution.
    """

    def __init__(self, gram: Gram, variances: Floats) -> None:
        if not np.all(variances > 0):
            raise UnsolvedError("conjugate gradients need noise: no variance may be zero")
        self.n, self.variances = gram.n, variances
        self.even = bool(np.ptp(variances) == 0.0)
        self.root = None if self.even else 1.0 / np.sqrt(variances)
        self.shift = float(variances[0]) if self.even else 1.0
        self.gram = ScaledGram(gram, self.root)
        with threadpool_limits(1, user_api="blas"):  # the kernel's threads have the cores
            self.thin = thin_factor(self.gram, min(RANK, max(20, self.n // 4)))
            self.precondition = conjugate.ThinPreconditioner(self.thin, self.shift)

    @cached_property
    def _log_determinant(self) -> lanczos.LogDeterminant:
        with threadpool_limits(1, user_api="blas"):
            return lanczos.log_determinant(self.gram, self.shift, self.thin)

    def log_determinant(self) -> tuple[float, float]:
        """Ln det C, and the half-width of a 95 % interval around it."""
        found = self._log_determinant
        own = 0.0 if self.even else float(np.sum(np.log(self.variances)))
        return found.value + own, found.error

    def solve(self, b: Floats) -> Floats:
        """C^-1 times columns."""
        inside = self._outer(b)
        with threadpool_limits(1, user_api="blas"):
            try:
                found = conjugate.solve(
                    self.gram, self.shift, inside, self.precondition, tol=TOL, most=MOST
                )
            except conjugate.NotDefiniteError:
                found = None
        if found is None:
            raise UnsolvedError(
                f"conjugate gradients did not solve with the covariance of {self.n} rows in {MOST} "
                "products: the noise is too small beside the kernel, or the kernel is not positive "
                "semi-definite"
            )
        return self._outer(found.x)

    def explained(self, B: Floats, prior: Floats) -> Floats:
        """What is b' C^-1 b for the columns b of B, never too large but for rounding.

        Steps end where what is missing is known to be below a millionth of ``prior``. With r
        the residual of x, b' C^-1 b = b'x + x'r + r' C^-1 r, whose last term lies between 0 and
        r'r / shift.
        """
        total = np.empty(B.shape[1])
        with threadpool_limits(1, user_api="blas"):
            for start in range(0, B.shape[1], AT_ONCE):
                part = slice(start, start + AT_ONCE)
                b = self._outer(B[:, part])
                total[part] = self._known(b, SHARE * prior[part])
        return total

    def _known(self, b: Floats, allowed: Floats) -> Floats:
        """Of (A + shift) x = b - r, b'x + x'r; a word if more than ``allowed`` is missing."""
        goal = np.sqrt(allowed * self.shift)
        x, spent = np.zeros_like(b), 0
        residual = b.copy()
        for _ in range(3):  # from true residuals: those of the steps drift
            try:
                step, count = conjugate.rounds(
                    self.gram, self.shift, residual, self.precondition, 0.5 * goal, MOST - spent
                )
            except conjugate.NotDefiniteError:
                raise UnsolvedError("the kernel is not positive semi-definite") from None
            x, spent = x + step, spent + count
            residual = b - self.gram.matmul(x) - self.shift * x
            if np.all(np.linalg.norm(residual, axis=0) <= goal) or spent >= MOST:
                break
        if np.any(np.linalg.norm(residual, axis=0) > goal):
            warnings.warn(
                f"{spent} products do not tell error bars of so little noise; they are too wide, "
                "never too narrow",
                ConvergenceWarning,
                stacklevel=5,
            )
        return np.sum(x * (b + residual), axis=0)

    def _outer(self, b: Floats) -> Floats:
        return b if self.root is None else self.root[:, None] * b
