"""In which form a table is handed to a learner, and whether its columns share a unit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.encoders import ENCODERS, Encoder, NumberEncoder, as_floats
from mercer.tables.encoders_sparse import SPARSE_ENCODERS
from mercer.tables.encoders_trees import TREE_ENCODERS

FEWEST = 10  # columns of numbers from which on a common unit is looked for
ALIKE = 0.25  # of the largest range is what the middle column must have at least


class UnitNumber(NumberEncoder):
    """A number at mean 0, in the unit that all columns of numbers share."""

    def _far(self, seen: Any) -> bool:
        return False  # a large pixel is as meant: drawing it in would change the unit

    def words(self) -> str:
        """Say that the unit is common."""
        return "number, at the scale of all" + (", gaps are a level" if self.gaps_ else "")


FORMS: dict[str, dict[str, type[Encoder]]] = {
    "coordinates": ENCODERS,
    "common": ENCODERS | {"number": UnitNumber},
    "sparse": SPARSE_ENCODERS,
    "trees": TREE_ENCODERS,
}


def share_unit(encoders: list[Encoder]) -> None:
    """Give all columns of numbers one spread, the root of their mean variance."""
    numbers = [one for one in encoders if isinstance(one, UnitNumber)]
    if not numbers:
        return
    spreads = [one.spread_ * one.unit_ for one in numbers]
    common = float(np.sqrt(np.mean(np.square(spreads)))) or 1.0
    for one in numbers:
        one.spread_ = common / one.unit_


def have_one_unit(table: NDArray[Any], numbers: list[int]) -> bool:
    """Whether columns of numbers look alike, as pixels or channels do: many, and of like range."""
    if len(numbers) < FEWEST:
        return False
    columns = [as_floats(table[:, j]) for j in numbers]
    ranges = np.array([np.ptp(x[np.isfinite(x)]) if np.isfinite(x).any() else 0.0 for x in columns])
    return bool(np.median(ranges) >= ALIKE * ranges.max() > 0)
