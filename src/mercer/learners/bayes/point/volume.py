"""How much of the sphere of classifiers is version space, with a confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri

from mercer.learners.bayes.point.version_space import VersionSpace

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VolumeEstimate:
    """Share of all classifiers that are consistent with the rows; the evidence of the PAC
    likelihood under a uniform prior on the sphere.

    Attributes
    ----------
    log_volume : float
        Logarithm of an unbiased estimate of the share.
    draws : int
    relative_error : float
        Estimated standard error divided by the estimate: a guide, not a guarantee.
    log_largest : float
        Logarithm of the largest possible value of one draw.
    """

    log_volume: float
    draws: int
    relative_error: float
    log_largest: float
    variance: float  # of the draws, relative to the square of the largest possible one

    @property
    def volume(self) -> float:
        """The share itself; zero if it underflows."""
        return math.exp(self.log_volume)

    def log_lower(self, delta: float = 0.05) -> float:
        """Logarithm of a limit that the true share exceeds with probability 1 - delta.

        Two limits at half of delta each: Markov's inequality (the estimate exceeds the truth by a
        factor 1/delta with probability at most delta, whatever its law), and the empirical
        Bernstein bound, which is sharper for volumes that are not tiny.
        """
        markov = self.log_volume + math.log(delta / 2)
        scale = math.exp(self.log_volume - self.log_largest)
        cost = math.log(4.0 / delta)
        width = math.sqrt(2.0 * self.variance * cost / self.draws)
        sharp = scale - width - 7.0 * cost / (3.0 * max(1, self.draws - 1))
        return max(markov, self.log_largest + math.log(sharp)) if sharp > 0 else markov

    def log_upper(self, delta: float = 0.05) -> float:
        """Logarithm of a limit that the true share stays below with probability 1 - delta."""
        scale = math.exp(self.log_volume - self.log_largest)
        cost = math.log(2.0 / delta)
        width = math.sqrt(2.0 * self.variance * cost / self.draws)
        return self.log_largest + math.log(
            min(1.0, scale + width + 7.0 * cost / (3.0 * max(1, self.draws - 1)))
        )

    def interval(self, delta: float = 0.05) -> tuple[float, float]:
        """Limits that hold jointly with probability 1 - delta."""
        return math.exp(self.log_lower(delta / 2)), math.exp(self.log_upper(delta / 2))


def estimate_volume(
    space: VersionSpace, n_draws: int = 10_000, rng: np.random.Generator | None = None
) -> VolumeEstimate:
    """Unbiased sequential importance sampling of P(all outputs > 0), outputs ~ N(0, A).

    Rows enter in the order of a pivoted Cholesky factorisation; each draws its own coordinate from
    the half line that classifies it correctly and contributes the probability of that half line
    (Geweke, Hajivassiliou and Keane). Rows that are combinations of earlier ones are only checked.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    L = _pivoted(space.A)
    rank = L.shape[1]
    logs = np.empty(n_draws)
    for start in range(0, n_draws, 1000):
        count = min(1000, n_draws - start)
        e = np.zeros((count, rank))
        weight = np.zeros(count)
        for i in range(rank):
            bound = -(e[:, :i] @ L[i, :i]) / L[i, i]  # this coordinate must exceed it
            weight += log_ndtr(-bound)
            u = rng.uniform(size=count)
            e[:, i] = -ndtri(np.maximum(u * ndtr(-bound), 1e-300))
        if rank < space.n:
            weight[np.any(e @ L[rank:].T <= 0, axis=1)] = -np.inf
        logs[start : start + count] = weight
    largest = math.log(0.5)  # the first half line has exactly half of the mass
    mean = float(logsumexp(logs) - math.log(n_draws))
    relative = np.exp(logs - largest)
    variance = float(np.var(relative, ddof=1)) if n_draws > 1 else 1.0
    error = math.sqrt(variance / n_draws) / max(math.exp(mean - largest), 1e-300)
    return VolumeEstimate(mean, n_draws, error, largest, variance)


def _pivoted(A: Floats) -> Floats:
    """L of the pivoted rows with A[order][:, order] = L L', shape (n, rank)."""
    n = len(A)
    order, left = np.arange(n), np.diagonal(A).astype(np.float64)
    L = np.zeros((n, n))
    for k in range(n):
        j = k + int(np.argmax(left[k:]))
        if left[j] <= 1e-10:
            return L[:, :k]
        order[[k, j]], left[[k, j]], L[[k, j]] = order[[j, k]], left[[j, k]], L[[j, k]]
        L[k, k] = math.sqrt(left[k])
        rest = A[order[k + 1 :], order[k]] - L[k + 1 :, :k] @ L[k, :k]
        L[k + 1 :, k] = rest / L[k, k]
        left[k + 1 :] -= L[k + 1 :, k] ** 2
    return L
