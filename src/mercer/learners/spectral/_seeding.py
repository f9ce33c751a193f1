"""Where clustering starts: random rows, far-apart rows, or rows drawn by squared distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

SEEDINGS = ("k-means++", "farthest", "random")


def seed_rows(
    X: Any, k: int, how: str, rng: np.random.Generator, weight: Any = None
) -> NDArray[np.intp]:
    """Indices of k rows to start from.

    ``"k-means++"`` draws each next row with probability proportional to its squared distance from
    the rows drawn so far; ``"farthest"`` takes the farthest row each time.
    """
    if how not in SEEDINGS:
        raise ValueError(f"the start must be one of {SEEDINGS} or an array, got {how!r}")
    n = X.shape[0]
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    chosen = [int(rng.choice(n, p=weight / weight.sum()))]
    if how == "random":
        return rng.choice(n, size=k, replace=False, p=weight / weight.sum())
    nearest = euclidean_distances(X, X[chosen], squared=True).ravel()
    while len(chosen) < k:
        total = float((nearest * weight).sum())
        if how == "farthest" or total <= 0:
            chosen.append(int(nearest.argmax()))
        else:
            chosen.append(int(rng.choice(n, p=nearest * weight / total)))
        new = euclidean_distances(X, X[chosen[-1:]], squared=True).ravel()
        nearest = np.minimum(nearest, new)
    return np.array(chosen)


def seeding_factor(k: int) -> float:
    """8(2 + ln k): on average, k-means++ seeding is at most this many times the optimum."""
    return 8.0 * (2.0 + float(np.log(k)))
