"""Windows of a fixed length as whole numbers, exactly: equal numbers mean equal windows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.sequences.encoded import Encoded

Ints = NDArray[np.int64]
_LARGEST = 2**62


def joined(parts: list[Encoded]) -> Encoded:
    """Several encoded samples as one."""
    if len(parts) == 1:
        return parts[0]
    shifts = np.cumsum([0, *(part.starts[-1] for part in parts[:-1])])
    starts = [part.starts[:-1] + shift for part, shift in zip(parts, shifts, strict=True)]
    end = shifts[-1] + parts[-1].starts[-1]
    symbols = np.concatenate([part.symbols for part in parts])
    return Encoded(symbols, np.concatenate([*starts, [end]]), parts[0].alphabet)


def window_places(data: Encoded, length: int) -> tuple[Ints, Ints]:
    """For each window of ``length`` symbols: its sequence, and where it starts in ``symbols``."""
    counts = np.maximum(data.lengths - length + 1, 0)
    rows = np.repeat(np.arange(data.n), counts)
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return rows, np.arange(counts.sum()) - np.repeat(before - data.starts[:-1], counts)


def window_codes(data: Encoded, length: int, places: Ints) -> Ints:
    """The window at each place as a number in base ``alphabet``.

    Where that would overflow, the numbers so far are replaced by their ranks: still one number
    per window, and no two windows share one.
    """
    base = max(2, data.alphabet)
    codes = np.zeros(len(places), dtype=np.int64)
    largest = 1
    symbols = data.symbols.astype(np.int64)
    for offset in range(length):
        if largest > _LARGEST // base:
            distinct, ranks = np.unique(codes, return_inverse=True)
            codes, largest = ranks.ravel().astype(np.int64), len(distinct)
        codes = codes * base + symbols[places + offset]
        largest *= base
    return codes
