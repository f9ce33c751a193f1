"""The clustering done again: on parts of the rows, and on rows without structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from mercer.learners._door import Kind
from mercer.learners.spectral._blocks import leaving

Floats = NDArray[np.float64]
JUDGED = 2000  # rows on which clusterings are compared, if there are more
RESTARTS = 3  # of k-means in these repetitions


@dataclass(frozen=True)
class Parts:
    """What clusterings of parts of the rows say about the whole one; one entry per part."""

    size: int
    agreement: Floats  # with the whole clustering, adjusted for chance
    gaps: Floats  # after the eigenvalues used
    leaving: Floats  # largest probability that a step leaves a cluster
    numbers: NDArray[np.intp]  # clusters that the gap would choose


def cluster_parts(model: Any, count: int, size: int, rng: np.random.Generator) -> Parts:
    """Cluster ``count`` parts of ``size`` rows, extend each to rows outside and compare."""
    n = len(model.labels_)
    judged = np.sort(rng.permutation(n)[:JUDGED])
    found = [_part(model, np.sort(rng.permutation(n)[:size]), judged) for _ in range(count)]
    columns = list(zip(*found, strict=True)) if found else [(), (), (), ()]
    agreement, gaps, left = (np.array(c, dtype=float) for c in columns[:3])
    return Parts(size, agreement, gaps, left, np.array(columns[3], dtype=int))


def _part(model: Any, rows: Any, judged: Any) -> tuple[float, float, float, int]:
    part, k = _again(model), model.n_clusters_
    share = len(rows) / len(model.labels_)
    if share >= 0.5:  # as many neighbours as are left of those in the whole graph
        part.n_neighbors = max(2, round(share * model.n_neighbors))
    whole = model.fitted_.clustering
    try:
        raw = whole.similar.raw
        if raw is None:
            part.set_params(affinity="precomputed", kernel=None)
            found = part._cluster(whole.similarities[rows][:, rows], Kind.SIMILARITY, k)
            labels = found.predict(whole.similarities[judged][:, rows])
        else:
            found = part._cluster(raw[rows], model.fitted_.kind, k)
            labels = found.predict(raw[judged])
    except ValueError:
        return 0.0, 0.0, 1.0, 0  # the part has isolated points: nothing to agree with
    values = found.eigenvalues
    gap = float(values[k] - values[k - 1]) if len(values) > k else 0.0
    agreement = float(adjusted_rand_score(model.labels_[judged], labels))
    return agreement, gap, leaving(found.similarities, found.labels), found.chosen


def cluster_noise(model: Any, count: int, size: int, rng: np.random.Generator) -> Floats:
    """Probabilities of leaving a cluster when rows are drawn uniformly from the data's box."""
    rows = np.asarray(model.fitted_.clustering.similar.raw, dtype=float)
    centred = rows - rows.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    box = centred @ axes.T
    low, high = box.min(axis=0), box.max(axis=0)
    found = []
    for _ in range(count):
        drawn = rng.uniform(low, high, size=(size, box.shape[1])) @ axes
        try:
            other = _again(model)._cluster(drawn, Kind.VECTORS, model.n_clusters_)
        except ValueError:
            continue  # a graph of noise may have isolated points
        found.append(leaving(other.similarities, other.labels))
    return np.array(found)


def _again(model: Any) -> Any:
    return clone(model).set_params(n_init=min(model.n_init, RESTARTS))
