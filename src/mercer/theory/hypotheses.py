"""Explicit hypothesis sets: a matrix with one row per rule and one column per point."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.bounds.numerics import log_growth


def loss_vectors(predictions: ArrayLike, labels: ArrayLike) -> NDArray[np.bool_]:
    """Errors of each rule (row) on each point (column)."""
    predictions, labels = np.asarray(predictions), np.asarray(labels)
    if predictions.ndim != 2 or predictions.shape[1] != len(labels):
        raise ValueError(
            f"predictions must have one column per point: got shape {predictions.shape} "
            f"for {len(labels)} labels"
        )
    return predictions != labels


def distinct(rows: Any) -> int:
    """Number of different rows."""
    return len(np.unique(np.asarray(rows), axis=0))


def version_space(predictions: ArrayLike, labels: ArrayLike) -> NDArray[np.intp]:
    """Indices of the rules without error."""
    return np.flatnonzero(~loss_vectors(predictions, labels).any(axis=1))


def vc_dimension(predictions: ArrayLike) -> int:
    """Largest number of points on which the listed ±1 (or 0/1) rules show all labelings."""
    table = np.unique(np.asarray(predictions), axis=0)
    rules, points = table.shape
    best = 0
    for size in range(1, min(points, int(math.log2(rules)) if rules > 1 else 0) + 1):
        if not any(
            distinct(table[:, list(i)]) == 2**size for i in combinations(range(points), size)
        ):
            break
        best = size
    return best


def shattered_columns(table: Any, size: int) -> tuple[int, ...] | None:
    """Some ``size`` columns that show all 2^size patterns, or None.

    Sauer's lemma promises them as soon as the number of distinct rows exceeds Φ(m, size − 1).
    """
    table = np.unique(np.asarray(table), axis=0)
    for columns in combinations(range(table.shape[1]), size):
        if distinct(table[:, list(columns)]) == 2**size:
            return columns
    return None


def sauer_promises(table: Any, size: int) -> bool:
    """Whether the number of distinct rows alone forces some ``size`` columns to be shattered."""
    table = np.asarray(table)
    return distinct(table) > math.exp(log_growth(table.shape[1], size - 1)) * (1.0 + 1e-12)


def luckiness_level(predictions: ArrayLike, labels: ArrayLike, luckiness: Any, rule: int) -> int:
    """Number of distinct loss vectors among rules at least as lucky as ``rule``."""
    luckiness = np.asarray(luckiness, dtype=float)
    losses = loss_vectors(predictions, labels)
    if len(luckiness) != len(losses):
        raise ValueError(f"{len(luckiness)} luckiness values for {len(losses)} rules")
    return distinct(losses[luckiness >= luckiness[rule]])
