"""Titsias' bound: the evidence of a Gaussian process seen through m inducing points.

L = ln N(y | 0, Q + σ²I) - tr(K - Q)/(2σ²), Q = C A^-1 C', with A = K(Z, Z) and C = K(X, Z). It
never exceeds the log evidence, and costs O(n m²) time and O(n + m²) memory. Sums over rows are
taken of V = C L^-T, A = L L', rather than of C: smooth kernels leave C'C without digits. Row i has
the noise σ²/w_i.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.linalg.blas import dgemm, dsyrk  # SciPy's, as are the solves: see _blas

from mercer import _config
from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.contraction import contract, contract_diagonal
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take
from mercer.learners._passes import Block, Passes

Floats = NDArray[np.float64]
JITTER = 1e-8  # of the mean k(z, z): inducing points may nearly coincide
SINGLE = 1e-6  # the same where rows are in single precision


class InducingBound:
    """Minus the bound and its gradient in the kernel's parameters and ln(noise)."""

    def __init__(
        self,
        rows: Passes,
        Z: NDArray[Any],
        theta: Theta | SklearnTheta,
        mean: Floats | float = 0.0,
        scale: Floats | float = 1.0,
    ) -> None:
        self.rows, self.Z, self.theta = rows, Z, theta
        self.unit = partial(_unit, mean=mean, scale=scale)
        # values for other rows have the rounding of single precision, if these have: directions
        # whose share of K(Z, Z) is smaller cannot be told from nothing
        single = getattr(Z, "dtype", None) == np.float32
        self.exactly: NDArray[Any] = Z.astype(np.float64) if single else Z
        self.jitter = SINGLE if single else JITTER
        self.size = max(64, _config.block_rows(8 * 4 * n_rows(Z)))

    def solve(self, kernel: Kernel, noise: float) -> Solved:
        """Everything of size m at these parameters, from one pass over the rows."""
        A = np.asarray(kernel.tile(self.exactly), dtype=np.float64)
        A[np.diag_indices_from(A)] += self.jitter * float(np.mean(np.diagonal(A)))
        lower = cholesky(A, lower=True, check_finite=False)
        task = partial(_products, kernel=kernel, Z=self.Z, lower=lower, unit=self.unit)
        inner, b, scalars = self.rows.sum(task, self.size)
        inner = np.tril(inner) + np.tril(inner, -1).T
        trace, energy, log_weights = scalars.tolist()
        return Solved(noise, lower, inner, b, trace, energy, self.rows.n, log_weights)

    def __call__(self, p: Floats) -> tuple[float, Floats]:
        kernel, noise = self.theta.kernel_at(p[:-1]), math.exp(p[-1])
        try:
            s = self.solve(kernel, noise)
        except (np.linalg.LinAlgError, ValueError):
            return math.inf, np.zeros_like(p)
        slopes, residual = self._slopes(kernel, s)
        gradient = self.theta.pull_back(kernel, slopes)
        own = 0.5 * (residual - s.outputs * s.trace_inverse)
        own += 0.5 * s.outputs * (s.trace - s.trace_low) / noise**2
        gradient = np.append(gradient, own * noise)
        if not np.all(np.isfinite(gradient)):
            return math.inf, np.zeros_like(p)
        return -s.bound, -gradient

    def _slopes(self, kernel: Kernel, s: Solved) -> tuple[dict[str, Any], float]:
        """Derivatives in the kernel's parameters, and the weighted square of Σ^-1 y."""
        W = -0.5 * s.coef @ s.coef.T - s.outputs * s.sandwiched(s.pull) / (2.0 * s.noise)
        slopes = contract(kernel, self.Z, self.Z, W)
        raised = np.full(len(W), self.jitter * float(np.trace(W)) / len(W))
        _add(slopes, contract_diagonal(kernel, self.Z, raised))
        inner = s.outputs * s.sandwiched(np.eye(len(W)) / s.noise - s.inverse_I)
        task = partial(
            _slopes_of, kernel=kernel, Z=self.Z, inner=inner, solved=s.weights, unit=self.unit
        )
        more, residual = self.rows.sum(task, self.size, _both)
        _add(slopes, more)
        return slopes, residual


def _unit(y: Floats, mean: Any, scale: Any) -> Floats:
    """Targets as the process has them, one column each."""
    return np.asarray((y.reshape(len(y), -1) - mean) / scale)


def _products(
    block: Block, kernel: Kernel, Z: Samples, lower: Floats, unit: Callable[[Floats], Floats]
) -> tuple[Floats, Floats, Floats]:
    """V'V (its lower triangle), V'y, and the sums of k(x, x), y² and ln w over some rows."""
    C = np.asarray(kernel.tile(block.X, Z), dtype=np.float64)
    w, y = block.weight, unit(block.y)
    V = solve_triangular(lower, C.T, lower=True, check_finite=False)
    inner = dsyrk(1.0, V * np.sqrt(w), lower=1)
    trace = float(w @ Kernel._diag(kernel, block.X))
    scalars = np.array([trace, float(np.sum(w @ y**2)), float(np.sum(np.log(w)))])
    return inner, V @ (w[:, None] * y), scalars


