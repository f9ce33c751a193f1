"""Binomial limits that are exact at every rate: one random number fills the gap between counts.

A count moves in whole steps, so the limits of Clopper and Pearson fail less often than δ. With a
number u drawn uniformly *before* counting, P(Bin < k) + u·P(Bin = k) is uniform at the true rate,
and so the limit fails with probability δ at any rate (Stevens, Biometrika 37, 1950). Whoever draws
until the number pleases has no limit at all: u comes from a seed that is kept in the record.
"""

from __future__ import annotations

import math

import numpy as np

from mercer.bounds.numerics.binomial import clopper_upper, log_cdf, log_pmf
from mercer.bounds.numerics.checks import check_counts, check_unit, log_level
from mercer.bounds.numerics.root import increasing_root

# below u = δ a count without errors would exclude every rate; there a larger u, valid too, is taken
_SMALLEST = 2.0


def drawn(seed: int) -> float:
    """The uniform number that belongs to a seed."""
    return float(np.random.default_rng(seed).random())


def stevens_upper(k: int, m: int, delta: float, u: float) -> float:
    """Upper limit of a rate from ``k`` of ``m``: P(Bin(m, p) < k) + u·P(Bin(m, p) = k) = δ."""
    k, m = check_counts(k, m)
    level = log_level(delta)
    u = min(1.0, max(check_unit(u, "u"), _SMALLEST * math.exp(level) if k == 0 else 0.0))
    if m == 0:
        return 1.0

    def short(p: float) -> float:
        below = log_cdf(k - 1, m, p) if k else -math.inf
        at = log_pmf(k, m, p) + (math.log(u) if u else -math.inf)
        return level - float(np.logaddexp(below, at))

    top = clopper_upper(k, m, delta)  # u = 1
    return top if u == 1.0 else increasing_root(short, 0.0, top, safe="above")


def stevens_lower(k: int, m: int, delta: float, u: float) -> float:
    """Lower limit of a rate: the upper limit of the misses."""
    return 1.0 - stevens_upper(m - k, m, delta, u)
