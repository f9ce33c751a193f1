"""Chernoff bounds that survive adaptivity: the risk of each trial may depend on the past.

For c > 0 fixed beforehand, exp(−cS − Σ ln(1−p_i+p_i e^{−c})) is a martingale with mean one whatever
the p_i, and the logarithm is concave in p, so the mean risk obeys the bound of a single coin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from mercer.bounds.numerics.checks import check_nonnegative, check_positive, check_unit, log_level
from mercer.bounds.numerics.root import increasing_root


def fixed_c_upper(
    mean: float,
    m: int,
    delta: float | None = None,
    *,
    c: float,
    cost: float = 0.0,
    log_delta: float | None = None,
) -> float:
    """(1 − exp(−c·mean − (cost + ln(1/δ))/m)) / (1 − e^{−c}), not clipped.

    ``cost`` is a KL divergence when the statement is averaged over a posterior (Catoni 2007).
    """
    mean, c = check_unit(mean, "mean"), check_positive(c, "c")
    price = (check_nonnegative(cost, "cost") - log_level(delta, log_delta)) / _trials(m)
    return math.expm1(-c * mean - price) / math.expm1(-c)


def tune_c(
    expected: float, m: int, delta: float | None = None, *, log_delta: float | None = None
) -> float:
    """The c that makes :func:`fixed_c_upper` smallest if the observed mean equals ``expected``.

    Use an error rate known before the certified rows are touched; being wrong costs little.
    """
    expected = check_unit(expected, "expected")
    level = log_level(delta, log_delta)
    m = _trials(m)

    def value(log_c: float) -> float:
        return fixed_c_upper(expected, m, c=math.exp(log_c), log_delta=level)

    found = minimize_scalar(
        value, bounds=(math.log(1e-6), math.log(50.0)), method="bounded", options={"xatol": 1e-6}
    )
    return math.exp(float(found.x))


def mixture_upper(
    mean: float,
    m: int,
    delta: float | None = None,
    *,
    c: Sequence[float],
    weights: Sequence[float],
    log_delta: float | None = None,
) -> float:
    """Root p of Σ w_i exp(−m(c_i·mean + ln(1−p+p e^{−c_i}))) = 1/δ: several c, paid by weights."""
    mean, level = check_unit(mean, "mean"), log_level(delta, log_delta)
    m = _trials(m)
    cs = np.asarray([check_positive(v, "c") for v in c])
    ws = np.asarray([check_positive(v, "a weight") for v in weights])
    if cs.shape != ws.shape or ws.sum() > 1.0 + 1e-9:
        raise ValueError("c and weights need the same length, and the weights a sum of at most 1")
    log_w = np.log(ws)
    shrink = np.expm1(-cs)

    def excess(p: float) -> float:
        return float(logsumexp(log_w - m * (cs * mean + np.log1p(p * shrink)))) + level

    return increasing_root(excess, mean, 1.0, safe="above")


def _trials(m: int) -> int:
    if m < 1:
        raise ValueError(f"at least one trial is needed, got m={m!r}")
    return m
