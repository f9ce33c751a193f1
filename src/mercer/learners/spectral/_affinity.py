"""Similarities of rows for spectral methods: a kernel, a neighbourhood graph, or given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import validate_data

from mercer.kernels import Kernel
from mercer.kernels.gaussian import Gaussian
from mercer.learners.spectral.graphs import neighbour_graph
from mercer.learners.spectral.laplacians import check_similarity

Floats = NDArray[np.float64]


def neighbour_scale(X: Floats, k: int = 7) -> float:
    """Median distance to the k-th neighbour: the bandwidth used when none is given."""
    k = min(k, len(X) - 1)
    lengths = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X)[0][:, -1]
    positive = lengths[lengths > 0]
    return float(np.median(positive)) if len(positive) else 1.0


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
            self.kernel_ = self._kernel(X)
            return check_similarity(self.kernel_(X))
        k = min(self.n_neighbors, len(X) - 1)
        return neighbour_graph(
            X, self.affinity, n_neighbors=k, epsilon=self.epsilon, weights="unit"
        )

    def _kernel(self, X: Floats) -> Kernel:
        if self.kernel is None:
            return Gaussian(neighbour_scale(X))
        return self.kernel.resolve(X)

    def _new_similarities(self, X: Any) -> Any:
        """Between new rows and the training rows."""
        if self.affinity == "precomputed":
            return X
        if self.affinity == "kernel":
            return np.asarray(self.kernel_(X, self._fit_rows), dtype=float)
        if self.affinity == "epsilon":
            search = NearestNeighbors(radius=self.epsilon).fit(self._fit_rows)
            return sparse.csr_matrix(search.radius_neighbors_graph(X))
        k = min(self.n_neighbors, len(self._fit_rows))
        return sparse.csr_matrix(
            NearestNeighbors(n_neighbors=k).fit(self._fit_rows).kneighbors_graph(X)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.affinity == "precomputed"
        return tags
