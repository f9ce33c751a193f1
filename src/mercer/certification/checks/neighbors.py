"""Nearest rows of a sample of rows, in memory and time that a check may take."""

from __future__ import annotations

import numpy as np

from mercer.certification.checks.case import Index
from mercer.certification.checks.check import Floats

QUERIES = 500  # rows whose neighbours are looked for: enough to see what concerns one in a hundred
_COLUMNS = 8  # projections in which neighbours are looked for
_BLOCK = 2**21  # distances at a time


def sample(count: int, most: int = QUERIES) -> Index:
    """Some of the first ``count`` numbers, in order; all of them if they are few."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, most, replace=False))


def nearest(base: Floats, queries: Index | Floats, count: int) -> tuple[Floats, Index]:
    """Distances and numbers of the nearest rows of ``base``, the nearest first.

    ``queries`` are numbers of rows of ``base``, each of which is not its own neighbour, or other
    rows. Wide tables are projected: that shortens distances evenly.
    """
    own = queries.ndim == 1
    if base.shape[1] > _COLUMNS:
        directions = np.random.default_rng(0).standard_normal((base.shape[1], _COLUMNS))
        queries = queries if own else queries @ directions
        base = base @ directions
    distance = np.empty((len(queries), count))
    number = np.empty((len(queries), count), dtype=np.intp)
    size = max(1, _BLOCK // len(base))
    for start in range(0, len(queries), size):
        part = slice(start, min(len(queries), start + size))
        distance[part], number[part] = _block(base, queries[part], count, own)
    return distance, number


def _block(base: Floats, queries: Index | Floats, count: int, own: bool) -> tuple[Floats, Index]:
    points = base[queries] if own else queries
    apart = (base**2).sum(axis=1) - 2.0 * points @ base.T  # but for a constant of each query
    if own:
        apart[np.arange(len(points)), queries] = np.inf
    found = np.argpartition(apart, count - 1, axis=1)[:, :count]
    values = ((points[:, None, :] - base[found]) ** 2).sum(axis=2)  # tiny ones must stay exact
    order = np.argsort(values, axis=1)
    values = np.take_along_axis(values, order, axis=1)
    return np.sqrt(values), np.take_along_axis(found, order, axis=1)
