"""Columns as trees like them: one number each, unscaled, gaps left as gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.encoders import (
    GAP,
    YEAR,
    CategoryEncoder,
    Encoder,
    Floats,
    OrdinalEncoder,
    TextEncoder,
    as_floats,
    as_texts,
)

TREE_LEVELS = 200  # boosted trees keep a set of at most 255 levels in each node


class PlainNumber(Encoder):
    """A number as it is; a gap stays one."""

    kind = "number"

    def fit(self, values: NDArray[Any]) -> PlainNumber:
        """Nothing to learn."""
        return self

    def transform(self, values: NDArray[Any]) -> Floats:
        """One coordinate."""
        x = as_floats(values)
        return np.where(np.isfinite(x), np.clip(x, -3e38, 3e38), np.nan)[:, None]

    def words(self) -> str:
        """Say that nothing was done."""
        return "number, as it is"


class PlainDate(PlainNumber):
    """A date as a number and as the part of its year that has passed."""

    kind = "date"

    def transform(self, values: NDArray[Any]) -> Floats:
        """Seconds, day of the week, share of the year."""
        x = super().transform(values)
        days = np.floor(x / 86_400.0)
        return np.hstack([x, np.mod(days + 3.0, 7.0), np.mod(x / YEAR, 1.0)])

    def words(self) -> str:
        """Name the parts."""
        return "date, with the day of the week and the time of year"


class LevelCodes(CategoryEncoder):
    """The number of the level, frequent ones first; rare and new values are a gap."""

    def __init__(self, max_levels: int = TREE_LEVELS) -> None:
        super().__init__(max_levels)

    def transform(self, values: NDArray[Any]) -> Floats:
        """One coordinate."""
        place = {level: float(j) for j, level in enumerate(self.levels_)}
        return np.array([place.get(text, np.nan) for text in as_texts(values)])[:, None]


class Ranks(OrdinalEncoder):
    """The place in the order; gaps and new values are a gap."""

    def transform(self, values: NDArray[Any]) -> Floats:
        """One coordinate."""
        place = {level: float(j) for j, level in enumerate(self.levels_)}
        return np.array([place.get(text, np.nan) for text in as_texts(values)])[:, None]


class FewLetters(TextEncoder):
    """Short text as a few hashed counts, its length and its number of words."""

    def __init__(self, size: int = 48) -> None:
        super().__init__(size)

    def transform(self, values: NDArray[Any]) -> Floats:
        """Counts, then letters and words."""
        texts = ["" if text == GAP else text for text in as_texts(values)]
        sizes = np.array([[len(text), len(text.split())] for text in texts], dtype=np.float64)
        return np.hstack([super().transform(values), sizes.reshape(-1, 2)])


TREE_ENCODERS: dict[str, type[Encoder]] = {
    cls.kind: cls for cls in (PlainNumber, PlainDate, LevelCodes, Ranks, FewLetters)
}
