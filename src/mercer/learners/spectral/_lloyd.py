"""Sums and distances of k-means, for dense and sparse rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

Floats = NDArray[np.float64]


def means(X: Any, weight: Floats, labels: Any, old: Floats) -> Floats:
    n, k = X.shape[0], len(old)
    members = sparse.csr_matrix((weight, labels, np.arange(n + 1)), (n, k))
    sums = members.T @ X
    sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
    mass = np.bincount(labels, weights=weight, minlength=k)
    return np.where(mass[:, None] > 0, sums / np.where(mass > 0, mass, 1.0)[:, None], old)


def squares(X: Any, centres: Floats, labels: Any) -> Floats:
    """Squared distance of every row to its centre."""
    if not sparse.issparse(X):
        return np.sum((X - centres[labels]) ** 2, axis=1)
    own = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    cross = np.asarray(X.multiply(centres[labels]).sum(axis=1)).ravel()
    return np.maximum(own - 2.0 * cross + np.sum(centres[labels] ** 2, axis=1), 0.0)


def mean_variance(X: Any) -> float:
    if not sparse.issparse(X):
        return float(np.mean(np.var(X, axis=0)))
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    return float(np.mean(squares - mean**2))


class Quiet:
    """An engine whose warnings about few distinct rows are ours to treat."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def fit(self, *data: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self.engine.fit(data[0], data[1], sample_weight=data[2])
