"""Similarities of rows for spectral methods: a kernel, a neighbourhood graph, or given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners.spectral._neighbours import nearest, within
from mercer.learners.spectral.graphs import neighbor_graph
from mercer.learners.spectral.laplacians import check_similarity

Floats = NDArray[np.float64]


def neighbor_scale(X: Floats, k: int = 7) -> float:
    """Median distance to the k-th neighbour: the bandwidth used when none is given."""
    lengths = np.sqrt(nearest(X, min(k, len(X) - 1))[0][:, -1]) if len(X) > 1 else np.zeros(1)
    positive = lengths[lengths > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def _neighbour_gaussian(X: Floats) -> Kernel:
    return Gaussian(neighbor_scale(X))


@dataclass(frozen=True)
class Similarities:
    """What makes two rows similar, and the training rows that new ones are compared with."""

    _state_version: ClassVar[int] = 1
    affinity: str
    kernel: Kernel | None  # with numbers
    n_neighbors: int
    radius: float | None
    rows: Any

    @classmethod
    def on(
        cls, X: Any, affinity: str, kernel: Any, n_neighbors: int, radius: float | None
    ) -> Similarities:
        """As the arguments mean it on these rows."""
        if affinity == "kernel":
            kernel = kernel_meant(kernel, X, default=_neighbour_gaussian).kernel
        else:
            kernel = None
        return cls(affinity, kernel, int(n_neighbors), radius, X)

    def matrix(self) -> Any:
        """Of the training rows."""
        X = self.rows
        if self.affinity == "precomputed":
            return check_similarity(X)
        if self.kernel is not None:
            return check_similarity(self.kernel(X))
        k = min(self.n_neighbors, len(X) - 1)
        return neighbor_graph(X, self.affinity, n_neighbors=k, radius=self.radius, weights="unit")

    def to_training(self, X: Any) -> Any:
        """Between new rows and the training rows."""
        if self.affinity == "precomputed":
            return X
        if self.kernel is not None:
            return np.asarray(self.kernel(X, self.rows), dtype=float)
        if self.affinity == "radius":
            assert self.radius is not None
            graph = within(self.rows, self.radius, X)
            graph.data[:] = 1.0
            return graph
        k = min(self.n_neighbors, len(self.rows))
        places = nearest(self.rows, k, X)[1]
        start = np.arange(0, places.size + 1, k)
        shape = (len(X), len(self.rows))
        return sparse.csr_matrix((np.ones(places.size), places.ravel(), start), shape)

    def nearest_row(self, X: Any, K: Any) -> NDArray[Any]:
        """The most similar training row where only similarities are known, else the nearest."""
        if self.affinity == "precomputed" or np.ndim(self.rows) != 2:
            return np.asarray(K.argmax(axis=1)).ravel()
        return nearest(self.rows, 1, X)[1].ravel()
