"""Version space: the weight vectors that classify every training row correctly.

Everything is expressed by the signed, normalised Gram matrix A_ij = y_i y_j k(x_i,x_j) /
sqrt(k(x_i,x_i) k(x_j,x_j)): weight vectors are Σ c_j z_j over the unit vectors z_j = y_j φ(x_j),
scaled to length one, their outputs are A c, and version space is where all are positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
REFRESH = 200  # steps after which outputs are computed afresh, so that rounding cannot pile up


@dataclass(frozen=True)
class VersionSpace:
    """The signed normalised Gram matrix of two classes.

    Parameters
    ----------
    A : array of shape (n, n)
    """

    A: Floats

    @classmethod
    def of(cls, K: Floats, y: Floats, reg_param: Any = 0.0) -> VersionSpace:
        """From a Gram matrix and labels ±1; ``reg_param`` times the mean diagonal is added.

        One number, or one for each row.
        """
        K = np.asarray(K, dtype=np.float64)
        diagonal = np.diagonal(K) + reg_param * float(np.mean(np.diagonal(K)))
        if not np.all(diagonal > 0):
            row = int(np.flatnonzero(~(diagonal > 0))[0])
            raise ValueError(
                f"row {row} has k(x, x) = {K[row, row]:g}: it lies at the origin of feature space, "
                "where no hyperplane through the origin can classify it; add a constant to the "
                "kernel (kernel + 1) or use reg_param > 0"
            )
        A = K * np.outer(y / np.sqrt(diagonal), y / np.sqrt(diagonal))
        np.fill_diagonal(A, 1.0)
        return cls(A)

    @property
    def n(self) -> int:
        """Number of training rows, each a wall."""
        return len(self.A)

    def contains(self, coef: Floats) -> bool:
        """Whether the weight vector Σ c_j z_j classifies every row correctly."""
        return bool(np.all(self.A @ coef > 0))

    def norm(self, coef: Floats) -> float:
        """Length of Σ c_j z_j."""
        return float(np.sqrt(max(0.0, float(coef @ self.A @ coef))))

    def inscribed_radius(self, coef: Floats) -> float:
        """Radius (as a chord) of the ball around a consistent unit vector that is consistent."""
        return float(np.min(self.A @ coef)) / self.norm(coef)


def perceptron(
    space: VersionSpace, rng: np.random.Generator, max_epochs: int = 1000
) -> Floats | None:
    """A consistent weight vector, rows visited in random order; None if none was found."""
    coef, output = np.zeros(space.n), np.zeros(space.n)
    for _ in range(max_epochs):
        clean = True
        for i in rng.permutation(space.n):
            if output[i] <= 0:
                coef[i] += 1.0
                output += space.A[:, i]
                clean = False
        if clean:
            return coef
    return None


def gibbs_samples(
    space: VersionSpace,
    start: Floats,
    rng: np.random.Generator,
    n_samples: int,
    burn_in: int = 20,
    directions: str = "rows",
    watch: Watch | None = None,
) -> Floats:
    """Uniform draws of unit vectors from version space, as coefficients, shape (n_samples, n).

    A standard Gaussian restricted to the cone is sampled along lines, exactly on each: its
    direction is uniform on version space. ``directions="rows"`` moves along one z_j at a time
    (the kernel Gibbs sampler, O(n) per move); "random" along random combinations (hit-and-run,
    O(n²) per move). One sweep of n moves separates two draws.
    """
    coef = start / space.norm(start) * np.sqrt(np.linalg.matrix_rank(space.A, tol=1e-8))
    output = space.A @ coef
    kept = np.empty((n_samples, space.n))
    moves = 0
    for sweep in range(burn_in + n_samples):
        for j in rng.permutation(space.n):
            if directions == "rows":
                t = _draw_on_line(output, space.A[:, j], float(output[j]), 1.0, rng)
                coef[j] += t
                output += t * space.A[:, j]
            else:
                step = rng.standard_normal(space.n)
                along = space.A @ step
                t = _draw_on_line(output, along, float(coef @ along), float(step @ along), rng)
                coef += t * step
                output += t * along
            moves += 1
            if moves % REFRESH == 0:
                output = space.A @ coef
        if sweep >= burn_in:
            kept[sweep - burn_in] = coef / space.norm(coef)
        done = sweep - burn_in + 1
        if watch is not None and watch.over(sweep + 1, 1.0 - sweep / len(kept)) and done > 0:
            return kept[:done]
    return kept


def _draw_on_line(
    output: Floats, along: Floats, inner: float, square: float, rng: np.random.Generator
) -> float:
    """Position on w + t d from exp(-|w + t d|²/2) where all outputs stay positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        walls = -output / along
    low = float(np.max(walls, where=along > 1e-14, initial=-np.inf))
    high = float(np.min(walls, where=along < -1e-14, initial=np.inf))
    if square <= 0 or not low < high:
        return 0.0
    centre, width = -inner / square, 1.0 / np.sqrt(square)
    t = centre + width * _truncated_normal((low - centre) / width, (high - centre) / width, rng)
    # strictly inside: the end points belong to the walls
    margin = 1e-12 * (abs(t) + 1e-300)
    return float(min(max(t, low + margin), high - margin)) if high - low > 2 * margin else 0.0


def _truncated_normal(low: float, high: float, rng: np.random.Generator) -> float:
    """One draw of a standard normal between two limits, safe in both tails."""
    if low > 0:
        return -_truncated_normal(-high, -low, rng)
    a, b = ndtr(low), ndtr(high)
    if b - a > 1e-290:
        return float(np.clip(ndtri(a + (b - a) * rng.uniform()), low, high))
    # far in the lower tail the density falls like exp(high * x): a truncated exponential
    rate = max(abs(high), 1e-12)
    return float(max(low, high + np.log(rng.uniform()) / rate))
