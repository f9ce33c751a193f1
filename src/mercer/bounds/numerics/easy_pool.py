"""The model of all rows, from models with easy hold-outs and a pool without labels.

Two e-values are multiplied: that of the hold-outs (``mercer.bounds.numerics.easy``), and, given the
labelled rows, e^{−bD}·(1 − a_b·d)^{−u} of the pool, where D adds up the share of the models that
contradict the model of all rows at each of u inputs and d is its mean. 1/δ is paid once for both.
The proof is in ``docs/theory/easy-holdouts.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mercer.bounds.numerics.checks import as_count, log_level
from mercer.bounds.numerics.easy import Floats, easy_upper

STEEPEST = 0.9  # of a_b, where the pool is smaller than the hold-outs
_ROUNDING = 1e-12


def holdout_shares(log_ratios: Sequence[float], sums: Sequence[float], c: float) -> Floats:
    """Shares of the models, proportional to ratio·e^{−c·S}: no other ones are proved."""
    logs = np.asarray(log_ratios, dtype=float) - c * np.asarray(sums, dtype=float)
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def easy_pool_upper(
    log_ratios: Sequence[float],
    sums: Sequence[float],
    rows: int,
    moved: float,
    pool_rows: int,
    delta: float | None = None,
    *,
    c: float,
    log_delta: float | None = None,
) -> float:
    """Limit on the risk of a model that disagrees with the mean of J others on ``moved`` inputs.

    The largest θ + d with e^{−bD}·(1 − a_b·d)^{−u}·(1 − a_c·θ)^{−m}·(1/J)·Σ_j ratio_j·e^{−c·S_j} at
    most 1/δ. b is chosen from the hold-outs alone, so that a step of d costs what one of θ does.
    """
    u, level = as_count(pool_rows, "pool rows"), log_level(delta, log_delta)
    if u < 1 or not 0.0 <= moved <= u * (1.0 + 1e-9):
        raise ValueError(f"disagreements of {u} pool rows lie between 0 and {u}, got {moved!r}")
    if not (math.isfinite(c) and c > 0):
        raise ValueError(f"c must be positive and finite, got {c!r}")
    theta, _ = easy_upper(log_ratios, sums, rows, bets=((c, 1.0),), log_delta=level)
    if not theta < 1.0:
        return 1.0
    a, logs = -math.expm1(-c), np.asarray(log_ratios) - c * np.asarray(sums, dtype=float)
    kept = float(np.logaddexp.reduce(logs)) - math.log(len(logs))
    a_b = min(STEEPEST, rows * a / (1.0 - a * theta) / u)
    price = -level - kept - math.log1p(-a_b) * moved
    return min(1.0, _largest_sum(price, (rows, a), (u, a_b)) + _ROUNDING)


def _largest_sum(price: float, first: tuple[int, float], second: tuple[int, float]) -> float:
    """Of two rates p, q >= 0 with −m·ln(1 − a·p) − u·ln(1 − b·q) <= price: where slopes agree."""
    (m, a), (u, b) = first, second
    slope = (price + m * math.log(m * a) + u * math.log(u * b)) / (m + u)
    p, q = -math.expm1(math.log(m * a) - slope) / a, -math.expm1(math.log(u * b) - slope) / b
    if p < 0.0:
        return -math.expm1(-price / u) / b
    if q < 0.0:
        return -math.expm1(-price / m) / a
    return p + q
