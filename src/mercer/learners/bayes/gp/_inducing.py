"""Titsias' bound: the evidence of a Gaussian process seen through m inducing points.

L = ln N(y | 0, Q + σ²I) - tr(K - Q)/(2σ²), Q = C A^-1 C', with A = K(Z, Z) and C = K(X, Z). It
never exceeds the log evidence, and costs O(n m²) time and O(n + m²) memory. Sums over rows are
taken of V = C L^-T, A = L L', rather than of C: smooth kernels leave C'C without digits. Row i has
the noise σ²/w_i.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.linalg.blas import dgemm, dsyrk  # SciPy's, as are the solves: see _blas

from mercer import _config
from mercer.kernels import Kernel
from mercer.kernels.contraction import contract, contract_diagonal
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take

Floats = NDArray[np.float64]
JITTER = 1e-8  # of the mean k(z, z): inducing points may nearly coincide


class InducingBound:
    """Minus the bound and its gradient in the kernel's parameters and ln(noise)."""

    def __init__(
        self, X: Any, y: Floats, Z: Any, theta: Theta | SklearnTheta, weight: Floats
    ) -> None:
        self.X, self.y, self.Z, self.theta, self.weight = X, y, Z, theta, weight
        self.y = y.reshape(len(y), -1)  # one column per target, all under the same parameters
        self.energy = float(np.sum(weight @ self.y**2))
        self.log_weights = float(np.sum(np.log(weight)))

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Groups of training rows."""
        size = max(64, _config.block_rows(8 * 4 * n_rows(self.Z)))
        for start in range(0, len(self.y), size):
            part = slice(start, min(len(self.y), start + size))
            yield part, take(self.X, part)

    def solve(self, kernel: Kernel, noise: float) -> Solved:
        """Everything of size m at these parameters."""
        A = np.asarray(kernel.tile(self.Z), dtype=np.float64)
        A[np.diag_indices_from(A)] += JITTER * float(np.mean(np.diagonal(A)))
        lower = cholesky(A, lower=True, check_finite=False)
        inner, b, trace = np.zeros_like(A), np.zeros((len(A), self.y.shape[1])), 0.0
        for part, X in self.blocks():
            C = np.asarray(kernel.tile(X, self.Z), dtype=np.float64)
            w = self.weight[part]
            V = solve_triangular(lower, C.T, lower=True, check_finite=False)
            inner += dsyrk(1.0, V * np.sqrt(w), lower=1)
            b += V @ (w[:, None] * self.y[part])
            trace += float(w @ Kernel._diag(kernel, X))
        inner = np.tril(inner) + np.tril(inner, -1).T
        rows, fixed = len(self.y), self.log_weights
        return Solved(noise, lower, inner, b, trace, self.energy, rows, fixed)

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
        raised = np.full(len(W), JITTER * float(np.trace(W)) / len(W))
        _add(slopes, contract_diagonal(kernel, self.Z, raised))
        inner = s.outputs * s.sandwiched(np.eye(len(W)) / s.noise - s.inverse_I)
        residual = 0.0
        for part, X in self.blocks():
            C = np.asarray(kernel.tile(X, self.Z), dtype=np.float64)
            w = self.weight[part]
            a = (self.y[part] - C @ s.coef) / s.noise
            residual += float(np.sum(w @ a**2))
            W = dgemm(1.0, inner, C.T).T  # C inner, for inner is symmetric
            W += a @ s.coef.T
            W *= w[:, None]
            _add(slopes, contract(kernel, X, self.Z, W))
            _add(slopes, contract_diagonal(kernel, X, -0.5 * s.outputs / s.noise * w))
        return slopes, residual


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
    kernel: Kernel, X: Any, m: int, rng: np.random.Generator, pool: int = 4000
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
