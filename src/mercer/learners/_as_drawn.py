"""Whether rows came as if drawn: neighbours in it are no more alike than any two rows.

What a run counted says something about new rows only then. Labels in runs, a file sorted by a
column, a series: each makes ranks of neighbours agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

Floats = NDArray[np.float64]
LEVEL = 0.01  # so often the evidence of a stream in random order is kept back
_FEWEST = 20  # rows below which an order shows nothing
_SIGNALS = 16  # columns or classes that are looked at; more columns are projected


def order_p(table: Any, labels: NDArray[Any]) -> float:
    """P(neighbours so much alike, or unlike) in a random order, labels and inputs together.

    For each signal the correlation of ranks with those one row before is about N(−1/n, 1/n);
    labels and inputs have half of the level each, their signals share it.
    """
    n = len(labels)
    if n < _FEWEST:
        return 1.0
    return min(1.0, 2.0 * min(_neighbours_p(_of_labels(labels)), _neighbours_p(signals_of(table))))


def _of_labels(labels: NDArray[Any]) -> Floats:
    codes = np.unique(labels, return_inverse=True)[1].ravel()
    frequent = np.argsort(-np.bincount(codes), kind="stable")[:_SIGNALS]
    return (codes[:, None] == frequent).astype(np.float64)


def signals_of(table: Any) -> Floats:
    """Columns of numbers; projections of many; none of anything else."""
    if getattr(table, "ndim", 1) != 2 or table.dtype.kind not in "biuf":
        return np.empty((table.shape[0] if hasattr(table, "shape") else len(table), 0))
    if not hasattr(table, "tocsr") and table.shape[1] <= _SIGNALS:
        return np.asarray(table, dtype=np.float64)
    directions = np.random.default_rng(0).normal(size=(table.shape[1], _SIGNALS))
    return np.asarray(table @ directions, dtype=np.float64)


def _neighbours_p(signals: Floats) -> float:
    ranks = rankdata(signals, axis=0) if signals.shape[1] else signals
    ranks = ranks - ranks.mean(axis=0)
    square = (ranks**2).sum(axis=0)
    ranks, square = ranks[:, square > 0], square[square > 0]
    return chance_of((ranks[1:] * ranks[:-1]).sum(axis=0) / square, len(ranks))


def chance_of(alike: Floats, n: int) -> float:
    """P(a correlation with the row before so far from −1/n, of any signal) in a random order."""
    if not len(alike) or n < _FEWEST:
        return 1.0
    return float(min(1.0, len(alike) * 2 * norm.sf(np.abs(alike + 1 / n).max() * np.sqrt(n))))
