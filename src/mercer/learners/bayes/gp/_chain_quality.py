"""How far chains of draws can be trusted: effective sample size and R-hat.

Gelman et al., Bayesian Data Analysis (2013), section 11.4 and 11.5, with the chains cut in halves;
the sum of autocorrelations ends as Geyer (1992) proposes.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

Floats = NDArray[np.float64]
FEWEST = 8  # draws per chain: with fewer nothing can be said
R_HAT = 1.05
EFFECTIVE = 100


def r_hat(draws: Floats) -> Floats:
    """Spread of all draws over the spread within half chains, of draws (chains, draws, ...).

    One where the chains agree; NaN for fewer than eight draws per chain.
    """
    if draws.shape[1] < FEWEST:
        return np.full(draws.shape[2:], np.nan)
    within, total, _ = _variances(_halves(draws))
    return np.sqrt(np.divide(total, within, out=np.ones_like(total), where=within > 0))


def effective_sample_size(draws: Floats) -> Floats:
    """How many independent draws are worth these ones, of shape (chains, draws, ...)."""
    if draws.shape[1] < FEWEST:
        return np.full(draws.shape[2:], np.nan)
    halves = _halves(draws)
    within, total, centred = _variances(halves)
    m, n = halves.shape[:2]
    spectrum = np.fft.rfft(centred, n=2 * n, axis=1)
    lagged = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n].mean(axis=0) / (n - 1)
    safe = np.where(total > 0, total, 1.0)
    correlation = 1.0 - (within - lagged) / safe
    even = n - n % 2
    pairs = correlation[0:even:2] + correlation[1:even:2]
    going = np.logical_and.accumulate(pairs > 0, axis=0)
    pairs = np.minimum.accumulate(np.where(going, pairs, 0.0), axis=0)
    time = np.maximum(2.0 * pairs.sum(axis=0) - 1.0, 1.0 / np.log10(m * n))
    return np.where(total > 0, m * n / time, float(m * n))


def _halves(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, half : 2 * half]])


def _variances(halves: Floats) -> tuple[Floats, Floats, Floats]:
    """Within the half chains, of all draws, and the deviations from each one's mean."""
    n = halves.shape[1]
    means = halves.mean(axis=1, keepdims=True)
    centred = halves - means
    within = np.sum(centred**2, axis=1).mean(axis=0) / (n - 1)
    between = means[:, 0].var(axis=0, ddof=1)
    return within, (n - 1) / n * within + between, centred


def warn_of(quality: list[tuple[Floats, Floats]]) -> None:
    """Warn if the draws of some latent value, (R-hat, size) of each process, are not enough."""
    worst = max(float(np.max(ratio)) for ratio, _ in quality)
    fewest = min(float(np.min(size)) for _, size in quality)
    if worst <= R_HAT and fewest >= EFFECTIVE:
        return
    warnings.warn(
        f"the chains have not mixed well: the largest r_hat_ is {worst:.3g} (at most {R_HAT}), "
        f"the smallest effective_sample_size_ {fewest:.3g} (at least {EFFECTIVE}; NaN: too few "
        "draws to tell). Probabilities of single rows may be far off; raise n_samples and burn_in.",
        ConvergenceWarning,
        stacklevel=6,  # whoever called fit
    )
