"""Gaussian calculus: marginals, conditionals, posteriors, divergences."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from mercer.bounds import Posterior

Floats = NDArray[np.float64]


class Normal(NamedTuple):
    """A normal law by its mean and covariance."""

    mean: Floats
    covariance: Floats


def _normal(mean: Any, covariance: Any) -> Normal:
    mean, covariance = np.atleast_1d(np.asarray(mean, float)), np.atleast_2d(covariance)
    if covariance.shape != (len(mean), len(mean)):
        raise ValueError(
            f"covariance {covariance.shape} does not fit a mean of {len(mean)} numbers"
        )
    return Normal(mean, np.asarray(covariance, dtype=float))


def linear_map(law: Normal, matrix: Any, offset: Any = 0.0) -> Normal:
    """The law of Ax + b."""
    matrix = np.atleast_2d(np.asarray(matrix, dtype=float))
    return _normal(matrix @ law.mean + offset, matrix @ law.covariance @ matrix.T)


def marginal(law: Normal, keep: Any) -> Normal:
    """The law of some coordinates."""
    keep = np.asarray(keep)
    return _normal(law.mean[keep], law.covariance[np.ix_(keep, keep)])


def conditional(law: Normal, known: Any, values: ArrayLike) -> Normal:
    """The law of the other coordinates given the values of those in ``known``."""
    known = np.asarray(known)
    rest = np.setdiff1d(np.arange(len(law.mean)), known)
    cross = law.covariance[np.ix_(rest, known)]
    factor = cho_factor(law.covariance[np.ix_(known, known)], lower=True)
    shift = cho_solve(factor, np.asarray(values, dtype=float) - law.mean[known])
    covariance = law.covariance[np.ix_(rest, rest)] - cross @ cho_solve(factor, cross.T)
    return _normal(law.mean[rest] + cross @ shift, covariance)


def linear_posterior(
    prior: Normal, matrix: Any, noise: Any, observed: Any
) -> tuple[Normal, Normal]:
    """Posterior of y and law of x for x | y ~ N(Xy, Ξ) and y ~ ``prior``."""
    matrix, noise = np.atleast_2d(np.asarray(matrix, float)), np.atleast_2d(noise)
    predicted = _normal(matrix @ prior.mean, noise + matrix @ prior.covariance @ matrix.T)
    gain = cho_solve(cho_factor(predicted.covariance, lower=True), matrix @ prior.covariance).T
    mean = prior.mean + gain @ (np.atleast_1d(observed) - predicted.mean)
    return _normal(mean, prior.covariance - gain @ matrix @ prior.covariance), predicted


def log_density(law: Normal, x: Any) -> float:
    """Ln of the density at ``x``."""
    factor = cho_factor(law.covariance, lower=True)
    gap = np.atleast_1d(np.asarray(x, dtype=float)) - law.mean
    log_det = 2.0 * float(np.log(np.diag(factor[0])).sum())
    return -0.5 * (len(gap) * math.log(2 * math.pi) + log_det + float(gap @ cho_solve(factor, gap)))


def natural_parameters(law: Normal) -> tuple[Floats, Floats]:
    """θ of p(x) ∝ exp(θ₁·x + x'θ₂x): Σ⁻¹μ, and −½Σ⁻¹ (the text's vector has its entries twice off
    the diagonal). The inverse is :func:`from_natural`.
    """
    factor = cho_factor(law.covariance, lower=True)
    inverse = cho_solve(factor, np.eye(len(law.mean)))
    return inverse @ law.mean, -0.5 * inverse


def from_natural(linear: Any, quadratic: Any) -> Normal:
    """The law from :func:`natural_parameters`."""
    covariance = np.linalg.inv(-2.0 * np.asarray(quadratic, dtype=float))
    return _normal(covariance @ np.asarray(linear, dtype=float), covariance)


def kl_divergence(q: Normal, p: Normal) -> float:
    """KL(q‖p) = ½(ln|P| − ln|Q| + tr(P⁻¹Q) + (μ_p−μ_q)'P⁻¹(μ_p−μ_q) − n)."""
    factor = cho_factor(p.covariance, lower=True)
    gap = p.mean - q.mean
    log_p = 2.0 * float(np.log(np.diag(factor[0])).sum())
    sign, log_q = np.linalg.slogdet(q.covariance)
    if sign <= 0:
        return math.inf
    spread = float(np.trace(cho_solve(factor, q.covariance)))
    value = 0.5 * (log_p - log_q + spread + float(gap @ cho_solve(factor, gap)) - len(gap))
    return max(0.0, value)


def gaussian_process_posterior(
    K: ArrayLike, mean: Any, covariance: Any, labels: ArrayLike
) -> Posterior:
    """What a Gaussian-process classifier publishes for the PAC-Bayes bounds.

    The prior is N(0, K) on the latent values of the training rows, the posterior N(μ, S), S a
    matrix or the variances of independent values; what the process does elsewhere is the same under
    both and cancels. The hyper-parameters must have been fixed before the data. ``labels`` are ±1.
    """
    labels = np.asarray(labels, dtype=float)
    posterior = _normal(mean, np.diag(covariance) if np.ndim(covariance) == 1 else covariance)
    prior = _normal(np.zeros(len(labels)), K)
    wrong = ndtr(-labels * posterior.mean / np.sqrt(np.diag(posterior.covariance)))
    return Posterior(
        len(labels), float(wrong.mean()), kl_divergence(posterior, prior), vote_is_model=True
    )
