"""All prior variances of the active columns and the noise at once: Newton's steps on the evidence.

Changing one column at a time goes on for thousands of steps where columns are nearly spanned by
each other, or where the noise is small. With β = 1/θ, b = 1/σ², D = diag β, Σ the covariance and μ
the mean of k active weights, r the squared residual of m rows, the log evidence L has

    ∂L/∂ln β_i = ½(1 - β_i Σ_ii - β_i μ_i²),          ∂L/∂ln b = ½(m - Σ_i(1 - β_i Σ_ii) - b r),
    ∂²L/∂ln β_i ∂ln β_j = ½ β_i β_j (Σ_ij² + 2 μ_i Σ_ij μ_j), on the diagonal + ∂L/∂ln β_i - ½,
    ∂²L/∂ln β_i ∂ln b = ½ β_i ((Σ - ΣDΣ)_ii - 2 μ_i (ΣDμ)_i),
    ∂²L/∂(ln b)² = ½(2 (Dμ)'ΣDμ - Σ_i β_i (Σ - ΣDΣ)_ii - b r),

because dΣ/dln β_j = -β_j Σ_j Σ_j', dμ/dln β_j = -β_j μ_j Σ_j and bΣX'X = 1 - ΣD.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mercer.learners.bayes.rvm._posterior import WeightPosterior

Floats = NDArray[np.float64]
Posterior = Callable[[Floats, float], WeightPosterior]
STEPS = 100
FARTHEST = 3.0  # in logs, of one step
DAMPING = 1e-3  # at first, of curvatures that are at most ½ or m/2
HOPELESS = 1e8


def slopes(
    posterior: WeightPosterior, theta: Floats, noise: float, rows: int
) -> tuple[Floats, Floats]:
    """Gradient and second derivatives in ln β, and in ln b as the last."""
    covariance, mean, beta, b = posterior.covariance, posterior.mean, 1.0 / theta, 1.0 / noise
    k = len(theta)
    own = beta * np.diagonal(covariance)
    gradient, bend = np.empty(k + 1), np.empty((k + 1, k + 1))
    gradient[:k] = 0.5 * (1.0 - own - beta * mean**2)
    gradient[k] = 0.5 * (rows - np.sum(1.0 - own) - b * posterior.residual)

    both = covariance * (covariance + 2.0 * np.outer(mean, mean))
    bend[:k, :k] = 0.5 * beta[:, None] * both * beta
    bend[np.arange(k), np.arange(k)] += gradient[:k] - 0.5
    # (Σ - ΣDΣ)_ii, of which the data determine what the prior has left over
    left = np.diagonal(covariance) - np.einsum("ij,j,ij->i", covariance, beta, covariance)
    pulled = covariance @ (beta * mean)
    bend[:k, k] = bend[k, :k] = 0.5 * beta * (left - 2.0 * mean * pulled)
    bend[k, k] = float(mean * beta @ pulled) - 0.5 * (float(beta @ left) + b * posterior.residual)
    return gradient, bend


def climb(
    evidence_of: Posterior,
    posterior: WeightPosterior,
    theta: Floats,
    noise: float,
    rows: int,
    *,
    learn: bool,
    floor: float,
    tol: float,
    over: Callable[[float], bool],
) -> tuple[WeightPosterior, Floats, float]:
    """Newton's damped steps, each of which raises the log evidence, until one promises < ``tol``.

    ``evidence_of`` gives the posterior for prior variances and a noise, ``over`` is told what each
    step has gained and may put an end to them. The noise stays above ``floor``, and where it is if
    it is not to be learned.
    """
    damping, k = DAMPING, len(theta)
    for _ in range(STEPS):
        gradient, bend = slopes(posterior, theta, noise, rows)
        size = k + int(learn and (noise > floor or gradient[k] < 0))
        step, damping = _damped(gradient[:size], bend[:size, :size], damping)
        promised = float(gradient[:size] @ step)
        if promised < tol:
            break
        step = np.append(step, np.zeros(k + 1 - size))
        new_theta, new_noise = theta * np.exp(-step[:k]), max(noise * np.exp(-step[k]), floor)
        try:
            new = evidence_of(new_theta, float(new_noise))
        except LinAlgError:
            new = None
        if new is None or not new.log_evidence > posterior.log_evidence:
            damping *= 10.0
            if damping > HOPELESS:
                break
            continue
        gain = new.log_evidence - posterior.log_evidence
        posterior, theta, noise = new, new_theta, float(new_noise)
        damping = max(damping / 5.0, 1e-9)
        if over(gain):
            break
    return posterior, theta, noise


def _damped(gradient: Floats, bend: Floats, damping: float) -> tuple[Floats, float]:
    """A step uphill that stays within what is believed, and the damping that made it so."""
    if not len(gradient):
        return gradient, damping
    scale = np.maximum(1.0, np.abs(np.diagonal(bend)))
    while True:
        try:
            factor = cho_factor(-bend + np.diag(damping * scale), check_finite=False)
            break
        except LinAlgError:
            damping *= 4.0
    step = cho_solve(factor, gradient, check_finite=False)
    longest = float(np.max(np.abs(step)))
    return step * min(1.0, FARTHEST / longest) if longest > 0 else step, damping
