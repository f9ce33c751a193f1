"""What a first pass keeps of rows that are gone: small, and the same however they were parted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.rows.marks import COUNT, Marks

MOST_LEVELS = 1000  # texts of a column that are remembered with their counts
MOST_ROWS = 4096  # fingerprints that stand for all rows when copies are counted


@dataclass
class ColumnSketch:
    """Counts, range and moments of numbers; counts of texts, None once there are too many."""

    n: int = 0
    gaps: int = 0
    lowest: float = np.inf
    highest: float = -np.inf
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances to the mean
    levels: dict[str, int] | None = field(default_factory=dict)

    @classmethod
    def of(cls, values: NDArray[Any], text: bool) -> ColumnSketch:
        """Of the values of a batch; NaN and None are gaps."""
        if text:
            kept = [str(v) for v in values.tolist() if v is not None]
            return cls(len(values), len(values) - len(kept), levels=_few(dict(Counter(kept))))
        numbers = values[np.isfinite(values)]
        found = cls(len(values), len(values) - len(numbers), levels=None)
        if len(numbers):
            found.lowest, found.highest = float(numbers.min()), float(numbers.max())
            found.mean = float(numbers.mean())
            found.squares = float(np.sum((numbers - found.mean) ** 2))
        return found

    def merge(self, other: ColumnSketch) -> ColumnSketch:
        """Of both parts; the formula of Chan, Golub and LeVeque (1979) for the moments."""
        mine, yours = self.n - self.gaps, other.n - other.gaps
        both = max(1, mine + yours)
        apart = other.mean - self.mean
        levels = None
        if self.levels is not None and other.levels is not None:
            levels = dict(self.levels)
            for text, count in other.levels.items():
                levels[text] = levels.get(text, 0) + count
            levels = _few(levels)
        return ColumnSketch(
            self.n + other.n,
            self.gaps + other.gaps,
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
            self.mean + apart * yours / both,
            self.squares + other.squares + apart**2 * mine * yours / both,
            levels,
        )


def _few(levels: dict[str, int]) -> dict[str, int] | None:
    return levels if len(levels) <= MOST_LEVELS else None


@dataclass
class RowSketch:
    """A random sample of rows, and of copies among all rows, by the smallest of their marks.

    ``sample`` holds the rows of the smallest marks with their values, so it is the same however
    the rows were parted. ``copies`` holds the smallest fingerprints with the number of their rows
    that learn or choose and that count: every copy of a row has its fingerprint, so those that are
    held are held with all their copies.
    """

    most: int
    n: int
    roles: NDArray[np.int64]  # rows of each role
    marks: Marks
    sample: list[NDArray[Any]]
    prints: Marks
    copies: NDArray[np.int64]  # one row each: not counted, counted

    @classmethod
    def of(
        cls,
        columns: list[NDArray[Any]],
        marks: Marks,
        prints: Marks,
        roles: NDArray[np.int8],
        most: int,
    ) -> RowSketch:
        """Of a batch; only rows that learn are sampled."""
        learn = np.flatnonzero(roles == 0)
        keep = learn[np.argsort(marks[learn], kind="stable")[:most]]
        distinct, code = np.unique(prints, return_inverse=True)
        copies = np.zeros((len(distinct), 2), dtype=np.int64)
        np.add.at(copies, (code, (roles == COUNT).astype(np.intp)), 1)
        return cls(
            most,
            len(marks),
            np.bincount(roles, minlength=3).astype(np.int64),
            marks[keep],
            [column[keep] for column in columns],
            distinct[:MOST_ROWS],
            copies[:MOST_ROWS],
        )

    def merge(self, other: RowSketch) -> RowSketch:
        """Of both parts."""
        marks = np.concatenate([self.marks, other.marks])
        keep = np.argsort(marks, kind="stable")[: self.most]
        distinct, code = np.unique(np.concatenate([self.prints, other.prints]), return_inverse=True)
        copies = np.zeros((len(distinct), 2), dtype=np.int64)
        np.add.at(copies, code, np.concatenate([self.copies, other.copies]))
        return RowSketch(
            self.most,
            self.n + other.n,
            self.roles + other.roles,
            marks[keep],
            [
                np.concatenate([mine, yours])[keep]
                for mine, yours in zip(self.sample, other.sample, strict=True)
            ],
            distinct[:MOST_ROWS],
            copies[:MOST_ROWS],
        )

    @property
    def repeated(self) -> float:
        """Share of the rows that repeat another one; exact up to `MOST_ROWS` different rows."""
        rows = int(self.copies.sum())
        return 1.0 - len(self.copies) / rows if rows else 0.0

    @property
    def counted_copies(self) -> float:
        """Share of the counted rows with a copy among those that learn or choose."""
        counted = self.copies[:, 1]
        seen = counted[self.copies[:, 0] > 0].sum()
        return float(seen / counted.sum()) if counted.sum() else 0.0
