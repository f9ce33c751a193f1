"""A box that is declared before the data and holds every input."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.metrics import Metric
from mercer.metrics.named import Named

Floats = NDArray[np.float64]

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


class OutsideDomainWarning(UserWarning):
    """An input lies outside the box that was declared to hold every input."""


def box_limits(domain: Any, X: Any) -> tuple[Floats, Floats]:
    """The box (low, high), numbers or one per column, as columns; all rows must lie in it."""
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
    low, high = (np.array(np.broadcast_to(v, (columns,))) for v in limits)
    if not (low < high).all():
        i = int(np.flatnonzero(low >= high)[0])
        raise ValueError(f"domain: low must be below high; column {i} has {low[i]} and {high[i]}")
    strays = first_outside(X, low, high)
    if strays:
        raise ValueError(
            f"domain: {strays}; the box must be known before the data and hold every input"
        )
    return low, high


def first_outside(X: Any, low: Floats, high: Floats) -> str:
    """How many rows lie outside the box, and the first of them; nothing if none does."""
    outside = (low > X) | (high < X)
    if not outside.any():
        return ""
    row, i = np.argwhere(outside)[0]
    count = int(outside.any(axis=1).sum())
    return (
        f"row {row} has {X[row, i]:.6g} in column {i}, outside [{low[i]:.6g}, {high[i]:.6g}]"
        f" ({count} of {len(X)} rows are outside)"
    )


def warn_outside(X: Samples, low: Floats, high: Floats) -> None:
    """New inputs outside the box show that what the certificate assumes is false."""
    strays = first_outside(X, low, high)
    if strays:
        warnings.warn(
            f"{strays}. The certificate 'lipschitz-sums' assumes that no input ever lies outside "
            "the box declared by domain=, so it does not hold for data like these. The "
            "predictions are as usual; to be certified, refit with a box that holds every input.",
            OutsideDomainWarning,
            stacklevel=4,  # the line that called ``predict``
        )
