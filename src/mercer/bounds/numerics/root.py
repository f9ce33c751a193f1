"""One root finder for every inversion; it errs on the side the caller names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from scipy.optimize import brentq

_HUGE = 1e300


def increasing_root(
    f: Callable[[float], float], lo: float, hi: float, *, safe: Literal["above", "below"]
) -> float:
    """Where an increasing ``f`` crosses zero in ``[lo, hi]``.

    The answer lies on the named side of the root: ``safe="above"`` returns a point where ``f >= 0``
    (an upper confidence limit must not be rounded down), ``"below"`` one where ``f <= 0``. If ``f``
    has no sign change the nearer end is returned.
    """

    def bounded(x: float) -> float:
        return max(-_HUGE, min(_HUGE, f(x)))

    if bounded(lo) >= 0:
        return lo
    if bounded(hi) <= 0:
        return hi
    root = float(brentq(bounded, lo, hi, xtol=1e-300, rtol=1e-15, maxiter=500))
    return _push(bounded, root, lo, hi, safe)


def _push(f: Callable[[float], float], root: float, lo: float, hi: float, safe: str) -> float:
    """Step outward by doubling ulps until the sign is the safe one."""
    step = math.ulp(root)
    point = root
    for _ in range(60):
        value = f(point)
        if (value >= 0) if safe == "above" else (value <= 0):
            return point
        point = min(hi, root + step) if safe == "above" else max(lo, root - step)
        step *= 2.0
    return hi if safe == "above" else lo
