"""A range declared for a loss is the user's word: what the counted losses say about it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEVEL = 1e-3  # rate of false alarms for residuals with exponential tails; lower for lighter ones
TOUCHES = 0.01  # of the range


def questioned(
    losses: Floats, limits: tuple[float, float], name: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words for the first line and words for the assumptions.

    The first line doubts the range of absolute and squared losses if one residual is so large a
    part of their sum as it would not be under exponential tails (Fisher's g): nobody has seen then
    how large the next one can be. Other functions may be bounded by nature.
    """
    largest = float(losses.max())
    residuals = {"absolute": losses, "squared": np.sqrt(np.maximum(losses, 0.0))}.get(name)
    first: tuple[str, ...] = ()
    if residuals is not None and largest_share_p(residuals) < LEVEL:
        share = 100.0 * float(residuals.max() / residuals.sum())
        first = (
            f"HOLDS ONLY IF no loss can exceed {limits[1]:g}, which these rows do not suggest (one "
            f"of {len(losses)} counted residuals is {share:.2g} % of their sum; tolerance= or "
            "clip=True need no such range)",
        )
    if largest < limits[1] - TOUCHES * (limits[1] - limits[0]):
        return first, ()
    return first, (
        f"no loss can exceed {limits[1]:g}, although one of {largest:.4g} was counted: larger ones "
        "would make the statement void",
    )


def largest_share_p(values: Floats) -> float:
    """How probable so large a share of the sum is for exponential values (an upper limit).

    P(max/sum > g) ≤ n·(1 − g)^{n−1}, the first term of Fisher's series.
    """
    total, n = float(values.sum()), len(values)
    if total <= 0.0 or n < 2:
        return 1.0
    share = float(values.max()) / total
    return min(1.0, n * math.exp((n - 1) * math.log1p(-share))) if share < 1.0 else 0.0
