"""Spectral clustering of hundreds of thousands of rows through a few landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from sklearn.cluster import KMeans as Engine

from mercer._random import seed_of
from mercer._types import Samples
from mercer.learners._door import Door
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule
from mercer.learners._passes import Block, InPasses, Passes, RowsInMemory
from mercer.learners._reasons import COORDINATES, DRAWN, ONE_SOLVE
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._landmarks import filled, place_landmarks
from mercer.learners.spectral._neighbours import nearest
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LandmarkWeights:
    """Gaussian weights of the landmarks nearest to a row."""

    landmarks: Floats
    width: float
    n_neighbors: int
    block: int

    def weights(self, X: Any) -> sparse.csr_matrix:
        """One row each, with sum one."""
        parts = []
        for start in range(0, X.shape[0], self.block):
            rows = filled(X[start : start + self.block])
            k = min(self.n_neighbors, len(self.landmarks))
            squares, places = nearest(self.landmarks, k, rows)
            z = squares / (2.0 * self.width**2)
            weights = np.exp(-(z - z.min(axis=1, keepdims=True)))
            weights /= weights.sum(axis=1, keepdims=True)
            where = np.arange(0, places.size + 1, k)
            shape = (len(rows), len(self.landmarks))
            parts.append(sparse.csr_matrix((weights.ravel(), places.ravel(), where), shape))
        return sparse.vstack(parts, format="csr")


@dataclass(frozen=True, kw_only=True)
class LandmarkFitted(Fitted):
    """Landmarks, their eigenvectors, and centres of the embedded rows."""

    nearby: LandmarkWeights
    eigenvalues: Floats
    turn: Floats  # from weights to eigenvectors
    centres: Floats
    labels: NDArray[np.int32] | None


class LandmarkSpectralClustering(UnlabelledWeighted, Clusters, InPasses, Learner):
    """Normalized spectral clustering of the walk that steps to a landmark and back.

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
    random_state : int, generator or None, default=None
        Of the landmarks and of k-means.

    Attributes
    ----------
    labels_ : ndarray of int
    landmarks_ : ndarray of shape (n_landmarks, n_features)
    eigenvalues_ : ndarray
        Of the walk, falling; the first is 1.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | COORDINATES | DRAWN
    _state_version: ClassVar[int] = 1
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES
    _door: ClassVar[Door] = Door(weights="drop")
    fitted_: LandmarkFitted

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_landmarks: int = 500,
        n_neighbors: int = 5,
        block: int = 20_000,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.block = block
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_landmarks=10, random_state=0)]

    def _train_in_passes(self, rows: Passes) -> LandmarkFitted:
        sample = rows.sample
        X, weight = sample.X, sample.weight
        if not 1 <= self.n_clusters <= rows.n:
            raise ValueError(f"n_clusters={self.n_clusters} needs 1 <= it <= {rows.n} rows")
        seed = seed_of(self.random_state)
        nearby = self._landmarks(X, weight, np.random.default_rng(seed))
        joint, mass = rows.sum(partial(_steps, nearby=nearby), int(self.block))
        mass = np.where(mass > 0, mass, 1.0)
        small = joint / np.sqrt(np.outer(mass, mass))
        m = len(small)
        k = min(self.n_clusters, m)
        values, vectors = eigh(small, subset_by_index=(m - k, m - 1))
        values = values[::-1].copy()
        vectors = fixed_signs(vectors[:, ::-1])
        with np.errstate(divide="ignore"):
            scale = np.where(values > 1e-12, values**-0.5, 0.0)
        turn = mass[:, None] ** -0.5 * vectors * scale
        some = np.random.default_rng(seed).permutation(sample.n)[: self.block]
        engine = Engine(k, n_init=10, random_state=seed)
        known = _embedded(nearby.weights(X[some]), turn)
        centres = engine.fit(known, sample_weight=weight[some]).cluster_centers_
        labels = None
        if isinstance(rows, RowsInMemory):
            labels = _nearest_centre(_embedded(nearby.weights(X), turn), centres)
        return LandmarkFitted(
            **rows_of(sample) | {"n": rows.n},
            nearby=nearby,
            eigenvalues=values,
            turn=turn,
            centres=centres,
            labels=labels,
        )

    def _landmarks(self, X: Samples, weight: Floats, rng: np.random.Generator) -> LandmarkWeights:
        m = min(self.n_landmarks, len(weight))
        landmarks = place_landmarks(X, m, rng, weight)
        lengths = np.zeros(0)
        if m > 1:
            lengths = np.sqrt(nearest(landmarks, min(self.n_neighbors, m - 1))[0])
        positive = lengths[lengths > 0]
        width = float(np.median(positive)) if len(positive) else 1.0
        return LandmarkWeights(landmarks, width, int(self.n_neighbors), int(self.block))

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, LandmarkFitted)
        self.landmarks_, self.eigenvalues_ = fitted.nearby.landmarks, fitted.eigenvalues
        self.cluster_centers_ = fitted.centres
        if fitted.labels is not None:
            self.labels_ = fitted.labels

    def _outputs(self, X: Samples) -> NDArray[np.int32]:
        """Clusters of rows, through their nearest landmarks."""
        fitted = self.fitted_
        return _nearest_centre(_embedded(fitted.nearby.weights(X), fitted.turn), fitted.centres)


def _steps(block: Block, nearby: LandmarkWeights) -> tuple[Floats, Floats]:
    """Z'WZ, the rows' steps from landmark to landmark, and the mass Z'w."""
    Z = nearby.weights(block.X)
    joint = Z.T @ sparse.diags_array(block.weight) @ Z
    return np.asarray(joint.todense()), np.asarray(Z.T @ block.weight).ravel()


def _embedded(Z: sparse.csr_matrix, turn: Floats) -> Floats:
    rows = np.asarray(Z @ turn)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def _nearest_centre(rows: Floats, centres: Floats) -> NDArray[np.int32]:
    gaps = np.sum(centres**2, axis=1) - 2.0 * rows @ centres.T
    return gaps.argmin(axis=1).astype(np.int32)
