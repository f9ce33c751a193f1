"""Series of real numbers, of different lengths, as one array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Series:
    """Series i is ``points[starts[i]:starts[i + 1]]``, one row per moment."""

    points: NDArray[np.float64]
    starts: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of series."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Moments of each series."""
        return np.diff(self.starts)

    def one(self, i: int) -> NDArray[np.float64]:
        """Series i."""
        return self.points[self.starts[i] : self.starts[i + 1]]

    def part(self, rows: slice) -> Series:
        """Some consecutive series."""
        return self.take(rows)

    def take(self, index: Any) -> Series:
        """Some series."""
        rows = np.arange(self.n)[index]
        return _joined([self.one(int(i)) for i in rows], self.points.shape[1])


def check_series(X: Any, owner: str, name: str = "X") -> None:
    """Raise if some element is not a finite series, or their moments differ in width."""
    widths: dict[int, int] = {}
    for i, thing in enumerate(X):
        try:
            array = np.asarray(thing, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"{owner}: {name}[{i}] is not a series of numbers but {type(thing).__name__}"
            ) from None
        if array.ndim not in (1, 2) or array.shape[0] == 0:
            raise ValueError(
                f"{owner}: {name}[{i}] has shape {array.shape}; a series is a non-empty array of "
                "numbers, or of one row of numbers per moment"
            )
        if not np.all(np.isfinite(array)):
            raise ValueError(f"{owner}: {name}[{i}] contains NaN or infinity")
        widths.setdefault(1 if array.ndim == 1 else array.shape[1], i)
    if len(widths) > 1:
        (a, i), (b, j) = list(widths.items())[:2]
        raise ValueError(
            f"{owner}: {name}[{i}] has {a} numbers per moment and {name}[{j}] has {b}; they must "
            "be the same"
        )


def as_series(X: Any) -> Series:
    """A sample of series as one array."""
    rows = [np.asarray(thing, dtype=np.float64) for thing in X]
    rows = [row[:, None] if row.ndim == 1 else row for row in rows]
    return _joined(rows, rows[0].shape[1])


def _joined(rows: list[NDArray[np.float64]], width: int) -> Series:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    points = np.concatenate(rows) if rows else np.zeros((0, width))
    return Series(np.ascontiguousarray(points), starts)
