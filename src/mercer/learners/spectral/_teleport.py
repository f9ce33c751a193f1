"""Out of bad minima of k-means: a centre that is hardly missed moves to where one is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans as Engine
from sklearn.metrics.pairwise import euclidean_distances

Floats = NDArray[np.float64]
_SPLIT = 5  # clusters of highest energy that are tried


def teleported(X: Any, weight: Floats, centres: Floats, seed: int) -> Floats | None:
    """Centres after the best move of one of them, None if no move promises anything.

    The promise is what splitting a cluster of high energy gains, less what its own rows lose when
    a centre leaves and they go to the next.
    """
    if len(centres) < 2:
        return None
    squares = euclidean_distances(X, centres, squared=True)
    order = np.argsort(squares, axis=1)[:, :2]
    own, second = (np.take_along_axis(squares, order[:, [j]], axis=1).ravel() for j in (0, 1))
    labels, k = order[:, 0], len(centres)
    lost = np.bincount(labels, weights=weight * (second - own), minlength=k)
    energy = np.bincount(labels, weights=weight * own, minlength=k)
    best, found = 0.0, None
    for cluster in np.argsort(-energy, kind="stable")[:_SPLIT]:
        inside = np.flatnonzero((labels == cluster) & (weight > 0))
        leaving = int(np.where(np.arange(k) == cluster, np.inf, lost).argmin())
        if len(inside) < 2 or energy[cluster] <= 0:
            continue
        halves = Engine(2, n_init=2, random_state=seed).fit(X[inside], None, weight[inside])
        promise = float(energy[cluster] - halves.inertia_ - lost[leaving])
        if promise > best and len(halves.cluster_centers_) == 2:
            best, found = promise, centres.copy()
            found[[cluster, leaving]] = halves.cluster_centers_
    return found