def _slopes_of(
    block: Block,
    kernel: Kernel,
    Z: Samples,
    inner: Floats,
    solved: tuple[Floats, float, int],
    unit: Callable[[Floats], Floats],
) -> tuple[dict[str, Any], float]:
    """Of some rows: derivatives in the kernel's parameters, and the square of Σ^-1 y."""
    coef, noise, outputs = solved
    C = np.asarray(kernel.tile(block.X, Z), dtype=np.float64)
    w = block.weight
    a = (unit(block.y) - C @ coef) / noise
    W = dgemm(1.0, inner, C.T).T  # C inner, for inner is symmetric
    W += a @ coef.T
    W *= w[:, None]
    slopes = contract(kernel, block.X, Z, W)
    _add(slopes, contract_diagonal(kernel, block.X, -0.5 * outputs / noise * w))
    return slopes, float(np.sum(w @ a**2))


def _both(
    one: tuple[dict[str, Any], float], other: tuple[dict[str, Any], float]
) -> tuple[dict[str, Any], float]:
    total = dict(one[0])
    _add(total, other[0])
    return total, one[1] + other[1]


def _add(total: dict[str, Any], more: dict[str, Any]) -> None:
    for name, slope in more.items():
        total[name] = total[name] + slope


class Solved:
    """The m x m side of the bound at one set of parameters; ``inner`` is V'V."""

    _tag = "record:solved"

    def __init__(
        self,
        noise: float,
        lower: Floats,
        inner: Floats,
        b: Floats,
        trace: float,
        energy: float,
        rows: int,
        log_weights: float,
    ) -> None:
        self.noise, self.lower, self.trace = noise, lower, trace
        m = len(inner)
        self.trace_low = float(np.trace(inner))
        self.factor = cholesky(inner + noise * np.eye(m), lower=True, check_finite=False)
        self.inverse_I = cho_solve((self.factor, True), np.eye(m), check_finite=False)
        self.pull = inner @ self.inverse_I @ inner
        short = cho_solve((self.factor, True), b, check_finite=False)
        self.coef: Floats = solve_triangular(
            lower, short, lower=True, trans="T", check_finite=False
        )
        log_det = 2.0 * float(np.sum(np.log(np.diagonal(self.factor))))
        log_det += (rows - m) * math.log(noise) - log_weights
        self.outputs = b.shape[1]
        fit = (energy - float(np.vdot(b, short))) / noise
        self.trace_inverse = (rows - m) / noise + float(np.trace(self.inverse_I))
        each = rows * math.log(2.0 * math.pi) + log_det + (trace - self.trace_low) / noise
        self.bound = -0.5 * (self.outputs * each + fit)

    @property
    def weights(self) -> tuple[Floats, float, int]:
        """What a pass over the rows needs: coefficients, noise, number of targets."""
        return self.coef, self.noise, self.outputs

    def sandwiched(self, M: Floats) -> Floats:
        """L^-T M L^-1 for a symmetric M."""
        half = solve_triangular(self.lower, M, lower=True, trans="T", check_finite=False)
        return solve_triangular(self.lower, half.T, lower=True, trans="T", check_finite=False)

    @property
    def reduction(self) -> Reduction:
        """What prediction needs of it."""
        return Reduction(self.noise, self.lower, self.factor)


@dataclass(frozen=True)
class Reduction:
    """What the data take away from the variance of the prior; two triangular factors."""

    noise: float
    lower: Floats  # of K(Z, Z)
    factor: Floats  # of V'V + noise

    def variance(self, C: Floats) -> Floats:
        """What they take away from k(x, x), for the rows of C = K(x, Z)."""
        V = solve_triangular(self.lower, C.T, lower=True, check_finite=False)
        rest = solve_triangular(self.factor, V, lower=True, check_finite=False)
        lost = np.einsum("ij,ij->j", V, V) - self.noise * np.einsum("ij,ij->j", rest, rest)
        return np.asarray(lost)


def greedy_points(
    kernel: Kernel, X: Samples, m: int, rng: np.random.Generator, pool: int = 4000
) -> NDArray[np.intp]:
    """Rows that the others explain least, one after the other (pivoted Cholesky), from a pool."""
    n = n_rows(X)
    rows = np.sort(rng.choice(n, min(n, pool), replace=False))
    part = take(X, rows)
    left = np.asarray(Kernel._diag(kernel, part), dtype=np.float64).copy()
    L = np.zeros((min(m, len(rows)), len(rows)))
    chosen: list[int] = []
    for k in range(len(L)):
        j = int(np.argmax(left))
        if left[j] <= 1e-10 * max(1e-300, float(left.max(initial=0.0)) + 1.0):
            break
        row = np.asarray(kernel.tile(take(part, slice(j, j + 1)), part), dtype=np.float64)[0]
        L[k] = (row - L[:k, j] @ L[:k]) / math.sqrt(left[j])
        left = np.maximum(left - L[k] ** 2, 0.0)
        left[j] = 0.0
        chosen.append(j)
    return rows[np.array(chosen, dtype=np.intp)]
