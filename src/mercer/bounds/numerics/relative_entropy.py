"""kl(q‖p) of two coins and its two inverses."""

from __future__ import annotations

import math

from mercer.bounds.numerics.checks import check_nonnegative, check_unit
from mercer.bounds.numerics.combinatorics import deviance
from mercer.bounds.numerics.root import increasing_root


def kl(q: float, p: float) -> float:
    """q·ln(q/p) + (1−q)·ln((1−q)/(1−p)), with 0·ln 0 = 0; infinite if p cannot produce q."""
    q, p = check_unit(q, "q"), check_unit(p, "p")
    if q == 0.0:
        return -math.log1p(-p) if p < 1.0 else math.inf
    if q == 1.0:
        return abs(math.log(p)) if p > 0.0 else math.inf
    return deviance(q, p) + deviance(1.0 - q, 1.0 - p, p - q)


def kl_upper(q: float, c: float) -> float:
    """Largest p ≥ q with kl(q‖p) ≤ c, rounded up."""
    q, c = check_unit(q, "q"), _budget(c)
    if q == 1.0 or c == math.inf:
        return 1.0
    if c == 0.0:
        return q
    if q == 0.0:
        return -math.expm1(-c)
    # kl(q||p) >= (p-q)^2/(2p) and >= 2(p-q)^2: both give a point beyond the root.
    hi = min(1.0, q + math.sqrt(0.5 * c), q + math.sqrt(2.0 * q * c) + 2.0 * c)
    hi = min(1.0, hi * (1.0 + 1e-12))
    return increasing_root(lambda p: kl(q, p) - c, q, hi, safe="above")


def kl_lower(q: float, c: float) -> float:
    """Smallest p ≤ q with kl(q‖p) ≤ c, rounded down."""
    q, c = check_unit(q, "q"), _budget(c)
    if q == 0.0 or c == math.inf:
        return 0.0
    if c == 0.0:
        return q
    if q == 1.0:
        return math.exp(-c)
    # The root can be e^-700 or smaller, so the search runs over ln p. kl(q||p) >= q ln(q/p) - q
    # puts it above q e^{-(c/q) - 1}.
    lo = math.log(q) - c / q - 1.0
    if lo < -700.0 and kl(q, math.exp(-700.0)) <= c:
        return 0.0
    lo = max(lo, -700.0)
    root = increasing_root(lambda u: c - kl(q, math.exp(u)), lo, math.log(q), safe="below")
    return min(q, math.exp(root))


def _budget(c: float) -> float:
    return c if c == math.inf else check_nonnegative(c, "the kl budget")
