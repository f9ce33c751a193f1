"""Sums of coordinates at landmarks, over rows in memory or in parts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mercer.learners._passes import Block, Passes
from mercer.learners.large.landmarks import Landmarks
from mercer.solvers.sums import Moments


def moments_of(landmarks: Landmarks, rows: Passes) -> Moments:
    """The sums of all rows, block after block; without targets those are zero."""
    found: Moments = rows.sum(partial(_moments, landmarks=landmarks), landmarks.block)
    return found


def _moments(block: Block, landmarks: Landmarks) -> Moments:
    y = np.zeros((len(block), 1)) if block.y is None else block.y.reshape(len(block), -1)
    weight = None if np.all(block.weight == 1.0) else block.weight
    return Moments.of(landmarks.coordinates(block.X), y, weight)


def first_sums(block: Block, landmarks: Landmarks) -> tuple[Any, ...]:
    """Of `solvers.landmark_cg.FirstSums`."""
    values, y = landmarks.values(block.X), block.y.reshape(len(block), -1)
    w = block.weight
    wide = np.column_stack([w, w[:, None] * y]).astype(values.dtype)
    found = (values.T @ wide).astype(np.float64)
    return found[:, 0].copy(), found[:, 1:].copy(), float(w.sum()), w @ y


def products_with(block: Block, landmarks: Landmarks, u: Any) -> tuple[Any]:
    """Σ w k(Z, x) k(x, Z) u."""
    values = landmarks.values(block.X)
    outputs = block.weight[:, None] * (values @ u.astype(values.dtype))
    return ((values.T @ outputs.astype(values.dtype)).astype(np.float64),)
