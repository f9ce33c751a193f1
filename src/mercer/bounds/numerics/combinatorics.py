"""Logarithms of factorial-sized numbers that keep their digits at n = 10^7.

``gammaln(1e7)`` is about 1.5e8, so differences of three of them lose eight digits. The saddle-point
form used here (C. Loader, *Fast and accurate computation of binomial probabilities*, 2000) never
forms the large numbers.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincc

from mercer.bounds.numerics.checks import as_count

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def stirling_error(x: float) -> float:
    """Ln Γ(x+1) minus Stirling's formula, for ``x > 0``."""
    if x < 16:
        return math.lgamma(x + 1.0) - (x + 0.5) * math.log(x) + x - _HALF_LOG_2PI
    y = 1.0 / (x * x)
    series = 1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188))))
    return series / x


def deviance(x: float, mean: float, difference: float | None = None) -> float:
    """x·ln(x/mean) − x + mean ≥ 0, accurate also when ``x`` and ``mean`` nearly agree.

    ``difference`` is x − mean if the caller knows it to more digits than the subtraction gives.
    """
    if x == 0.0:
        return mean
    if mean == 0.0:
        return math.inf
    gap = x - mean if difference is None else difference
    if abs(gap) < 0.1 * (x + mean):
        v = gap / (x + mean)
        total = gap * v
        term, j = 2.0 * x * v, 1
        while True:
            term *= v * v
            new = total + term / (2 * j + 1)
            if new == total:
                return new
            total, j = new, j + 1
    return x * math.log(x / mean) + mean - x


def log_binom(n: float, k: float) -> float:
    """Ln C(n, k) for ``0 <= k <= n``."""
    n, k = as_count(n, "n"), as_count(k, "k")
    if k > n:
        raise ValueError(f"C({n}, {k}) is zero: its logarithm does not exist")
    if k in (0, n):
        return 0.0
    k = min(k, n - k)  # C(n, k) = C(n, n−k), and k/n stays away from 1
    r = n - k
    entropy = k * math.log(n / k) - r * math.log1p(-k / n)
    errors = stirling_error(n) - stirling_error(k) - stirling_error(r)
    return errors + entropy + 0.5 * math.log(n / (2.0 * math.pi * k * r))


def log_growth(m: int, d: int) -> float:
    """Ln Φ(m, d), Φ = Σ_{i≤d} C(m, i): Sauer's bound on the number of dichotomies."""
    m, d = as_count(m, "m"), as_count(d, "d")
    everything = m * math.log(2.0)
    if d >= m:
        return everything
    if 2 * d >= m:  # all but the few large subsets, of which there are as many as small ones
        return everything + math.log1p(-math.exp(log_growth(m, m - d - 1) - everything))
    return _log_partial_sum(m, d)


def log_growth_closed(m: int, d: int) -> float:
    """d·(ln(m/d) + 1), the closed form (em/d)^d of Φ(m, d), valid for m ≥ d ≥ 1."""
    if not 1 <= d <= m:
        raise ValueError(f"the closed form needs 1 <= d <= m, got d={d}, m={m}")
    return d * (math.log(m / d) + 1.0)


def log_cover(m: int, d: int) -> float:
    """Ln of Cover's count 2·Σ_{i<d} C(m−1, i) of the dichotomies of m points by hyperplanes through
    the origin of R^d.
    """
    m, d = as_count(m, "m"), as_count(d, "d")
    if m < 1 or d < 1:
        raise ValueError(f"Cover's count needs m >= 1 and d >= 1, got m={m}, d={d}")
    return math.log(2.0) + log_growth(m - 1, d - 1)


def _log_partial_sum(m: int, d: int) -> float:
    """The largest term, d < m/2, and the others relative to it: C(m,i−1)/C(m,i) = i/(m−i+1) < 1.

    The k-th after it is smaller by at least (d/(m−d+1))^k and exp(−k²/(m+1)); those under e^−40 of
    it are left out.
    """
    if d == 0:
        return 0.0
    enough = min(math.sqrt(40.0 * (m + 1)), 40.0 / -math.log(d / (m - d + 1)))
    i = np.arange(d, d - min(d, math.ceil(enough)), -1, dtype=float)
    return log_binom(m, d) + math.log1p(float(np.cumprod(i / (m - i + 1.0)).sum()))


def log_maurer(m: int) -> float:
    """Ln ξ(m), ξ(m) = Σ_k C(m,k)(k/m)^k(1−k/m)^{m−k}, the exact constant of the PAC-Bayes-kl bound.

    By Abel's identity ξ(m) = (m!/m^m)·Σ_{k≤m} m^k/k!, which is a Poisson tail; √m ≤ ξ(m) ≤ 2√m.
    """
    m = as_count(m, "m")
    if m < 1:
        raise ValueError(f"m must be at least 1, got {m}")
    tail = float(gammaincc(m + 1.0, float(m)))
    return stirling_error(float(m)) + 0.5 * math.log(2.0 * math.pi * m) + math.log(tail)
