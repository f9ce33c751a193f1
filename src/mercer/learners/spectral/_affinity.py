"""Similarities of rows for spectral methods: a kernel, a neighbourhood graph, or given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners.spectral._neighbours import nearest, within
from mercer.learners.spectral.graphs import neighbour_graph
from mercer.learners.spectral.laplacians import check_similarity

Floats = NDArray[np.float64]


def neighbour_scale(X: Floats, k: int = 7) -> float:
    """Median distance to the k-th neighbour: the bandwidth used when none is given."""
    lengths = np.sqrt(nearest(X, min(k, len(X) - 1))[0][:, -1]) if len(X) > 1 else np.zeros(1)
    positive = lengths[lengths > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def _neighbour_gaussian(X: Floats) -> Kernel:
    return Gaussian(neighbour_scale(X))


class Affinity:
    """Mixin: ``affinity``, ``kernel``, ``n_neighbors``, ``epsilon`` → similarities."""

    affinity: str
    kernel: Any
    n_neighbors: int
    epsilon: float | None

    def _rows(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self, X, dtype=np.float64, accept_sparse="csr", ensure_min_samples=1, reset=reset
        )
        if sparse.issparse(X) and self.affinity != "precomputed":
            return X.toarray()
        return X

    def _similarities(self, X: Any) -> Any:
        """Of the training rows; remembers what new rows need."""
        self._fit_rows = X
        if self.affinity == "precomputed":
            return check_similarity(X)
        if self.affinity == "kernel":
            meant = kernel_meant(self.kernel, X, default=_neighbour_gaussian)
            self.kernel_ = meant.kernel
            return check_similarity(self.kernel_(X))
        k = min(self.n_neighbors, len(X) - 1)
        return neighbour_graph(
            X, self.affinity, n_neighbors=k, epsilon=self.epsilon, weights="unit"
        )

    def _new_similarities(self, X: Any) -> Any:
        """Between new rows and the training rows."""
        if self.affinity == "precomputed":
            return X
        if self.affinity == "kernel":
            return np.asarray(self.kernel_(X, self._fit_rows), dtype=float)
        if self.affinity == "epsilon":
            assert self.epsilon is not None
            graph = within(self._fit_rows, self.epsilon, X)
            graph.data[:] = 1.0
            return graph
        k = min(self.n_neighbors, len(self._fit_rows))
        places = nearest(self._fit_rows, k, X)[1]
        start = np.arange(0, places.size + 1, k)
        shape = (len(X), len(self._fit_rows))
        return sparse.csr_matrix((np.ones(places.size), places.ravel(), start), shape)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.affinity == "precomputed"
        return tags
