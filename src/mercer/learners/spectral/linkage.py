"""Clusters by linkage, the baselines that a spectral clustering is compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans as Engine
from sklearn.metrics import adjusted_rand_score

from mercer._types import Samples
from mercer.learners.spectral._compared import compared

METHODS = ("single", "average", "complete", "ward")
MOST_ROWS = 5000  # every pair of rows is compared


def linkage_labels(
    X: Samples, n_clusters: int, *, method: str = "single", metric: Any = "euclidean"
) -> NDArray[np.int32]:
    """Cut SciPy's tree of merged rows into ``n_clusters`` (fewer where merges tie).

    Single linkage finds groups of any shape between which there is a gap, and is misled by a few
    rows between them; average, complete and Ward's linkage split any data into compact groups.

    Parameters
    ----------
    X : rows
        Vectors, whatever ``metric`` compares, or a square matrix of distances.
    method : "single", "average", "complete" or "ward" (the last for Euclidean rows only)
    metric : str, callable, Metric or Kernel, default="euclidean"
        As in `neighbor_graph`.
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r}; choose one of {', '.join(METHODS)}")
    rows = compared(X, metric)
    n = rows.n
    if not 1 <= n_clusters <= n:
        raise ValueError(f"n_clusters={n_clusters} must lie between 1 and the {n} rows")
    if method == "ward" and metric != "euclidean":
        raise ValueError("Ward's linkage needs rows and Euclidean distances")
    if n == 1:
        return np.zeros(1, dtype=np.int32)
    pairs = squareform(rows.matrix, checks=False)
    return (fcluster(linkage(pairs, method), n_clusters, "maxclust") - 1).astype(np.int32)


def baselines(X: Samples, labels: ArrayLike, *, random_state: int = 0) -> dict[str, float]:
    """How far k-means and the linkages agree with a clustering of X: 1 identical, 0 by chance."""
    k = len(np.unique(labels))
    engine = Engine(k, n_init=3, random_state=random_state)
    found = {"k-means": engine.fit(np.asarray(X, dtype=float)).labels_}
    found |= {f"{m} linkage": linkage_labels(X, k, method=m) for m in METHODS}
    return {name: float(adjusted_rand_score(labels, other)) for name, other in found.items()}
