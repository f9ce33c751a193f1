"""The risk of a decision from the number of points that determine it (Campi and Garatti).

The published polynomials are sums of up to 4n binomial coefficients. Written with ε = 1 − t they
are binomial probabilities, so they are solved in log space at any n: the sum
Σ_{i=k}^{n−1} C(i,k) t^{i−k} equals ε^{−(k+1)}·P(Bin(n,ε) ≥ k+1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from mercer.bounds.numerics.binomial import log_cdf, log_pmf, log_sf
from mercer.bounds.numerics.checks import check_counts, check_positive, log_level
from mercer.bounds.numerics.combinatorics import log_binom
from mercer.bounds.numerics.martingale import tune_c
from mercer.bounds.numerics.root import increasing_root


def scenario_upper(
    k: int, n: int, delta: float | None = None, *, log_delta: float | None = None
) -> float:
    """One-sided ε(k): the root of C(n,k)(1−ε)^{n−k} = (δ/n)·Σ_{i=k}^{n−1} C(i,k)(1−ε)^{i−k}.

    A preferent compression scheme that kept ``k`` of ``n`` points changes on a new point with
    probability at most ε(k), with confidence 1−δ (Campi and Garatti, JMLR 24, 2023).
    """
    k, n = check_counts(k, n, what="kept points")
    level = log_level(delta, log_delta)
    if k == n:
        return 1.0

    def excess(eps: float) -> float:
        return level + log_sf(k + 1, n, eps) - math.log(n) - math.log(eps) - log_pmf(k, n, eps)

    return increasing_root(excess, _start(k, n), 1.0 - 2.0**-53, safe="above")


def scenario_interval(
    k: int, n: int, delta: float | None = None, *, log_delta: float | None = None
) -> tuple[float, float]:
    """Two-sided (ε_low(k), ε_up(k)) of the scenario approach with relaxed constraints.

    Roots of C(n,k)t^{n−k} = (δ/2n)Σ_{i=k}^{n−1}C(i,k)t^{i−k} + (δ/6n)Σ_{i=n+1}^{4n}C(i,k)t^{i−k}
    (Garatti and Campi, Math. Programming 191, 2022, theorem 2; JMLR 22:288, 2021 for SVM, SVR and
    SVDD). The lower end needs a non-degenerate problem.
    """
    k, n = check_counts(k, n, what="kept points")
    level = log_level(delta, log_delta)

    def excess(eps: float) -> float:
        """ln(right side) − ln(left side), after multiplying both by ε^{k+1}."""
        inner = math.log(0.5) + log_sf(k + 1, n, eps) if k < n else -math.inf
        outer = math.log(1.0 / 6.0) + _log_outer_sum(k, n, eps)
        right = float(np.logaddexp(inner, outer)) + level - math.log(n)
        return right - math.log(eps) - log_pmf(k, n, eps)

    upper = 1.0 if k == n else increasing_root(excess, _start(k, n), 1.0 - 2.0**-53, safe="above")
    if k == 0:
        return 0.0, upper
    middle = k / n if k < n else 1.0 - 2.0**-53
    tiny = 1e-12 / n
    if excess(tiny) <= 0.0:
        return 0.0, upper
    return increasing_root(lambda e: -excess(e), tiny, middle, safe="below"), upper


def preferent_upper(
    k: int,
    n: int,
    delta: float | None = None,
    *,
    sizes: Sequence[int],
    weights: Sequence[float],
    log_delta: float | None = None,
) -> float:
    """ε(k) with multipliers δ·w_i at the sizes m_i < n: the root of
    δ·Σ_{m_i ≥ k} w_i C(m_i,k)/C(n,k)·(1−ε)^{−(n−m_i)} = 1.

    Sizes and weights must be fixed before the ``n`` compressed points are seen.
    """
    k, n = check_counts(k, n, what="kept points")
    level = log_level(delta, log_delta)
    if len(sizes) != len(weights) or not len(sizes):
        raise ValueError("sizes and weights must have the same positive length")
    ws = [check_positive(w, "a weight") for w in weights]
    if sum(ws) > 1.0 + 1e-9:
        raise ValueError(f"the weights must sum to at most 1, got {sum(ws)}")
    if any(not 0 <= m < n for m in sizes):
        raise ValueError(f"every size must lie in 0..{n - 1}, got {list(sizes)}")
    usable = [(m, w) for m, w in zip(sizes, ws, strict=True) if m >= k]
    if k == n or not usable:
        return 1.0
    base = log_binom(n, k)
    lead = np.array([math.log(w) + log_binom(m, k) - base for m, w in usable])
    rest = np.array([float(n - m) for m, _ in usable])

    def excess(log_inverse: float) -> float:  # log_inverse = -ln(1 - eps)
        return level + float(logsumexp(lead + rest * log_inverse))

    hi = float(np.min((-level - lead) / rest)) * (1.0 + 1e-12)
    return -math.expm1(-increasing_root(excess, 0.0, hi, safe="above"))


def tune_multipliers(
    expected: float, n: int, delta: float
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Sizes and weights for :func:`preferent_upper` if about ``expected`` of the rows will be kept.

    Sizes n·e^{−c/2}, n·e^{−c}, n·e^{−2c} around the optimal c of a Chernoff bound, weights 0.1,
    0.8 and 0.1: near-optimal at the expected rate and safe around it. ``expected`` must come from
    other rows.
    """
    c = tune_c(expected, n, delta)
    sizes = tuple(
        min(n - 1, max(1, round(n * math.exp(-c * factor)))) for factor in (0.5, 1.0, 2.0)
    )
    return sizes, (0.1, 0.8, 0.1)


def _start(k: int, n: int) -> float:
    """A point between the two roots."""
    return max(k, 1) / n if n > 1 else 0.5


def _log_outer_sum(k: int, n: int, eps: float) -> float:
    """Ln of P(Bin(4n+1, ε) ≥ k+1) − P(Bin(n+1, ε) ≥ k+1), by whichever tails are the small ones."""
    if eps * n < k:
        return _log_difference(log_sf(k + 1, 4 * n + 1, eps), log_sf(k + 1, n + 1, eps))
    return _log_difference(log_cdf(k, n + 1, eps), log_cdf(k, 4 * n + 1, eps))


def _log_difference(big: float, small: float) -> float:
    """ln(e^big − e^small) for big ≥ small."""
    if small >= big:
        return -math.inf
    return big + math.log(-math.expm1(small - big))
