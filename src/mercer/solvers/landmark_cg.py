"""Ridge at ten thousands of landmarks: conjugate gradients that go through the rows at each step.

The sums of `solvers.sums` cost n m² and this n m for each step. In coordinates φ = T⁻ᵀ k(Z, x) with
T'T = K(Z, Z) the system is Φ'Φ + α, and landmarks alone tell nearly what it is: n/m Φ_Z'Φ_Z + α
with Φ_Z = T' (Rudi, Carratino and Rosasco 2017), so a few steps are enough. Coordinates are never
made: a step multiplies tiles k(x, Z), which may be single precision, by two tall matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, eigvalsh_tridiagonal, solve_triangular

Floats = NDArray[np.float64]
Passed = Callable[[Floats], Floats]  # Σ w k(Z, x) k(x, Z) u


@dataclass(frozen=True)
class FirstSums:
    """Σ w k(Z, x), Σ w k(Z, x) y', Σ w, Σ w y over all rows."""

    values: Floats
    products: Floats
    mass: float
    targets: Floats


@dataclass(frozen=True)
class LandmarkSolution:
    """Weights of the landmarks, offsets, steps, and the condition of the preconditioned system."""

    coef: Floats
    intercept: Floats
    steps: int
    residual: float
    condition: float


def factor_of(gram: NDArray[np.floating]) -> Floats:
    """T with T'T = K(Z, Z), raised by what the precision of its values cannot tell from zero."""
    eps = float(np.finfo(gram.dtype).eps)
    raised = np.array(0.5 * (gram + gram.T), dtype=np.float64)
    raised[np.diag_indices_from(raised)] += eps * len(raised) * float(np.mean(np.diagonal(raised)))
    return np.asarray(cholesky(raised, check_finite=False))


def solve_at_landmarks(
    T: Floats,
    first: FirstSums,
    passed: Passed,
    alpha: float,
    fit_intercept: bool,
    *,
    tol: float,
    max_iter: int,
) -> LandmarkSolution:
    """Minimise Σ w (y − f(x))² + α‖f‖², one pass per step for all targets together."""

    def back(values: Floats) -> Floats:
        return np.asarray(solve_triangular(T, values, trans="T", check_finite=False))

    def forth(weights: Floats) -> Floats:
        return np.asarray(solve_triangular(T, weights, check_finite=False))

    m, mass = len(T), first.mass
    mean = back(first.values) / mass if fit_intercept else np.zeros(m)
    right = back(first.products) - np.outer(mean, first.targets)

    def system(v: Floats) -> Floats:
        return back(passed(forth(v))) - mass * np.outer(mean, mean @ v) + alpha * v

    near = T - T.mean(axis=1, keepdims=True) if fit_intercept else T
    guess = near @ near.T * (mass / m)
    guess[np.diag_indices_from(guess)] += max(alpha, 1e-12 * float(np.trace(guess)) / m)
    lower = cholesky(guess, lower=True, check_finite=False)

    def preconditioned(r: Floats) -> Floats:
        half = solve_triangular(lower, r, lower=True, check_finite=False)
        return np.asarray(solve_triangular(lower, half, lower=True, trans="T", check_finite=False))

    v, r = np.zeros_like(right), right.copy()
    z = preconditioned(r)
    p, size = z.copy(), np.einsum("ij,ij->j", r, z)
    begun = np.maximum(size, 1e-300)
    lengths, shrinks = [], []
    for _ in range(max_iter):
        moved = system(p)
        length = _over(size, np.einsum("ij,ij->j", p, moved))
        v += length * p
        r -= length * moved
        z = preconditioned(r)
        last, size = size, np.einsum("ij,ij->j", r, z)
        shrink = _over(size, last)
        lengths.append(length[0])
        shrinks.append(shrink[0])
        p = z + shrink * p
        if np.all(np.sqrt(np.maximum(size, 0.0) / begun) <= tol):
            break
    intercept = np.zeros(right.shape[1])
    if fit_intercept:
        intercept = first.targets / mass - mean @ v
    residual = float(np.max(np.sqrt(np.maximum(size, 0.0) / begun)))
    condition = _condition(lengths, shrinks)
    return LandmarkSolution(forth(v), intercept, len(lengths), residual, condition)


def _over(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _condition(lengths: list[float], shrinks: list[float]) -> float:
    """Of the preconditioned system, from the matrix that the steps span (Lanczos)."""
    a, b = np.array(lengths), np.array(shrinks)
    if not len(a) or np.any(a <= 0):
        return 1.0
    diagonal = 1.0 / a
    diagonal[1:] += b[:-1] / a[:-1]
    ends = eigvalsh_tridiagonal(diagonal, np.sqrt(b[:-1]) / a[:-1])
    return float(ends[-1] / ends[0]) if ends[0] > 0 else np.inf
