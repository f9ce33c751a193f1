"""Mixtures of bets: limits of bounded means and of ratios of means, whatever the order of the rows.

A bet of a fixed share t of the wealth against "the mean is at most c" multiplies it by
1 + t(x − c)/c, never below 1 − t. The product over rows has mean at most 1 if the statement is
true, and so has its average over shares fixed in advance: it exceeds 1/δ with probability at most
δ (Markov). Shares from near 0 to 98 % make the average nearly as good as the best of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from mercer.bounds.numerics.checks import log_level
from mercer.bounds.numerics.root import increasing_root

Floats = NDArray[np.float64]

# 24 shares of the wealth by the arcsine law, which suits small and large means; equal weights
SHARES: Floats = 0.98 * np.sin(0.5 * np.pi * (np.arange(24) + 0.5) / 24) ** 2
SHARES.setflags(write=False)


def log_mixture(growth: Floats, repeats: Floats | None = None) -> float:
    """Ln of the mean over `SHARES` of Π(1 + t·g), each g at least −1 and counted ``repeats`` times.

    Distinct values are few where rows are counted, so the product costs shares × values.
    """
    counts = np.ones(len(growth)) if repeats is None else repeats
    with np.errstate(over="ignore"):
        logs = np.log1p(SHARES[:, None] * np.minimum(growth, 1e300)[None, :]) @ counts
    return float(logsumexp(logs)) - math.log(len(SHARES))


def mean_lower(x: ArrayLike, delta: float, *, low: float = 0.0, high: float = 1.0) -> float:
    """Lower limit of the mean of independent numbers in [low, high]."""
    level = log_level(delta)
    values, counts = _distinct(x, low, high)

    def short(c: float) -> float:  # falls with c: negative where "mean <= c" is not rejected
        return -(log_mixture(values / c - 1.0, counts) + level)

    if values.max() <= 0.0:
        return low
    limit = increasing_root(short, 1e-12, 1.0, safe="below")
    return low + (high - low) * (0.0 if limit <= 1e-12 else limit)


def mean_upper(x: ArrayLike, delta: float, *, low: float = 0.0, high: float = 1.0) -> float:
    """Upper limit of the mean of independent numbers in [low, high]."""
    mirrored = low + high - np.asarray(x, dtype=np.float64)
    return low + high - mean_lower(mirrored, delta, low=low, high=high)


def ratio_lower(
    above: ArrayLike, below: ArrayLike, delta: float, *, worst: float, counts: ArrayLike = ()
) -> float:
    """Lower limit of E[above]/E[below] ≤ 1, both at least 0.

    ``worst`` is the largest ``below`` that a row with ``above`` = 0 can have; a row that has both
    has ``below`` at most ``above`` + ``worst``. ``counts`` says how often each pair occurred.
    """
    level = log_level(delta)
    a, b = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    repeats = np.asarray(counts, dtype=np.float64) if np.size(counts) else np.ones(len(a))
    if not (a[repeats > 0] > 0).any():
        return 0.0

    def short(c: float) -> float:
        return -(log_mixture((a / c - b) / worst, repeats) + level)

    limit = increasing_root(short, 1e-12, 1.0, safe="below")
    return 0.0 if limit <= 1e-12 else limit


def ratio_upper(
    above: ArrayLike, below: ArrayLike, delta: float, *, worst: float, least: float = 0.0
) -> float:
    """Upper limit of E[above]/E[below], ``above`` in [0, worst]; infinite if nothing is known.

    ``least`` is returned if the limit is not above it, which is quick to see.
    """
    level = log_level(delta)
    a, b = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)

    def reached(ratio: float) -> float:
        return log_mixture((ratio * b - a) / worst) + level

    if least > 0.0 and (math.isinf(least) or reached(least) >= 0.0):
        return least
    high = max(1.0, 2.0 * least)
    while reached(high) < 0.0:
        high *= 4.0
        if high > 1e9:
            return math.inf
    return increasing_root(reached, 0.0, high, safe="above")


def _distinct(x: ArrayLike, low: float, high: float) -> tuple[Floats, Floats]:
    values = np.asarray(x, dtype=np.float64).ravel()
    if values.size == 0:
        raise ValueError("no observations")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"the range needs low < high, both finite; got [{low!r}, {high!r}]")
    if not np.isfinite(values).all() or values.min() < low or values.max() > high:
        raise ValueError(f"observations leave the declared range [{low:g}, {high:g}]")
    found, counts = np.unique((values - low) / (high - low), return_counts=True)
    return found, counts.astype(np.float64)
