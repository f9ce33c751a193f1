"""What nearest neighbours achieve with unlimited data, for a law whose posterior is known.

``eta`` holds values of P(y = +1 | x) at points drawn from (or weighted by) the law of x.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import binom


def bayes_risk(eta: Any, weights: Any = None) -> float:
    """E min(η, 1−η)."""
    eta = _check(eta)
    return float(np.average(np.minimum(eta, 1.0 - eta), weights=weights))


def nearest_neighbor_risk(eta: Any, weights: Any = None) -> float:
    """E 2η(1−η): the limit of the 1-nearest-neighbour rule (Cover and Hart 1967)."""
    eta = _check(eta)
    return float(np.average(2.0 * eta * (1.0 - eta), weights=weights))


def k_neighbor_risk(eta: Any, k: int, weights: Any = None) -> float:
    """Limit of the k-nearest-neighbour rule, odd k: the majority of k independent labels."""
    _odd(k)
    eta = _check(eta)
    says_minus = binom.cdf((k - 1) // 2, k, eta)
    return float(np.average(eta * says_minus + (1.0 - eta) * (1.0 - says_minus), weights=weights))


def cover_hart_limits(bayes: float) -> tuple[float, float]:
    """L* ≤ L_NN ≤ 2L*(1−L*), for a Bayes risk L* of two classes."""
    if not 0.0 <= bayes <= 0.5:
        raise ValueError(f"the Bayes risk of two classes lies in [0, 1/2], got {bayes!r}")
    return bayes, 2.0 * bayes * (1.0 - bayes)


def k_neighbor_limit(bayes: float, nearest: float, k: int) -> float:
    """L_kNN ≤ L* + √(2·L_NN/k), odd k."""
    _odd(k)
    return bayes + math.sqrt(2.0 * nearest / k)


def _odd(k: int) -> None:
    if k < 1 or k % 2 == 0:
        raise ValueError(f"k must be odd, so that no vote is tied; got {k}")


def _check(eta: Any) -> Any:
    eta = np.asarray(eta, dtype=float)
    if eta.size == 0 or not np.all((eta >= 0.0) & (eta <= 1.0)):
        raise ValueError("eta must hold probabilities between 0 and 1")
    return eta
