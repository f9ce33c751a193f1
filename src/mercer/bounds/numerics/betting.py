"""Confidence limits for the mean of bounded observations by betting against it.

A gambler who stakes a fraction λ_t, chosen before seeing X_t, against "the mean is m" cannot grow
rich if it is. Upper limit: the largest m at which the gambler betting on smaller values has never
reached 1/δ (Waudby-Smith and Ramdas, JRSS-B 86, 2024). The stake is the empirical-Bernstein one,
truncated so that the wealth stays positive. The wealth increases with m, so the limit is one root.
Observations only need a common conditional mean: adaptivity is allowed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from mercer.bounds.numerics.checks import log_level
from mercer.bounds.numerics.root import increasing_root

Floats = NDArray[np.float64]

MOST_MIXED = 300
FIXED: Floats = np.array([0.03, 0.2, 0.5, 0.75, 0.93, 0.98])  # shares of the wealth, half of it
FIXED.setflags(write=False)


def betting_upper(
    x: ArrayLike,
    delta: float | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    anytime: bool = False,
    truncation: float = 0.5,
    log_delta: float | None = None,
) -> float:
    """Upper confidence limit of the mean of ``x`` in [low, high].

    Parameters
    ----------
    x
        Observations in the order they came, or in any other that does not depend on them. Sorted
        ones give nonsense: the stakes would know what follows.
    anytime
        Stakes that do not know the final sample size: the limit then holds at every sample size
        simultaneously. ``False`` tunes the stakes to ``len(x)``.
    truncation
        Largest share of the wealth at risk, in (0, 1).
    """
    level = log_level(delta, log_delta)
    unit = _to_unit(x, low, high)
    if not 0.0 < truncation < 1.0:
        raise ValueError(f"truncation must lie in (0, 1), got {truncation!r}")
    stakes = _stakes(unit, level, anytime)

    def log_wealth(m: float) -> float:
        lam = np.minimum(stakes, truncation / (1.0 - m)) if m < 1.0 else stakes
        return float(np.max(np.cumsum(np.log1p(lam * (m - unit))))) + level

    top = increasing_root(log_wealth, 0.0, 1.0, safe="above")
    return low + (high - low) * top


def betting_lower(
    x: ArrayLike,
    delta: float | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    anytime: bool = False,
    truncation: float = 0.5,
    log_delta: float | None = None,
) -> float:
    """Lower confidence limit of the mean: the upper limit of the mirrored observations."""
    mirrored = low + high - np.asarray(x, dtype=float)
    upper = betting_upper(
        mirrored,
        delta,
        low=low,
        high=high,
        anytime=anytime,
        truncation=truncation,
        log_delta=log_delta,
    )
    return low + high - upper


def mixed_upper(
    x: ArrayLike,
    delta: float | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    log_delta: float | None = None,
) -> float:
    """Upper limit of the mean by two gamblers with half of the wealth each.

    One stakes as in `betting_upper`, the other splits his half over fixed shares of the wealth, up
    to nearly all of it: that is what small means and few observations need. Half the sum of the
    two is a fair game as well, and more than 1/δ at any time with probability at most δ. Of 10 to
    60 small means the limit is .82 to .95 of `betting_upper`, of rare zero-one losses at 100 to
    300 up to 1.05 of it. For more than `MOST_MIXED` observations, where nothing is left to
    gain, it is `betting_upper`.
    """
    unit = _to_unit(x, low, high)
    if len(unit) > MOST_MIXED:
        return betting_upper(x, delta, low=low, high=high, log_delta=log_delta)
    level = log_level(delta, log_delta)
    stakes = _stakes(unit, level, anytime=False)

    def log_wealth(m: float) -> float:
        left = max(1.0 - m, 1e-300)
        first = np.cumsum(np.log1p(np.minimum(stakes, 0.5 / left) * (m - unit)))
        fixed = np.log1p(FIXED[:, None] * np.minimum((m - unit) / left, 1e300))
        second = logsumexp(np.cumsum(fixed, axis=1), axis=0) - math.log(len(FIXED))
        return float(np.max(np.logaddexp(first, second))) - math.log(2.0) + level

    top = increasing_root(log_wealth, 0.0, 1.0, safe="above")
    return low + (high - low) * top


def betting_interval(
    x: ArrayLike,
    delta: float | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    anytime: bool = False,
    log_delta: float | None = None,
) -> tuple[float, float]:
    """Two-sided interval, δ/2 on each side (the hedged capital process)."""
    log_half = log_level(delta, log_delta) - math.log(2.0)
    return (
        betting_lower(x, low=low, high=high, anytime=anytime, log_delta=log_half),
        betting_upper(x, low=low, high=high, anytime=anytime, log_delta=log_half),
    )


def betting_sequence(
    x: ArrayLike,
    delta: float | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    log_delta: float | None = None,
) -> NDArray[np.float64]:
    """Upper limits after 1, 2, ..., n observations, all valid together with probability 1−δ."""
    values, level = np.asarray(x, dtype=float), log_level(delta, log_delta)
    limits = [
        betting_upper(values[: t + 1], low=low, high=high, anytime=True, log_delta=level)
        for t in range(len(values))
    ]
    return np.minimum.accumulate(np.asarray(limits))


def _to_unit(x: ArrayLike, low: float, high: float) -> Floats:
    values = np.asarray(x, dtype=float).ravel()
    if values.size == 0:
        raise ValueError("no observations")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"the range needs low < high, both finite; got [{low!r}, {high!r}]")
    if not np.all(np.isfinite(values)):
        raise ValueError("the observations contain NaN or infinity")
    if values.min() < low or values.max() > high:
        raise ValueError(
            f"observations lie in [{values.min()}, {values.max()}], outside the declared range "
            f"[{low}, {high}]; a bounded-mean limit would be invalid"
        )
    return (values - low) / (high - low)


def _stakes(x: Floats, level: float, anytime: bool) -> Floats:
    """Predictable plug-in stakes √(2 ln(1/δ)/(n σ̂²_{t−1})), σ̂² regularised towards 1/4."""
    n = len(x)
    t = np.arange(1, n + 1, dtype=float)
    mean = (0.5 + np.cumsum(x)) / (t + 1.0)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1.0)
    past = np.concatenate(([0.25], spread[:-1]))
    horizon = t * np.log1p(t) if anytime else float(n)
    return np.sqrt(-2.0 * level / (horizon * past))
