"""Lipschitz functions from their values at some points, by distances alone (McShane, Whitney)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Samples

Floats = NDArray[np.float64]


def lipschitz_constant(values: ArrayLike, D: Samples) -> float:
    """Max |a_i - a_j| / d_ij; infinite if objects at distance zero have different values."""
    a, D = np.asarray(values, dtype=np.float64), np.asarray(D, dtype=np.float64)
    if D.shape != (len(a), len(a)):
        raise ValueError(f"{len(a)} values need {len(a)} x {len(a)} distances, got {D.shape}")
    best = 0.0
    for i in range(len(a)):
        rise = np.abs(a - a[i])
        if np.any((D[i] <= 0) & (rise > 0)):
            return np.inf
        slopes = np.divide(rise, D[i], out=np.zeros(len(a)), where=D[i] > 0)
        best = max(best, float(slopes.max(initial=0.0)))
    return best


def extend(values: ArrayLike, constant: float, D: Samples, balance: float = 0.5) -> Floats:
    """f_α = α min_i(a_i + L d(x, x_i)) + (1 - α) max_i(a_i - L d(x, x_i)) at new objects.

    Parameters
    ----------
    values : array of shape (n,)
        At the known objects; their Lipschitz constant must be at most ``constant``.
    constant : float
        L.
    D : array of shape (new, n)
        Distances from the new objects to the known ones.
    balance : float in [0, 1]
        1 is the largest, 0 the smallest function with these values and constant.
    """
    a, reach = np.asarray(values, dtype=np.float64), constant * np.asarray(D, dtype=np.float64)
    upper = (a[None, :] + reach).min(axis=1) if balance > 0 else 0.0
    lower = (a[None, :] - reach).max(axis=1) if balance < 1 else 0.0
    return np.asarray(balance * upper + (1.0 - balance) * lower)


def hard_margin(D: Floats, y: Floats) -> tuple[float, tuple[int, int]]:
    """L* = 2 / d(X+, X-), and the pair of opposite points that are nearest to each other."""
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    between = D[np.ix_(positive, negative)]
    i, j = np.unravel_index(int(between.argmin()), between.shape)
    pair = (int(positive[i]), int(negative[j]))
    return (2.0 / float(between[i, j]) if between[i, j] > 0 else np.inf), pair


def nearest_difference(D: Floats, y: Floats, constant: float) -> Floats:
    """g(x) = (d(x, X-) - d(x, X+)) / d(X+, X-): the solution whose sign is the nearest label."""
    return (D[:, y < 0].min(axis=1) - D[:, y > 0].min(axis=1)) * (constant / 2.0)
