"""Which rows learn, choose and count: a hash of their place, or of their group, decides.

It is known before a row is read, the same on every engine, and changes only with the seed, the
name of the file or the place of the row in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Marks = NDArray[np.uint64]
LEARN, CHOOSE, COUNT = 0, 1, 2
_STEP = np.uint64(0x9E3779B97F4A7C15)


def mixed(mark: Marks) -> Marks:
    """The finaliser of splitmix64: every bit depends on every other."""
    mark = mark + _STEP
    mark = (mark ^ (mark >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mark = (mark ^ (mark >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mark ^ (mark >> np.uint64(31))


def marks_of_places(name: str, first: int, count: int, seed: int) -> Marks:
    """One number for each of ``count`` rows of the file ``name`` from row ``first`` on."""
    start = _key(f"{seed}\0{name}")
    return mixed(mixed(np.arange(first, first + count, dtype=np.uint64)) ^ start)


def marks_of_groups(groups: ArrayLike, seed: int) -> Marks:
    """One number for each row, the same for all rows of a group."""
    texts, codes = np.unique(np.asarray(groups).astype(str), return_inverse=True)
    keys = np.array([_key(f"{seed}\0{text}") for text in texts.tolist()], dtype=np.uint64)
    return mixed(keys)[codes]


def fingerprints(columns: list[tuple[bool, NDArray[Any]]]) -> Marks:
    """One number for each row that differs where a value differs; (is it text, values) each.

    It is the same wherever the row stands, so copies are found across files.
    """
    mark = np.zeros(len(columns[0][1]), dtype=np.uint64)
    for text, values in columns:
        mark = mixed(mark ^ (_text_bits(values) if text else _bits(values)))
    return mark


def _bits(values: NDArray[Any]) -> Marks:
    plain = np.ascontiguousarray(values + 0.0, dtype=np.float64)
    return np.where(np.isnan(plain), np.nan, plain).view(np.uint64)


def _text_bits(values: NDArray[Any]) -> Marks:
    codes: dict[Any, np.uint64] = {}
    return np.array(
        [
            codes.setdefault(v, _key(str(v))) if v not in codes else codes[v]
            for v in values.tolist()
        ],
        dtype=np.uint64,
    )


def _key(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little"))


@dataclass(frozen=True)
class Split:
    """Shares of the rows that choose among models and that count their errors; the rest learns."""

    choose: float = 0.1
    count: float = 0.2
    seed: int = 0

    def roles(self, marks: Marks) -> NDArray[np.int8]:
        """0: learns, 1: chooses, 2: counts."""
        share = marks / 2.0**64
        roles = np.full(len(marks), LEARN, dtype=np.int8)
        roles[share < self.count + self.choose] = CHOOSE
        roles[share < self.count] = COUNT
        return roles
