"""Isomap: distances along a neighbourhood graph, embedded as if they were straight."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._random import seed_of
from mercer.learners._parameters import check_parameters
from mercer.learners.spectral._eigen import centred, largest_eigenpairs, over_roots
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral.graphs import bridge_components, connectivity, neighbour_graph
from mercer.learners.spectral.paths import shortest_paths

Floats = NDArray[np.float64]


class DisconnectedWarning(UserWarning):
    """The neighbourhood graph was not connected, and something had to be done about it."""


class Isomap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Isomap embedding, from all points or from landmarks.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=10
        Of the graph, for ``graph="knn"`` and ``"mutual"``.
    graph : {"knn", "mutual", "epsilon"}, default="knn"
        Which points are connected.
    epsilon : float or None, default=None
        Radius of ``graph="epsilon"``.
    weights : {"distance", "unit"}, default="distance"
        Length of an edge. Hop counts ("unit") measure lengths weighted by the density and so avoid
        thin regions; distances do not.
    landmarks : int or None, default=None
        Paths are computed from so many points only, chosen one after the other farthest from those
        before; None takes all points.
    disconnected : {"bridge", "largest", "error"}, default="bridge"
        What to do with a graph in several pieces: connect them by their closest pairs, embed the
        largest and give the rest NaN, or refuse. The first two warn.
    metric : str or callable, default="euclidean"
        Distance between rows; "precomputed" is not supported here, use `ClassicalMDS` on paths.
    random_state : int, generator or None, default=0
        Start of the iterative eigen-solver and first landmark.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    eigenvalues_ : ndarray of shape (n_components,)
        Of the doubly centred squared path lengths.
    residual_variance_ : float
        1 − r² between path lengths and distances in the embedding.
    graph_ : csr_matrix
        The graph that was used, bridges included.
    connectivity_ : Connectivity
        Of the graph before bridging.
    landmarks_ : ndarray of int
        Points from which paths were computed.
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 10,
        graph: str = "knn",
        epsilon: float | None = None,
        weights: str = "distance",
        landmarks: int | None = None,
        disconnected: str = "bridge",
        metric: Any = "euclidean",
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.epsilon = epsilon
        self.weights = weights
        self.landmarks = landmarks
        self.disconnected = disconnected
        self.metric = metric
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_neighbors=5)]

    def fit(self, X: Any, y: Any = None) -> Isomap:
        """Build the graph, measure paths, embed."""
        check_parameters(self, SPECTRAL_RULES)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        n = len(X)
        if not 1 <= self.n_components < n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {n} points")
        graph = neighbour_graph(
            X,
            self.graph,
            n_neighbors=min(self.n_neighbors, n - 1),
            epsilon=self.epsilon,
            weights=self.weights,
            metric=self.metric,
        )
        self.connectivity_ = connectivity(graph)
        self.graph_, kept = self._connected(graph, X)
        self._X, self._kept = X[kept], kept
        self.landmarks_ = self._choose_landmarks(self.graph_[kept][:, kept])
        self._embed(self.graph_[kept][:, kept], n)
        self._n_features_out = self.n_components
        return self

    def _connected(self, graph: sparse.csr_matrix, X: Floats) -> tuple[sparse.csr_matrix, Any]:
        everything = np.arange(len(X))
        if self.connectivity_.connected:
            return graph, everything
        if self.disconnected == "error":
            raise ValueError(self.connectivity_.advice())
        warnings.warn(self.connectivity_.advice(), DisconnectedWarning, stacklevel=3)
        if self.disconnected == "bridge":
            unit = self.weights == "unit"
            return bridge_components(graph, X, metric=self.metric, unit=unit), everything
        largest = np.bincount(self.connectivity_.labels).argmax()
        return graph, np.flatnonzero(self.connectivity_.labels == largest)

    def _choose_landmarks(self, graph: sparse.csr_matrix) -> NDArray[np.intp]:
        n = graph.shape[0]
        if self.landmarks is None or self.landmarks >= n:
            return np.arange(n)
        if self.landmarks <= self.n_components:
            raise ValueError(f"landmarks={self.landmarks} must exceed n_components")
        chosen = [int(np.random.default_rng(seed_of(self.random_state)).integers(n))]
        nearest = shortest_paths(graph, chosen)[0]
        while len(chosen) < self.landmarks:
            chosen.append(int(nearest.argmax()))
            nearest = np.minimum(nearest, shortest_paths(graph, chosen[-1:])[0])
        return np.array(chosen)

    def _embed(self, graph: sparse.csr_matrix, n: int) -> None:
        paths = shortest_paths(graph, self.landmarks_)
        count = len(self.landmarks_)
        every = count == paths.shape[1]  # all rows are landmarks, and stand in their order
        squares = (paths if every else paths[:, self.landmarks_]) ** 2
        self._column_means = squares.mean(axis=0)
        values, vectors = largest_eigenpairs(
            centred(lambda V: -0.5 * (squares @ V)),
            count,
            min(self.n_components, count - 1),
            seed=seed_of(self.random_state),
        )
        self.eigenvalues_ = values
        self._pseudo = over_roots(values, vectors)
        points = vectors * np.sqrt(np.maximum(values, 0.0)) if every else self._place(paths.T)
        self.embedding_ = np.full((n, self.n_components), np.nan)
        self.embedding_[self._kept, : points.shape[1]] = points
        self._paths = paths
        self.residual_variance_ = self._residual_variance(points, paths)

    def _place(self, paths: Floats) -> Floats:
        """Points whose path lengths to the landmarks are given, one row each (de Silva)."""
        return -0.5 * (paths**2 - self._column_means) @ self._pseudo

    def _residual_variance(self, points: Floats, paths: Floats) -> float:
        rows = self.landmarks_[:: max(1, len(self.landmarks_) // 200)]
        found = np.linalg.norm(points[rows][:, None] - points[None], axis=2)
        wanted = paths[:: max(1, len(self.landmarks_) // 200)]
        r = np.corrcoef(found.ravel(), wanted.ravel())[0, 1]
        return float(1.0 - r * r)

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """The embedding of the training rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> Floats:
        """Place new rows by their paths through their nearest training rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        k = min(self.n_neighbors, len(self._X))
        search = NearestNeighbors(n_neighbors=k, metric=self.metric).fit(self._X)
        lengths, nearest = search.kneighbors(X)
        step = np.ones_like(lengths) if self.weights == "unit" else lengths
        paths = (self._paths[:, nearest] + step).min(axis=2)
        placed = np.zeros((len(X), self.n_components))
        points = self._place(paths.T)
        placed[:, : points.shape[1]] = points
        return placed
