"""Chernoff's method by numerical optimisation, for any logarithmic moment generating function."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from scipy.optimize import minimize_scalar

from mercer.bounds.numerics.checks import check_positive

_ROUNDING = 4.0 * sys.float_info.epsilon


def chernoff_log_tail(
    log_mgf: Callable[[float], float], eps: float, n: int = 1, *, s_max: float = math.inf
) -> float:
    """Ln of inf_{0<s<s_max} exp(n·(log_mgf(s) − s·eps)): a bound on P(mean ≥ eps).

    ``log_mgf(s)`` is ln E exp(s·X) of one term. Any ``s`` gives a valid bound, so an imperfect
    optimiser costs tightness and never validity. At a huge ``s`` the difference is nothing but
    rounding, so what that may amount to is added.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")

    def exponent(log_s: float) -> float:
        s = math.exp(log_s)
        if s >= s_max:
            return math.inf
        try:
            log_moment = log_mgf(s)
        except OverflowError:
            return math.inf
        value = log_moment - s * eps + _ROUNDING * (abs(log_moment) + abs(s * eps))
        return value if not math.isnan(value) else math.inf

    top = math.log(s_max) - 1e-12 if math.isfinite(s_max) else 50.0
    grid = [-40.0 + (top + 40.0) * i / 400 for i in range(401)]
    best = min(grid, key=exponent)
    step = (top + 40.0) / 400
    found = minimize_scalar(
        exponent,
        bounds=(best - step, min(top, best + step)),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return n * min(0.0, exponent(best), float(found.fun))


def log_mgf_bernoulli(p: float) -> Callable[[float], float]:
    """S ↦ ln(1 − p + p·e^s), of a coin with success probability p."""

    def value(s: float) -> float:
        return math.log1p(p * math.expm1(s)) if s < 30 else s + math.log(p + (1 - p) * math.exp(-s))

    return value


def log_mgf_hoeffding(width: float) -> Callable[[float], float]:
    """S ↦ s²·width²/8: Hoeffding's lemma for a centred variable in an interval of that width."""
    check_positive(width, "width")
    return lambda s: s * s * width * width / 8.0


def log_mgf_bennett(variance: float, c: float) -> Callable[[float], float]:
    """S ↦ (v/c²)(e^{sc} − 1 − sc), for a centred variable with |X| ≤ c and variance v."""
    check_positive(variance, "variance")
    check_positive(c, "c")
    return lambda s: variance / (c * c) * (math.expm1(s * c) - s * c)
