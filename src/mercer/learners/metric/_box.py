"""A box that is declared before the data and holds every input."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.learners.metric._space import Floats
from mercer.metrics import Metric
from mercer.metrics.named import Named

_NORMS = {
    "euclidean": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "chebyshev": "chebyshev",
}


def box_norm(metric: Metric) -> str:
    """The norm behind the metric; only norms measure a box."""
    name = metric.name if isinstance(metric, Named) else type(metric).__name__
    if name not in _NORMS:
        raise ValueError(
            f"domain=(low, high) is a box of vectors and needs metric 'euclidean', 'manhattan' or "
            f"'chebyshev', got {name!r}; leave domain=None"
        )
    return _NORMS[name]


def box_sides(domain: Any, X: Any) -> Floats:
    """The lengths of the box (low, high), numbers or one per column; all rows must lie in it."""
    try:
        low, high = domain
        limits = [np.asarray(v, dtype=np.float64) for v in (low, high)]
    except (TypeError, ValueError):
        raise ValueError(
            f"domain must be (low, high), numbers or one per column, got {domain!r}"
        ) from None
    columns = X.shape[1]
    for name, limit in zip(("low", "high"), limits, strict=True):
        if limit.ndim > 1 or limit.size not in (1, columns):
            raise ValueError(f"domain: {name} has {limit.size} numbers for {columns} columns")
        if not np.isfinite(limit).all():
            raise ValueError(f"domain: {name} must be finite, got {limit}")
    low, high = (np.broadcast_to(v, (columns,)) for v in limits)
    if not (low < high).all():
        i = int(np.flatnonzero(low >= high)[0])
        raise ValueError(f"domain: low must be below high; column {i} has {low[i]} and {high[i]}")
    outside = (low > X) | (high < X)
    if outside.any():
        row, i = np.argwhere(outside)[0]
        raise ValueError(
            f"domain: row {row} has {X[row, i]:.6g} in column {i}, outside [{low[i]:.6g}, "
            f"{high[i]:.6g}]; the box must be known before the data and hold every input"
        )
    return np.asarray(high - low)
