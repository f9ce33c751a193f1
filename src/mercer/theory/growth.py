"""How many ways a class can label m points: growth functions, in logarithms.

``log_growth_of(name, m, d)`` knows the exact counts of some classes; Sauer's bound covers every
class of known VC dimension.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mercer.bounds.numerics import log_cover, log_growth

GrowthFunction = Callable[[int, int], float]


def _boxes(m: int, d: int) -> float:
    """Axis-parallel boxes have VC dimension 2d; their count is known only on the line."""
    if d == 1:  # intervals: any block of consecutive points, or none
        return math.log(m * (m + 1) / 2 + 1)
    return log_growth(m, 2 * d)


EXACT: dict[str, GrowthFunction] = {
    "half-lines": lambda m, d: math.log(m + 1.0),
    "intervals": lambda m, d: math.log(m * (m + 1) / 2 + 1),
    "circles": lambda m, d: math.log(m + 1.0),  # sign(|x|² − b): radii are half-lines
    "signed circles": lambda m, d: math.log(2.0 * m),  # sign(q|x|² − b)
    "homogeneous": log_cover,  # hyperplanes through the origin of R^d, general position
    "affine": lambda m, d: log_cover(m, d + 1),  # hyperplanes of R^d with an offset
}
UPPER: dict[str, GrowthFunction] = {"boxes": _boxes}


def log_growth_of(name: str, m: int, d: int = 1) -> float:
    """Ln of the largest number of labelings of m points by a class in R^d.

    Exact for ``"half-lines"``, ``"intervals"``, ``"circles"``, ``"signed circles"``,
    ``"homogeneous"`` and ``"affine"``; an upper limit for ``"boxes"``.
    """
    known = {**EXACT, **UPPER}
    if name not in known:
        raise ValueError(f"unknown class {name!r}; there are {sorted(known)}")
    if m < 1 or d < 1:
        raise ValueError(f"needs m >= 1 points in d >= 1 dimensions, got m={m}, d={d}")
    return min(known[name](m, d), m * math.log(2.0))


def growth_exponent(ratio: float) -> float:
    """r(ln(2/r) + 1), the exponent per row of (2em/d)^d at r = d/m: concave, then almost linear."""
    if not 0.0 < ratio <= 2.0:
        raise ValueError(f"the ratio of VC dimension to rows must lie in (0, 2], got {ratio!r}")
    return ratio * (math.log(2.0 / ratio) + 1.0)
