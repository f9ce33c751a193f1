"""Covering numbers in base-2 logarithms, and what they say about a classifier without error.

N(ε, n) is the size of the smallest set of vectors that comes within ε, in every coordinate, of the
outputs of each function of the class on n points, for the worst n points.
"""

from __future__ import annotations

import math

from mercer.bounds.numerics.checks import check_positive, log_level
from mercer.bounds.numerics.combinatorics import log_binom

_LOG2 = math.log(2.0)
_OUTWARD = 1.0 + 1e-12


def log2_cover_linear(epsilon: float, n: int, *, ball: float = 1.0, radius: float = 1.0) -> float:
    """Logarithm ld C(2n+T, T) with T = ⌊(ball·radius/ε)²⌋, for x ↦ ⟨w,x⟩, ‖w‖ ≤ ball, ‖x‖ ≤ radius.

    Start from w' = 0 and, as long as some point has |⟨w−w',x⟩| > ε, add ±(ε/radius²)·x to w': each
    step lowers ‖w−w'‖² by more than (ε/radius)², so at most T steps are made. A cover element is
    thus a multiset of at most T signed points out of 2n. ``docs/theory/own-proofs.md`` has the
    whole proof, and how one cover serves all margins of a stratum.
    """
    check_positive(epsilon, "epsilon")
    # rounded up, so that one step too few never comes from the last digit of a measured margin
    ratio = ball * radius / epsilon
    if not ratio < 1e9:
        return math.inf
    steps = math.floor(ratio * ratio * _OUTWARD)
    return log_binom(2 * n + steps, steps) / _LOG2


def log2_cover_zhang(epsilon: float, n: int, *, ball: float = 1.0, radius: float = 1.0) -> float:
    """36(ab/ε)²·ld(2⌈4ab/ε + 2⌉n + 1), Zhang's closed form for the same class.

    It is never below :func:`log2_cover_linear`, which proves it: C(2n+T, T) ≤ (2n+1)^T.
    """
    check_positive(epsilon, "epsilon")
    ratio = ball * radius / epsilon
    return 36.0 * ratio**2 * math.log2(2.0 * math.ceil(4.0 * ratio + 2.0) * n + 1.0)


def log2_cover_alon(epsilon: float, n: int, fat: float, *, width: float = 1.0) -> float:
    """1 + d·ld(2en·w/(dε))·ld(4n·w²/ε²), d = fat(ε/4), for outputs in an interval of this width.

    Alon et al. 1997; Herbrich lemma 4.29, where 0 < ε < width is meant.
    """
    if not 0.0 < epsilon < width:
        raise ValueError(f"epsilon must lie in (0, {width}), got {epsilon!r}")
    if not 0.0 < fat <= n:
        raise ValueError(f"the fat-shattering dimension must lie in (0, {n}], got {fat!r}")
    first = math.log2(2.0 * math.e * n * width / (fat * epsilon))
    return 1.0 + fat * first * math.log2(4.0 * n * width**2 / epsilon**2)


def fat_linear(scale: float, *, ball: float = 1.0, radius: float = 1.0) -> float:
    """(ball·radius/scale)², at least the fat-shattering dimension of linear functions."""
    return (ball * radius / check_positive(scale, "scale")) ** 2


def cover_bound(log2_cover: float, m: int, delta: float, *, as_printed: bool = False) -> float:
    """(2/m)(⌈ld N⌉ + ld(2⌈m/2⌉/δ)), Herbrich (4.26): no row within the margin 2ε, N = N(ε, 2m).

    The strata are d = 1 … ⌈m/2⌉, so a cover of one element is charged as one of two. The text
    prints ld(m/δ), which is not enough for odd m.
    """
    if math.isinf(log2_cover):
        return math.inf
    strata = math.log2(m if as_printed else 2.0 * math.ceil(m / 2.0)) - log_level(delta) / _LOG2
    return 2.0 / m * (max(1, math.ceil(log2_cover * _OUTWARD)) + strata)


def fat_bound(fat: float, m: int, delta: float, *, strata: float | None = None) -> float:
    """(2/m)(⌈v·ld(8em/v)·ld(32m)⌉ + ld(strata/δ)), Herbrich (4.27), v = fat(margin/8) ≤ 2m.

    ``strata`` counts the statements paid for; 2m by default.
    """
    if not fat > 0:
        raise ValueError(f"the fat-shattering dimension must be positive, got {fat!r}")
    if fat > 2 * m:
        return math.inf
    core = math.ceil(fat * math.log2(8.0 * math.e * m / fat) * math.log2(32.0 * m) * _OUTWARD)
    return (
        2.0
        / m
        * (core + math.log2(2.0 * m if strata is None else strata) - log_level(delta) / _LOG2)
    )
