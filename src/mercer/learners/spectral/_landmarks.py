"""A few points that stand for many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.learners._passes import Block
from mercer.learners.spectral._neighbours import nearest

Floats = NDArray[np.float64]
_LOOKED_AT = 20  # rows per landmark that move it


def place_landmarks(X: Any, m: int, rng: np.random.Generator, weight: Floats) -> Floats:
    """Rows drawn by their weights, each moved once to the mean of the rows nearest to it.

    As many landmarks as rows are the rows themselves, in their order.
    """
    n = X.shape[0]
    if m >= n:
        return filled(X)
    alike = bool(np.all(weight == weight[0]))
    many = min(n, _LOOKED_AT * m)
    p = None if alike else weight / weight.sum()
    rows = rng.permutation(n)[:many] if alike else rng.choice(n, many, replace=False, p=p)
    sample, own = filled(X[rows]), np.ones(many) if many < n else weight[rows]
    centres = sample[:m]
    cells = nearest(centres, 1, sample)[1].ravel()
    mass = np.bincount(cells, weights=own, minlength=m)
    sums = np.zeros_like(centres)
    np.add.at(sums, cells, own[:, None] * sample)
    return np.where(mass[:, None] > 0, sums / np.where(mass > 0, mass, 1.0)[:, None], centres)


def rows_per_landmark(block: Block, landmarks: Floats) -> tuple[Floats]:
    """The weight of the rows that are nearest to each landmark."""
    cells = nearest(landmarks, 1, filled(block.X))[1].ravel()
    return (np.bincount(cells, block.weight, len(landmarks)).astype(np.float64),)


def filled(rows: Any) -> Floats:
    """Some rows as a dense array of doubles."""
    dense = rows.toarray() if sparse.issparse(rows) else rows
    return np.array(dense, dtype=np.float64, order="C")
