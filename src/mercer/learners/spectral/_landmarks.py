"""A few points that stand for many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners.spectral._neighbours import nearest

Floats = NDArray[np.float64]
_LOOKED_AT = 20  # rows per landmark that move it
_BLOCK = 20_000  # rows treated at once


def place_landmarks(X: Any, m: int, rng: np.random.Generator) -> Floats:
    """Random rows, each moved once to the mean of the rows nearest to it.

    As many landmarks as rows are the rows themselves, in their order.
    """
    if m >= len(X):
        return np.array(X, dtype=np.float64)
    sample = X[rng.permutation(len(X))[: min(len(X), _LOOKED_AT * m)]].astype(np.float64)
    centres = sample[:m]
    cells = nearest(centres, 1, sample)[1].ravel()
    counts = np.bincount(cells, minlength=m)
    sums = np.zeros_like(centres)
    np.add.at(sums, cells, sample)
    return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)


def rows_per_landmark(X: Any, landmarks: Floats) -> Floats:
    """How many rows are nearest to each landmark."""
    counts = np.zeros(len(landmarks))
    for start in range(0, len(X), _BLOCK):
        rows = np.asarray(X[start : start + _BLOCK], dtype=np.float64)
        cells = nearest(landmarks, 1, rows)[1].ravel()
        counts += np.bincount(cells, minlength=len(landmarks))
    return counts
