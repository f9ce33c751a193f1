"""Spectral clustering of hundreds of thousands of rows through a few landmarks."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans as Engine
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._random import seed_of
from mercer.learners._parameters import check_parameters
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._landmarks import place_landmarks
from mercer.learners.spectral._neighbours import nearest
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]


class LandmarkSpectralClustering(ClusterMixin, BaseEstimator):
    """Normalised spectral clustering of the walk that steps to a landmark and back.

    Each row is joined to its nearest landmarks by Gaussian weights Z (rows sum to one); similarity
    is ZΛ⁻¹Z' with Λ the landmarks' mass. All eigenvectors come from an m × m matrix, so time and
    memory grow linearly with the rows (Chen and Cai 2011).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    n_landmarks : int, default=500
        Random rows, moved to the means of their cells once.
    n_neighbors : int, default=5
        Landmarks each row is joined to.
    block : int, default=20000
        Rows treated at once.
    random_state : int, generator or None, default=0
        Of the landmarks and of k-means.

    Attributes
    ----------
    labels_ : ndarray of int
    landmarks_ : ndarray of shape (n_landmarks, n_features)
    eigenvalues_ : ndarray
        Of the walk, falling; the first is 1.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_landmarks: int = 500,
        n_neighbors: int = 5,
        block: int = 20_000,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.block = block
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_landmarks=10)]

    def fit(self, X: Any, y: Any = None) -> LandmarkSpectralClustering:
        """Cluster the rows."""
        check_parameters(self, SPECTRAL_RULES)
        X = validate_data(self, X, dtype=(np.float64, np.float32))
        if not 1 <= self.n_clusters <= len(X):
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {len(X)} rows")
        self._place_landmarks(X)
        Z = self._weights(X)
        self._mass = np.asarray(Z.sum(axis=0)).ravel()
        self._mass = np.where(self._mass > 0, self._mass, 1.0)
        scaled = Z @ sparse.diags_array(self._mass**-0.5)
        small = np.asarray((scaled.T @ scaled).todense())
        m = len(small)
        k = min(self.n_clusters, m)
        values, vectors = eigh(small, subset_by_index=(m - k, m - 1))
        self.eigenvalues_ = values[::-1].copy()
        vectors = fixed_signs(vectors[:, ::-1])
        with np.errstate(divide="ignore"):
            scale = np.where(self.eigenvalues_ > 1e-12, self.eigenvalues_**-0.5, 0.0)
        self._map = self._mass[:, None] ** -0.5 * vectors * scale
        rows = self._embedded(Z)
        seed = seed_of(self.random_state)
        sample = np.random.default_rng(seed).permutation(len(rows))[: self.block]
        engine = Engine(k, n_init=10, random_state=seed).fit(rows[sample])
        self.cluster_centers_ = engine.cluster_centers_
        self.labels_ = self._nearest_centre(rows)
        return self

    def _place_landmarks(self, X: Any) -> None:
        rng = np.random.default_rng(seed_of(self.random_state))
        m = min(self.n_landmarks, len(X))
        self.landmarks_ = place_landmarks(X, m, rng)
        lengths = np.zeros(0)
        if m > 1:
            lengths = np.sqrt(nearest(self.landmarks_, min(self.n_neighbors, m - 1))[0])
        positive = lengths[lengths > 0]
        self._width = float(np.median(positive)) if len(positive) else 1.0

    def _weights(self, X: Any) -> sparse.csr_matrix:
        parts = []
        for start in range(0, X.shape[0], self.block):
            rows = np.asarray(X[start : start + self.block], dtype=np.float64)
            k = min(self.n_neighbors, len(self.landmarks_))
            squares, places = nearest(self.landmarks_, k, rows)
            z = squares / (2.0 * self._width**2)
            weights = np.exp(-(z - z.min(axis=1, keepdims=True)))
            weights /= weights.sum(axis=1, keepdims=True)
            where = np.arange(0, places.size + 1, k)
            shape = (len(rows), len(self.landmarks_))
            parts.append(sparse.csr_matrix((weights.ravel(), places.ravel(), where), shape))
        return sparse.vstack(parts, format="csr")

    def _embedded(self, Z: sparse.csr_matrix) -> Floats:
        rows = np.asarray(Z @ self._map)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0, lengths, 1.0)

    def _nearest_centre(self, rows: Floats) -> NDArray[np.int32]:
        gaps = np.sum(self.cluster_centers_**2, axis=1) - 2.0 * rows @ self.cluster_centers_.T
        return gaps.argmin(axis=1).astype(np.int32)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Clusters of new rows, through their nearest landmarks."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=(np.float64, np.float32), reset=False)
        return self._nearest_centre(self._embedded(self._weights(X)))
