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
    """Votes for minus votes against, as a share, at n points; of several classes votes for each.

    ``tile(part)`` gives the kernel values of some points against the updates' rows in order, so
    that the outputs of the successive rules are running sums.
    """
    total = max(int(lifetimes.sum()), 1)
    votes = np.zeros((n, *changes.shape[1:]))
    if not len(changes):
        return votes
    count = _count_two if changes.ndim == 1 else _count_several
    size = _config.block_rows(3 * 8 * len(changes))
    for start in range(0, n, size):
        part = slice(start, min(n, start + size))
        values = np.asarray(tile(part), dtype=np.float64)
        votes[part] = count(values, changes, lifetimes)
    return votes / total


def _count_two(values: Floats, changes: Floats, lifetimes: NDArray[np.intp]) -> Floats:
    outputs = np.cumsum(values * changes, axis=1)
    # Like predict, a rule whose output is zero votes for the second class.
    return np.where(outputs >= 0, 1.0, -1.0) @ lifetimes


def _count_several(values: Floats, changes: Floats, lifetimes: NDArray[np.intp]) -> Floats:
    outputs = np.zeros((len(values), changes.shape[1]))
    found, everyone = np.zeros_like(outputs), np.arange(len(values))
    for column, (change, life) in enumerate(zip(changes, lifetimes, strict=True)):
        outputs += np.multiply.outer(values[:, column], change)
        found[everyone, outputs.argmax(axis=1)] += life
    return found
