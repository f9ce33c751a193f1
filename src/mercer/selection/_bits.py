"""Writing and reading numbers as bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def width(choices: int) -> int:
    """Bits that tell one of so many apart: log2 rounded up."""
    return (choices - 1).bit_length() if choices > 1 else 0


class BitWriter:
    """Collects bits under the names of the parts they belong to."""

    def __init__(self) -> None:
        self._pieces: list[tuple[str, str]] = []
        self._part = ""

    def part(self, name: str) -> BitWriter:
        """What follows belongs to this part."""
        self._part = name
        return self

    def _add(self, bits: str) -> None:
        self._pieces.append((self._part, bits))

    def number(self, value: int, choices: int) -> None:
        """One of ``choices`` numbers from 0."""
        size = width(choices)
        self._add(format(value, "b").zfill(size) if size else "")

    def subset(self, rows: NDArray[Any], n: int) -> None:
        """How many rows out of n, and which: (count + 1) log n bits."""
        self.number(len(rows), n + 1)
        for row in rows:
            self.number(int(row), n)

    def ranked_subset(self, rows: NDArray[Any], n: int) -> None:
        """The same as one number among all subsets of this size: log n + log binom(n, count)."""
        self.number(len(rows), n + 1)
        rank = sum(math.comb(int(row), k + 1) for k, row in enumerate(np.sort(rows)))
        self.number(rank, math.comb(n, len(rows)))

    def flags(self, values: NDArray[np.bool_]) -> None:
        """One bit each."""
        self._add("".join("1" if value else "0" for value in values))

    def self_delimiting(self, value: int) -> None:
        """A number >= 1 of unknown size, by Elias' omega code: the number, before it its length
        less one, before that the length of the length, and so on; a 0 ends it.
        """
        bits = "0"
        while value > 1:
            group = format(value, "b")
            bits = group + bits
            value = len(group) - 1
        self._add(bits)

    def text(self) -> str:
        """All bits."""
        return "".join(bits for _, bits in self._pieces)

    @property
    def lengths(self) -> dict[str, int]:
        """Bits of every part."""
        total: dict[str, int] = {}
        for name, bits in self._pieces:
            total[name] = total.get(name, 0) + len(bits)
        return total


class BitReader:
    """Takes a message apart in the order in which it was written."""

    def __init__(self, bits: str) -> None:
        if set(bits) - {"0", "1"}:
            raise ValueError("a message consists of 0 and 1")
        self._bits = bits
        self._at = 0

    def take(self, count: int) -> str:
        """The next bits."""
        if self._at + count > len(self._bits):
            raise ValueError("the message ends too early")
        self._at += count
        return self._bits[self._at - count : self._at]

    def number(self, choices: int) -> int:
        """One of ``choices`` numbers."""
        size = width(choices)
        return int(self.take(size), 2) if size else 0

    def subset(self, n: int) -> NDArray[np.intp]:
        """Rows out of n."""
        count = self.number(n + 1)
        return np.array([self.number(n) for _ in range(count)], dtype=np.intp)

    def ranked_subset(self, n: int) -> NDArray[np.intp]:
        """Rows out of n, from their rank."""
        count = self.number(n + 1)
        rank, row, found = self.number(math.comb(n, count)), n - 1, []
        for k in range(count, 0, -1):
            while math.comb(row, k) > rank:
                row -= 1
            rank -= math.comb(row, k)
            found.append(row)
        return np.array(found[::-1], dtype=np.intp)

    def flags(self, count: int) -> NDArray[np.bool_]:
        """So many bits."""
        return np.array([bit == "1" for bit in self.take(count)], dtype=bool)

    def self_delimiting(self) -> int:
        """A number that brings its own length."""
        value = 1
        while self.take(1) == "1":
            value = int("1" + self.take(value), 2)
        return value
