"""Tails of sums and their inverses, from Markov to McDiarmid and DKW.

Tail functions return a probability, ``*_radius`` functions the deviation that has probability δ.
One-sided unless said otherwise. ``n`` independent terms, mean deviation ``eps``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mercer.bounds.numerics.checks import (
    as_count,
    check_choice,
    check_counts,
    check_delta,
    check_nonnegative,
    check_positive,
    check_unit,
    log_level,
)
from mercer.bounds.numerics.root import increasing_root


def markov_tail(mean: float, threshold: float) -> float:
    """P(X ≥ threshold) ≤ mean/threshold for X ≥ 0."""
    return min(1.0, check_nonnegative(mean, "mean") / check_positive(threshold, "threshold"))


def markov_threshold(
    mean: float, delta: float | None = None, *, log_delta: float | None = None
) -> float:
    """mean/δ, which X ≥ 0 reaches with probability at most δ."""
    mean = check_nonnegative(mean, "mean")
    return mean and mean * _exp(-log_level(delta, log_delta))


def chebyshev_tail(n: int, variance: float, eps: float) -> float:
    """P(|mean − μ| ≥ eps) ≤ variance/(n·eps²), two-sided."""
    return min(
        1.0, check_nonnegative(variance, "variance") / (_n(n) * check_positive(eps, "eps") ** 2)
    )


def chebyshev_radius(
    n: int,
    delta: float | None = None,
    variance: float = 0.25,
    *,
    log_delta: float | None = None,
) -> float:
    """√(variance/(nδ)), two-sided."""
    spread = math.sqrt(check_nonnegative(variance, "variance") / _n(n))
    return spread and spread * _exp(-0.5 * log_level(delta, log_delta))


def hoeffding_tail(n: int, eps: float, width: float = 1.0, *, sides: int = 1) -> float:
    """P(mean − μ > eps) ≤ exp(−2n·eps²/width²) for terms in an interval of that width.

    ``sides=2`` speaks of |mean − μ|, at twice the probability.
    """
    ratio = check_nonnegative(eps, "eps") / check_positive(width, "width")
    return min(1.0, _sides(sides) * math.exp(-2.0 * _n(n) * ratio**2))


def hoeffding_radius(
    n: int,
    delta: float | None = None,
    width: float = 1.0,
    *,
    sides: int = 1,
    log_delta: float | None = None,
) -> float:
    """width·√(ln(sides/δ)/(2n))."""
    level = math.log(_sides(sides)) - log_level(delta, log_delta)
    return check_positive(width, "width") * math.sqrt(level / (2.0 * _n(n)))


def multiplicative_chernoff_tail(n: int, mean: float, t: float, *, side: str = "lower") -> float:
    """P(S ≤ (1−t)μ) ≤ exp(−nμt²/2), P(S ≥ (1+t)μ) ≤ exp(−nμt²/3), for a mean S of terms in [0, 1].

    The upper side needs t ≤ 1.
    """
    if side not in ("lower", "upper"):
        raise ValueError(f"side must be 'lower' or 'upper', got {side!r}")
    if not 0.0 < t <= 1.0:
        raise ValueError(f"t must lie in (0, 1], got {t!r}")
    mean = check_unit(mean, "mean")
    return math.exp(-_n(n) * mean * t * t / (2.0 if side == "lower" else 3.0))


def normal_interval(successes: int, n: int, delta: float) -> tuple[float, float]:
    """p̂ ± z√(p̂(1−p̂)/n), the textbook interval of the central limit theorem: no guarantee.

    Its coverage falls far below 1 − δ near 0 and 1; `clopper_lower` and `clopper_upper` do not.
    """
    successes, n = check_counts(successes, n, what="successes")
    rate = successes / n
    half = -float(ndtri(check_delta(delta) / 2.0)) * math.sqrt(rate * (1.0 - rate) / n)
    return rate - half, rate + half


def bernstein_tail(
    n: int, eps: float, variance: float, c: float = 1.0, *, form: str = "sharp"
) -> float:
    """P(mean > eps) for centred terms with |X| ≤ c.

    ``form="sharp"`` is exp(−n·eps²/(2s²+2c·eps/3)); ``"book"`` has c·eps in place of 2c·eps/3
    (Herbrich A.115).
    """
    eps, factor = check_nonnegative(eps, "eps"), _bernstein_factor(form)
    variance, c = check_nonnegative(variance, "variance"), check_positive(c, "c")
    return math.exp(-_n(n) * eps * eps / (2.0 * variance + factor * c * eps)) if eps else 1.0


def bernstein_radius(
    n: int,
    delta: float | None = None,
    variance: float = 0.25,
    c: float = 1.0,
    *,
    form: str = "sharp",
    log_delta: float | None = None,
) -> float:
    """The deviation whose Bernstein tail is exactly δ (the positive root of a quadratic)."""
    level = -log_level(delta, log_delta) / _n(n)
    half = 0.5 * _bernstein_factor(form) * check_positive(c, "c") * level
    return half + math.sqrt(half * half + 2.0 * check_nonnegative(variance, "variance") * level)


def bennett_tail(n: int, eps: float, variance: float, c: float = 1.0) -> float:
    """P(mean > eps) ≤ exp(−(n s²/c²)·h(c·eps/s²)), h(u) = (1+u)ln(1+u) − u."""
    eps, variance = check_nonnegative(eps, "eps"), check_positive(variance, "variance")
    c = check_positive(c, "c")
    return math.exp(-_n(n) * variance / (c * c) * _bennett_h(c * eps / variance))


def bennett_radius(
    n: int,
    delta: float | None = None,
    variance: float = 0.25,
    c: float = 1.0,
    *,
    log_delta: float | None = None,
) -> float:
    """The deviation whose Bennett tail is exactly δ."""
    level = -log_level(delta, log_delta) / _n(n)
    variance = check_positive(variance, "variance")
    hi = bernstein_radius(n, None, variance, c, log_delta=-level * n) * (1.0 + 1e-12)
    scale = variance / (c * c)
    return increasing_root(
        lambda e: scale * _bennett_h(c * e / variance) - level, 0.0, hi, safe="above"
    )


def empirical_bernstein_radius(
    n: int,
    delta: float | None = None,
    sample_variance: float = 0.25,
    width: float = 1.0,
    *,
    log_delta: float | None = None,
) -> float:
    """√(2V ln(2/δ)/n) + 7·width·ln(2/δ)/(3(n−1)), V the sample variance with divisor n−1.

    Maurer and Pontil (2009), theorem 4: with probability 1−δ the mean exceeds the sample mean by at
    most this.
    """
    n = _n(n)
    if n < 2:
        raise ValueError("the sample variance needs at least two observations")
    log2 = math.log(2.0) - log_level(delta, log_delta)
    variance = check_nonnegative(sample_variance, "sample_variance")
    width = check_positive(width, "width")
    return math.sqrt(2.0 * variance * log2 / n) + 7.0 * width * log2 / (3.0 * (n - 1))


def mcdiarmid_tail(differences: ArrayLike, eps: float, *, form: str = "sharp") -> float:
    """P(f − E f > eps) when replacing coordinate i moves f by at most ``differences[i]``.

    ``form="sharp"``: exp(−2eps²/Σc²), McDiarmid's constant; ``"book"``: exp(−eps²/(2Σc²)).
    """
    eps = check_nonnegative(eps, "eps")
    total = _sum_of_squares(differences)
    return math.exp(-_mcdiarmid_factor(form) * eps * eps / total)


def mcdiarmid_radius(
    differences: ArrayLike,
    delta: float | None = None,
    *,
    form: str = "sharp",
    log_delta: float | None = None,
) -> float:
    """The deviation whose McDiarmid tail is exactly δ."""
    total = _sum_of_squares(differences)
    return math.sqrt(-log_level(delta, log_delta) * total / _mcdiarmid_factor(form))


def dkw_radius(
    n: int, delta: float | None = None, *, sides: int = 1, log_delta: float | None = None
) -> float:
    """Massart's Dvoretzky–Kiefer–Wolfowitz radius √(ln(sides/δ)/(2n)) of an empirical distribution.

    The one-sided form is only proved for δ ≤ 1/2.
    """
    level, sides = log_level(delta, log_delta), _sides(sides)
    if sides == 1 and level > math.log(0.5) + 1e-12:
        raise ValueError("the one-sided DKW inequality needs delta <= 1/2")
    return math.sqrt((math.log(sides) - level) / (2.0 * _n(n)))


def _n(n: int) -> int:
    n = as_count(n, "n")
    if n < 1:
        raise ValueError("n must be at least 1")
    return n


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


def _sides(sides: int) -> int:
    if sides not in (1, 2):
        raise ValueError(f"sides must be 1 or 2, got {sides!r}")
    return sides


def _bennett_h(u: float) -> float:
    if u < 1e-4:  # the closed form cancels; what the series leaves out is below 1e-13 of it
        return u * u * (0.5 - u / 6.0 + u * u / 12.0)
    return (1.0 + u) * math.log1p(u) - u


def _bernstein_factor(form: str) -> float:
    return check_choice(form, {"sharp": 2.0 / 3.0, "book": 1.0}, "form")


def _mcdiarmid_factor(form: str) -> float:
    return check_choice(form, {"sharp": 2.0, "book": 0.5}, "form")


def _sum_of_squares(differences: ArrayLike | Iterable[float]) -> float:
    c = np.asarray(differences, dtype=float)
    if c.size == 0 or not np.all(np.isfinite(c)) or np.any(c < 0):
        raise ValueError("differences must be a non-empty list of finite numbers >= 0")
    return check_positive(float(np.sum(c * c)), "the sum of squared differences")
