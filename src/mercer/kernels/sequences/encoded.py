"""Sequences of symbols as arrays: strings, bytes, lists of tokens, rows or arrays of integers.

A sample becomes one array of symbol numbers and the places where each sequence begins. Samples
that will be compared are encoded together, so that equal symbols get equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
KINDS = "a string, bytes, a list of tokens or a one-dimensional array of integers"


@dataclass(frozen=True)
class Encoded:
    """Sequence i is ``symbols[starts[i]:starts[i + 1]]``, numbers below ``alphabet``."""

    symbols: NDArray[np.int32]
    starts: Ints
    alphabet: int

    @property
    def n(self) -> int:
        """Number of sequences."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """Symbols of each sequence."""
        return np.diff(self.starts)

    def part(self, rows: slice) -> Encoded:
        """Some consecutive sequences."""
        first, last = self.starts[rows.start], self.starts[rows.stop]
        starts = self.starts[rows.start : rows.stop + 1] - first
        return Encoded(self.symbols[first:last], starts, self.alphabet)

    def take(self, index: Any) -> Encoded:
        """Some sequences, by slice or integer array."""
        rows = np.arange(self.n)[index]
        lengths = self.lengths[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        inside = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        symbols = self.symbols[np.repeat(self.starts[rows], lengths) + inside]
        return Encoded(symbols, starts, self.alphabet)


def check_sequences(X: Any, owner: str, name: str = "X") -> None:
    """Raise if some element is not a sequence of symbols, and say which and what it is."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "iub":
        return
    if isinstance(X, np.ndarray) and (X.ndim > 1 or X.dtype.kind in "iufb"):
        raise ValueError(
            f"{owner} compares sequences of symbols, but {name} is an array of numbers "
            f"({X.dtype}, shape {X.shape}); each element must be {KINDS}. Real numbers over time "
            "need mercer.kernels.GlobalAlignment or a distance such as mercer.metrics.DTW."
        )
    for i, thing in enumerate(X):
        if isinstance(thing, (str, bytes)):
            continue
        if isinstance(thing, np.ndarray):
            good = thing.ndim == 1 and thing.dtype.kind in "iubUSO"
        else:
            good = isinstance(thing, Sequence)
        if not good:
            raise ValueError(f"{owner}: {name}[{i}] is {_shown(thing)}; it must be {KINDS}")


def _shown(thing: Any) -> str:
    text = repr(thing)
    return f"{text if len(text) < 40 else text[:37] + '...'} ({type(thing).__name__})"


def encode(*samples: Any) -> tuple[list[Encoded], list[Any]]:
    """Encode samples together; also returns the alphabet, the symbol of each number."""
    lengths = [lengths_of(sample) for sample in samples]
    kinds = {_kind(sample) for sample in samples}
    reader = _READERS[kinds.pop()] if len(kinds) == 1 else _tokens
    flat, alphabet = reader(samples)
    found, position = [], 0
    for counts in lengths:
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
        symbols = flat[position : position + starts[-1]]
        found.append(Encoded(np.ascontiguousarray(symbols, dtype=np.int32), starts, len(alphabet)))
        position += int(starts[-1])
    return found, alphabet


def lengths_of(sample: Any) -> Ints:
    """Symbols of each sequence of a sample."""
    if getattr(sample, "ndim", 1) == 2:
        return np.full(sample.shape[0], sample.shape[1], dtype=np.int64)
    return np.fromiter((len(thing) for thing in sample), dtype=np.int64, count=len(sample))


def _kind(sample: Any) -> str:
    if getattr(sample, "ndim", 1) == 2:
        return "integers"
    kinds = {_kind_of_one(thing) for thing in sample}
    return kinds.pop() if len(kinds) == 1 else "tokens"


def _kind_of_one(thing: Any) -> str:
    if isinstance(thing, str):
        return "text"
    if isinstance(thing, bytes):
        return "bytes"
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "iub":
        return "integers"
    return "tokens"


def _text(samples: Any) -> tuple[Ints, list[Any]]:
    joined = "".join("".join(sample) for sample in samples)
    raw = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    table = np.zeros(int(raw.max(initial=0)) + 1, dtype=np.int32)
    table[raw] = 1
    present = np.flatnonzero(table)
    table[present] = np.arange(len(present))
    return table[raw].astype(np.int64), [chr(code) for code in present]


def _bytes(samples: Any) -> tuple[Ints, list[Any]]:
    raw = np.frombuffer(b"".join(b"".join(sample) for sample in samples), dtype=np.uint8)
    return _ranked(raw)


def _integers(samples: Any) -> tuple[Ints, list[Any]]:
    pieces = [np.asarray(row).ravel() for sample in samples for row in sample]
    return _ranked(np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64))


def _ranked(raw: NDArray[Any]) -> tuple[Ints, list[Any]]:
    present, number = np.unique(raw, return_inverse=True)
    return number.astype(np.int64).ravel(), present.tolist()


def _tokens(samples: Any) -> tuple[Ints, list[Any]]:
    numbers: dict[Any, int] = {}
    flat: list[int] = []
    for sample in samples:
        for thing in sample:
            tokens = thing.tolist() if isinstance(thing, np.ndarray) else thing
            try:
                flat.extend(numbers.setdefault(token, len(numbers)) for token in tokens)
            except TypeError:
                raise ValueError(
                    f"a token of {_shown(thing)} cannot be compared (it is not hashable); use "
                    "strings or whole numbers as tokens"
                ) from None
    return np.array(flat, dtype=np.int64), list(numbers)


_READERS: dict[str, Callable[[Any], tuple[Ints, list[Any]]]] = {
    "text": _text,
    "bytes": _bytes,
    "integers": _integers,
    "tokens": _tokens,
}
