"""A quantile of values that are not held: exact, from counts in four passes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mercer.learners._passes import Block, Passes

DIGIT = 16  # bits that one pass finds
_TOP = np.uint64(1 << 63)
Floats = NDArray[np.float64]
Values = Callable[[Block], tuple[Floats, Floats]]  # values and weights of rows


def counted_quantile(rows: Passes, values: Values, share: float) -> float:
    """The smallest value v for which values ≤ v have more than this share of the weight.

    The largest if there is none. Each pass adds up weights by the next sixteen bits of the value.
    """
    known, below, total = np.uint64(0), 0.0, 0.0
    for place in range(64 - DIGIT, -1, -DIGIT):
        (weights,) = rows.sum(partial(_by_digit, values=values, known=known, place=place))
        if not total:
            total = float(weights.sum())
        reached = below + np.cumsum(weights)
        full = np.flatnonzero(weights)
        beyond = full[reached[full] > share * total]
        digit = int(beyond[0]) if len(beyond) else int(full[-1])
        below = float(reached[digit] - weights[digit])
        known |= np.uint64(digit) << np.uint64(place)
    bits = known & ~_TOP if known & _TOP else ~known
    return float(np.array(bits, dtype=np.uint64).view(np.float64))


def _by_digit(block: Block, values: Values, known: np.uint64, place: int) -> tuple[Floats]:
    found, weight = values(block)
    bits = np.ascontiguousarray(found + 0.0).view(np.uint64)
    keys = np.where(bits & _TOP, ~bits, bits | _TOP)  # in the order of the values
    above = place + DIGIT
    same = np.ones(len(keys), dtype=bool)
    if above < 64:
        same = keys >> np.uint64(above) == known >> np.uint64(above)
    digits = (keys[same] >> np.uint64(place)) & np.uint64((1 << DIGIT) - 1)
    return (np.bincount(digits.astype(np.intp), weight[same], 1 << DIGIT).astype(np.float64),)
