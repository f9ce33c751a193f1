"""An upper limit for the sum of two rates that were counted one after the other.

The union bound δ = δ₁ + δ₂ pays as if both counts were unlucky at once. Two p-values of which the
second is valid whatever the first was lie in a fixed down-set of area δ with probability at most δ,
so any such set, chosen before the counts, gives a joint region; here the set that would be best if
the counts came out as expected. For counts of different precision the widths then add up nearly
like standard deviations.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr
from scipy.stats import beta

from mercer.bounds.numerics.binomial import clopper_upper
from mercer.bounds.numerics.checks import as_level, check_counts

Floats = NDArray[np.float64]

_STEPS = 240
_LOG2 = math.log(2.0)
_LOG_FLOOR = -600.0  # of ln δ
_FLOOR = 0.02  # of δ: below this level the second rate is not trusted to any further digit
_ALL = 0.99  # a step that leaves less than the rest outside is cheaper to take whole


def sum_of_rates_upper(
    first: tuple[int, int],
    second: tuple[int, int],
    delta: float | None = None,
    *,
    expected: tuple[float, float],
    log_delta: float | None = None,
) -> float:
    """Upper limit of p + q, where ``first = (k, m)`` is a draw of Bin(m, p), and ``second`` of
    Bin(u, q) given the first; q may depend on k.

    Parameters
    ----------
    first, second
        Count and number of trials of either.
    delta, log_delta
        Failure probability, or its logarithm.
    expected
        The two rates as they were predicted without looking at the counts. Wrong predictions cost
        tightness, never validity.
    """
    (k, m), (d, u) = (check_counts(*pair, what="successes") for pair in (first, second))
    level = as_level(delta, log_delta)
    if level.log < _LOG_FLOOR:  # the steps would underflow; two halves are a down-set too
        halves = (clopper_upper(*pair, log_delta=level.log - _LOG2) for pair in ((k, m), (d, u)))
        return float(sum(halves))
    rates = [min(1.0, max(0.0, float(rate))) for rate in expected]
    usual = [min(n - 1, round(rate * n)) for rate, n in zip(rates, (m, u), strict=True)]
    levels, seconds = _steps(usual[0], m, usual[1], u, float(level))
    # outside the set, a first p-value of at least levels[i] goes with a second above seconds[i]
    return float(np.max(_limits(k, m, levels) + _limits(d, u, seconds)))


@lru_cache(maxsize=64)
def _steps(k: int, m: int, d: int, u: int, delta: float) -> tuple[Floats, Floats]:
    """The staircase of area δ under which every sum at the expected counts is about the same."""
    start = 0.02 * delta
    levels = np.geomspace(start, 1.0, _STEPS, endpoint=False)
    widths = np.diff(levels, append=1.0)
    limits = _limits(k, m, levels)

    def heights(total: float) -> Floats:
        room = total - limits
        inside = np.where(room > 0, bdtr(d, u, np.clip(room, 0.0, 1.0)), 1.0)
        inside = np.where(inside > _ALL, 1.0, inside)
        return np.maximum(np.where(room >= 1.0, 0.0, inside), _FLOOR * delta)

    low, high = 0.0, 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        too_much = start + float(widths @ heights(middle)) > delta
        low, high = (middle, high) if too_much else (low, middle)
    found = heights(high)
    keep = found < 1.0  # where the set reaches all second p-values, nothing is left outside
    return levels[keep], found[keep]


def _limits(k: int, n: int, levels: Floats) -> Floats:
    """Clopper–Pearson limits at many levels."""
    return np.ones_like(levels) if k == n else beta.isf(levels, k + 1, n - k)
