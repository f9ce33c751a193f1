"""Clusters by one cut after the other (Shi and Malik 2000)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.learners.spectral.laplacians import degrees, eigenpairs, weighed


@dataclass(frozen=True)
class SplitTree:
    """Labels after the last split, and the cut value of each split in order."""

    labels: NDArray[np.intp]
    cuts: tuple[float, ...]


def split_recursively(K: Any, k: int, kind: str, *, seed: int = 0, weight: Any = None) -> SplitTree:
    """Split the part whose best sign cut is cheapest, until there are k parts."""
    labels = np.zeros(K.shape[0], dtype=np.intp)
    weight = np.ones(K.shape[0]) if weight is None else weight
    proposals = {0: _best_split(K, np.arange(K.shape[0]), kind, seed, weight)}
    cuts = []
    for new in range(1, k):
        part = min(proposals, key=lambda p: proposals[p][0])
        cut, side = proposals[part]
        rows = np.flatnonzero(labels == part)
        labels[rows[side]] = new
        cuts.append(cut)
        for p in (part, new):
            proposals[p] = _best_split(K, np.flatnonzero(labels == p), kind, seed, weight)
    return SplitTree(labels, tuple(cuts))


def _best_split(
    K: Any, rows: Any, kind: str, seed: int, weight: Any
) -> tuple[float, NDArray[np.bool_]]:
    """Normalized cut of the second eigenvector's signs, and one side of it."""
    if len(rows) < 2:
        return np.inf, np.zeros(len(rows), dtype=bool)
    part, own = K[rows][:, rows], weight[rows]
    heavy = weighed(part, own, own)
    d = degrees(heavy)
    if kind != "unnormalized" and d.min() <= 0:
        side = d <= 0 if (d > 0).any() else np.arange(len(rows)) == 0
        return 0.0, side
    side = eigenpairs(part, 2, kind, seed=seed, weight=own)[1][:, 1] > 0
    if not side.any() or side.all():
        return np.inf, np.arange(len(rows)) == 0
    across = heavy[side][:, ~side]
    total = float(across.sum() if sparse.issparse(across) else np.sum(across))
    return total * (1.0 / max(d[side].sum(), 1e-300) + 1.0 / max(d[~side].sum(), 1e-300)), side
