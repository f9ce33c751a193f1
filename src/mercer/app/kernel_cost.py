"""How long kernels of objects take on all the rows: some are timed, here and now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

FIRST, GROWTH = 8, 3  # rows that are timed first, and by how much more each time
MANY = 200  # rows from which on what every call costs is small beside the rest
ENOUGH = 0.02  # seconds of a measurement that are well above the noise of the clock
LONG = 0.3  # seconds after which a larger one would make the user wait


def gram_seconds(
    kernel: Any, objects: Any, rows: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Seconds for the kernel matrix of ``rows`` objects like these.

    Part of the work grows with the rows (reading them, counting) and part with the pairs: two
    sizes tell them apart. With one size only, all of it counts as pairs. The processor's time is
    taken, which other programmes do not disturb.
    """
    seen: list[tuple[int, float]] = []
    size = FIRST
    while True:
        size = min(size, len(objects))
        sample = objects[np.linspace(0, len(objects) - 1, size).astype(np.intp)]
        start = clock()
        kernel.resolve(sample)(sample)
        seen.append((size, clock() - start))
        enough = ENOUGH if size >= MANY else LONG
        if seen[-1][1] >= enough or size >= min(rows, len(objects)):
            break
        size *= GROWTH
    linear, square = _growth(*seen[-2:])
    return linear * rows + square * rows**2


def _growth(*seen: tuple[int, float]) -> tuple[float, float]:
    """The numbers a and b of seconds = a rows + b rows²; neither is negative."""
    n, seconds = seen[-1]
    if len(seen) == 1:
        return 0.0, seconds / n**2
    fewer, before = seen[0]
    square = (seconds / n - before / fewer) / (n - fewer)
    square = min(max(square, 0.0), seconds / n**2)
    return (seconds - square * n**2) / n, square


def search_seconds(kernels: Iterable[Any], objects: Any, searched: int, trained: int) -> float:
    """Seconds that kernels take in a search on some rows and in the training of the winner.

    Two trial searches on half of the rows come before the search itself, and the winner's values
    are computed about three times: to train, and to calibrate probabilities.
    """
    costs = [gram_seconds(kernel, objects, searched) for kernel in kernels]
    last = max(costs) * (trained / max(1, searched)) ** 2
    return 1.6 * (sum(costs) + 3 * last)
