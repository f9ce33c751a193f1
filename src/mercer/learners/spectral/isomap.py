"""Isomap: distances along a neighbourhood graph, embedded as if they were straight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, none_or, one_of, positive_whole
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import EmbedsTraining
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._eigen import centred, largest_eigenpairs, over_roots
from mercer.learners.spectral._pieces import (
    Connectivity,
    connectivity,
    refuse_pieces,
    warn_of_pieces,
)
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral.graphs import bridge_components, neighbor_graph
from mercer.learners.spectral.paths import shortest_paths

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class IsomapFitted(Fitted):
    """The graph, its paths from the landmarks, and what places new rows by such paths."""

    embedding: Floats
    eigenvalues: Floats
    residual_variance: float
    graph: sparse.csr_matrix
    connectivity: Connectivity
    landmarks: NDArray[np.intp]
    _state_version: ClassVar[int] = 1
    rows: Compared  # those that are embedded
    paths: Floats
    means: Floats
    pseudo: Floats
    n_neighbors: int
    unit: bool


class Isomap(EmbedsTraining, ComparesRows, Learner):
    """Isomap embedding, from all points or from landmarks.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=10
        Of the graph, for ``graph="knn"`` and ``"mutual"``.
    graph : {"knn", "mutual", "radius"}, default="knn"
        Which points are connected.
    radius : float or None, default=None
        Of ``graph="radius"``: rows at most so far apart are joined.
    weights : {"distance", "unit"}, default="distance"
        Length of an edge. Hop counts ("unit") measure lengths weighted by the density and so avoid
        thin regions; distances do not.
    n_landmarks : int or None, default=None
        Paths are computed from so many points only, chosen one after the other farthest from those
        before; None takes all points.
    disconnected : {"connect", "largest", "error"}, default="connect"
        What to do with a graph in several pieces: connect them by their closest pairs, embed the
        largest and give the rest NaN, or refuse. The first two warn.
    metric : str, callable, Metric or Kernel, default="euclidean"
        Distance between rows: scikit-learn's names, a function of two objects or a
        `mercer.metrics.Metric` (strings, sequences, graphs too), a `mercer.kernels.Kernel` for the
        distance in its feature space, or "precomputed" for a symmetric matrix of distances.
    random_state : int, generator or None, default=None
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

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _state_version: ClassVar[int] = 3
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | ComparesRows._rules
        | {
            "disconnected": one_of("connect", "largest", "error"),  # paths need one piece
            "n_landmarks": none_or(positive_whole),
        }
    )
    fitted_: IsomapFitted

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 10,
        graph: str = "knn",
        radius: float | None = None,
        weights: str = "distance",
        n_landmarks: int | None = None,
        disconnected: str = "connect",
        metric: Any = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.radius = radius
        self.weights = weights
        self.n_landmarks = n_landmarks
        self.disconnected = disconnected
        self.metric = metric
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_neighbors=5, random_state=0)]

    def _train(self, sample: TrainingSample) -> IsomapFitted:
        rows, n = self._compared(sample), sample.n
        if not 1 <= self.n_components < n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {n} points")
        graph = neighbor_graph(
            rows,
            self.graph,
            n_neighbors=min(self.n_neighbors, n - 1),
            radius=self.radius,
            weights=self.weights,
        )
        found = connectivity(graph)
        graph, inside = self._connected(graph, rows, found)
        within = graph if len(inside) == n else graph[inside][:, inside]
        landmarks = self._choose_landmarks(within)
        return IsomapFitted(
            **rows_of(sample),
            **self._embed(within, landmarks, inside, n),
            graph=graph,
            connectivity=found,
            landmarks=landmarks,
            rows=(rows if len(inside) == n else rows.taken(inside)).stored(),
            n_neighbors=int(self.n_neighbors),
            unit=self.weights == "unit",
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, IsomapFitted)
        self.embedding_, self.eigenvalues_ = fitted.embedding, fitted.eigenvalues
        self.residual_variance_ = fitted.residual_variance
        self.connectivity_, self.landmarks_ = fitted.connectivity, fitted.landmarks
        self._n_features_out = fitted.embedding.shape[1]

    @property
    def graph_(self) -> sparse.csr_matrix:
        """The graph that was used, bridges included."""
        check_is_fitted(self)
        return self.fitted_.graph

    def _connected(
        self, graph: sparse.csr_matrix, rows: Compared, found: Connectivity
    ) -> tuple[sparse.csr_matrix, NDArray[np.intp]]:
        """The graph to use, and the rows that it embeds."""
        if found.connected:
            return graph, np.arange(rows.n)
        if self.disconnected == "error":
            refuse_pieces(found)
        if self.disconnected == "largest":
            warn_of_pieces(found, "The largest is embedded, the others get NaN.")
            return graph, found.largest
        warn_of_pieces(found, "They are connected by their closest pairs.")
        unit = self.weights == "unit"
        return bridge_components(graph, rows, unit=unit), np.arange(rows.n)

    def _choose_landmarks(self, graph: sparse.csr_matrix) -> NDArray[np.intp]:
        n = graph.shape[0]
        if self.n_landmarks is None or self.n_landmarks >= n:
            return np.arange(n)
        if self.n_landmarks <= self.n_components:
            raise ValueError(f"n_landmarks={self.n_landmarks} must exceed n_components")
        chosen = [int(np.random.default_rng(seed_of(self.random_state)).integers(n))]
        nearest = shortest_paths(graph, chosen)[0]
        while len(chosen) < self.n_landmarks:
            chosen.append(int(nearest.argmax()))
            nearest = np.minimum(nearest, shortest_paths(graph, chosen[-1:])[0])
        return np.array(chosen)

    def _embed(
        self, graph: sparse.csr_matrix, landmarks: NDArray[np.intp], inside: Any, n: int
    ) -> dict[str, Any]:
        paths = shortest_paths(graph, landmarks)
        count = len(landmarks)
        every = count == paths.shape[1]  # all rows are landmarks, and stand in their order
        squares = (paths if every else paths[:, landmarks]) ** 2
        means = squares.mean(axis=0)
        values, vectors = largest_eigenpairs(
            centred(lambda V: -0.5 * (squares @ V)),
            count,
            min(self.n_components, count - 1),
            seed=seed_of(self.random_state),
        )
        pseudo = over_roots(values, vectors)
        points = vectors * np.sqrt(np.maximum(values, 0.0))
        if not every:
            points = _place(paths.T, means, pseudo)
        embedding = np.full((n, self.n_components), np.nan)
        embedding[inside, : points.shape[1]] = points
        return {
            "embedding": embedding,
            "eigenvalues": values,
            "residual_variance": _residual_variance(points, paths, landmarks),
            "paths": paths,
            "means": means,
            "pseudo": pseudo,
        }

    def _outputs(self, X: Floats) -> Floats:
        """Places of rows by their paths through their nearest training rows."""
        fitted = self.fitted_
        k = min(fitted.n_neighbors, fitted.paths.shape[1])
        squares, nearest = fitted.rows.nearest(k, X)
        lengths = np.sqrt(squares)
        step = np.ones_like(lengths) if fitted.unit else lengths
        paths = (fitted.paths[:, nearest] + step).min(axis=2)
        placed = np.zeros((X.shape[0], fitted.embedding.shape[1]))
        points = _place(paths.T, fitted.means, fitted.pseudo)
        placed[:, : points.shape[1]] = points
        return placed


def _place(paths: Floats, means: Floats, pseudo: Floats) -> Floats:
    """Points whose path lengths to the landmarks are given, one row each (de Silva)."""
    return -0.5 * (paths**2 - means) @ pseudo


def _residual_variance(points: Floats, paths: Floats, landmarks: NDArray[np.intp]) -> float:
    rows = landmarks[:: max(1, len(landmarks) // 200)]
    found = np.linalg.norm(points[rows][:, None] - points[None], axis=2)
    wanted = paths[:: max(1, len(landmarks) // 200)]
    r = np.corrcoef(found.ravel(), wanted.ravel())[0, 1]
    return float(1.0 - r * r)
