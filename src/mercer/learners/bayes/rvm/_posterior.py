"""Posterior of a linear model whose weights have prior variances of their own.

Notation of the text: θ are prior variances (Tipping's α is 1/θ), ζ_i = 1 - Σ_ii/θ_i says how much
of weight i the data determine. All functions see the active columns only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, qr, solve_triangular
from scipy.linalg.lapack import dpotri
from scipy.special import expit, log_expit

Floats = NDArray[np.float64]
HALVINGS = 8


@dataclass
class WeightPosterior:
    """Mean, covariance and log evidence of the active weights."""

    mean: Floats
    covariance: Floats
    log_evidence: float
    residual: float = 0.0  # weighted sum of squares, regression only
    output: Floats | None = None

    def determined(self, theta: Floats) -> Floats:
        """ζ of the active weights."""
        return np.clip(1.0 - np.diagonal(self.covariance) / theta, 0.0, 1.0)


def _inverse(precision: Floats) -> tuple[Floats, float]:
    """Inverse and log determinant of a positive definite matrix."""
    scale = 1.0 / np.sqrt(np.diagonal(precision))  # prior variances differ by many orders
    upper = cholesky(precision * scale[:, None] * scale, check_finite=False)
    inverse, failed = dpotri(upper, lower=0)
    if failed:
        raise np.linalg.LinAlgError("the precision of the weights is singular to rounding")
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    inverse *= scale[:, None] * scale
    return inverse, float(2.0 * np.sum(np.log(np.diagonal(upper)) - np.log(scale)))


def regression_posterior(
    gram: Floats,
    moment: Floats,
    energy: float,
    rows: int,
    theta: Floats,
    noise: float,
    shift: float = 0.0,
) -> WeightPosterior:
    """From X'X, X't and t't of the active columns; ``rows`` is the number of targets.

    Log evidence: -½[m ln 2π + m ln σ² + ln|Σ^-1| + Σ ln θ + |t-Xμ|²/σ² + Σ μ²/θ], and ``shift``,
    ½ Σ ln w for rows that were multiplied by the roots of their weights.
    """
    if not len(theta):
        log = shift - 0.5 * (rows * math.log(2 * math.pi * noise) + energy / noise)
        return WeightPosterior(np.empty(0), np.empty((0, 0)), log, energy)
    covariance, log_precision = _inverse(gram / noise + np.diag(1.0 / theta))
    mean = covariance @ moment / noise
    residual = max(0.0, energy - 2.0 * float(mean @ moment) + float(mean @ gram @ mean))
    log = shift - 0.5 * (
        rows * math.log(2 * math.pi * noise)
        + log_precision
        + float(np.sum(np.log(theta)))
        + residual / noise
        + float(np.sum(mean**2 / theta))
    )
    return WeightPosterior(mean, covariance, log, residual)


def factorised_posterior(
    X: Floats, t: Floats, rows: int, theta: Floats, noise: float, shift: float = 0.0
) -> WeightPosterior:
    """The same from the columns themselves: R'R = X'X/σ² + 1/θ without forming the products.

    Products square the condition of the columns, so that their Cholesky factor knows half of the
    digits; here all are known.
    """
    k = len(theta)
    basis, upper = qr(_with_prior(X, theta, noise), mode="economic", check_finite=False)
    inverse = solve_triangular(upper, np.eye(k), check_finite=False)
    root = np.sqrt(theta)
    mean = root * (inverse @ (basis[: len(t)].T @ t) / math.sqrt(noise))
    residual = float(np.sum((t - X @ mean) ** 2))
    log = shift - 0.5 * (
        rows * math.log(2 * math.pi * noise)
        + 2.0 * float(np.sum(np.log(np.abs(np.diagonal(upper)))))
        + residual / noise
        + float(np.sum(mean**2 / theta))
    )
    inverse *= root[:, None]
    return WeightPosterior(mean, inverse @ inverse.T, log, residual)


def seen_lengths(X: Floats, active: list[int], theta: Floats, noise: float) -> Floats:
    """φ'X_a Σ X_a'φ/σ² of all columns φ: their squared lengths within what is active."""
    basis = qr(_with_prior(X[:, active], theta, noise), mode="economic", check_finite=False)[0]
    inside = basis[: len(X)].T @ X
    return np.asarray(np.einsum("ij,ij->j", inside, inside))


def _with_prior(X: Floats, theta: Floats, noise: float) -> Floats:
    """Rows whose squares are the precision of the weights divided by the roots of θ."""
    return np.vstack([X * np.sqrt(theta / noise), np.eye(len(theta))])


def classification_posterior(
    X: Floats,
    y: Floats,
    weight: Floats,
    theta: Floats,
    start: Floats | None = None,
    tol: float = 1e-9,
    max_iter: int = 50,
) -> WeightPosterior:
    """Laplace's approximation at the mode of the weights; y is -1 or +1, standard logistic.

    Newton with step halving; the objective J(w) = Σ ln P(y|Xw) - ½ Σ w²/θ never decreases.
    """
    w = np.zeros(X.shape[1]) if start is None else start.copy()
    output = X @ w

    def objective(w: Floats, output: Floats) -> float:
        return float(weight @ log_expit(y * output) - 0.5 * np.sum(w**2 / theta))

    value = objective(w, output)
    for step_number in range(max_iter + 1):
        p = expit(output)
        gradient = X.T @ (weight * ((y + 1.0) / 2.0 - p)) - w / theta
        bend = weight * p * (1.0 - p)
        precision = (X * bend[:, None]).T @ X + np.diag(1.0 / theta)
        covariance, log_precision = _inverse(precision)
        step = covariance @ gradient
        if float(gradient @ step) < tol or step_number == max_iter:
            break  # after the covariance, which belongs to this point
        eta = 1.0
        moved = X @ step
        for _ in range(HALVINGS + 1):
            trial = objective(w + eta * step, output + eta * moved)
            if trial >= value:
                break
            eta *= 0.5
        else:
            break
        w, output, value = w + eta * step, output + eta * moved, trial
    log = value - 0.5 * (log_precision if len(theta) else 0.0) - 0.5 * float(np.sum(np.log(theta)))
    return WeightPosterior(w, covariance, log, output=output)


def next_theta(posterior: WeightPosterior, theta: Floats, update: str) -> Floats:
    """The text's updates: "fast" θ = μ²/ζ (B.23), or "em" θ = Σ_ii + μ² (B.22)."""
    if update == "em":
        return np.diagonal(posterior.covariance) + posterior.mean**2
    zeta = posterior.determined(theta)
    rounding = 1e-12
    safe = np.where(zeta > rounding, zeta, np.inf)  # undetermined to rounding: prune
    return posterior.mean**2 / safe
