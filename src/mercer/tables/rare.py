"""Classes with too few rows to learn from: they must not cost the others their rows or folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = 2  # rows of a class without which nothing can be compared
COMFORT = 5  # rows from which on a class is in every fold
SMALL = 0.05  # share of the rows that may be left aside for the sake of full folds


def learnable(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows to learn from: not those of classes with a single row.

    Classes with fewer than five rows are left aside too if all of them together are at most one row
    in twenty. A model that does not know a class answers its rows wrongly, and a certificate counts
    them as wrong: nothing is hidden by leaving them aside.
    """
    _, code, count = np.unique(y, return_inverse=True, return_counts=True)
    rows = count[code]
    few = rows < COMFORT
    chosen = ~few if few.mean() <= SMALL else rows >= LEAST
    return chosen if len(np.unique(code[chosen])) >= 2 else np.ones(len(y), dtype=bool)


def folds_for(y: NDArray[Any], task: str) -> int:
    """Five folds, fewer if a class is rare."""
    if task != "classification":
        return max(2, min(5, len(y)))
    return int(max(2, min(5, np.unique(y, return_counts=True)[1].min())))
