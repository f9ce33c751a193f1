"""The voted perceptron: every rule of the run votes, with its lifetime as weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config

Floats = NDArray[np.float64]


def weighted_votes(
    n: int, tile: Callable[[slice], Any], changes: Floats, lifetimes: NDArray[np.intp]
) -> Floats:
    """Votes for minus votes against, as a share, at n points.

    ``tile(part)`` gives the kernel values of some points against the updates' rows in order, so
    that the outputs of the successive rules are running sums.
    """
    total = max(int(lifetimes.sum()), 1)
    votes = np.zeros(n)
    if not len(changes):
        return votes
    size = _config.block_rows(3 * 8 * len(changes))
    for start in range(0, n, size):
        part = slice(start, min(n, start + size))
        outputs = np.cumsum(np.asarray(tile(part), dtype=np.float64) * changes, axis=1)
        # Like predict, a rule whose output is zero votes for the second class.
        votes[part] = np.where(outputs >= 0, 1.0, -1.0) @ lifetimes
    return votes / total
