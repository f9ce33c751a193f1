"""Distances for learners without labels: given, named, of a function, or of a Metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances

from mercer.learners._door import Kind
from mercer.metrics import Metric

Floats = NDArray[np.float64]


def between(X: Any, Y: Any, metric: Any, kind: Kind) -> Floats:
    """The matrix of distances; without Y of X with itself. Given distances are X."""
    if kind is Kind.DISTANCES:
        return X
    if isinstance(metric, Metric):
        return metric(X) if Y is None else metric(X, Y)
    return np.asarray(pairwise_distances(X, Y, metric=metric))
