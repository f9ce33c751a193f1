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
from mercer.learners._parameters import (
    Rule,
    non_negative,
    none_or,
    number,
    one_of,
    positive,
    positive_whole,
)
from mercer.learners._reasons import COUNTED, ONE_SOLVE
from mercer.learners._unlabelled import EmbedsTraining
from mercer.learners.spectral._compared import Compared, ComparesRows
from mercer.learners.spectral._eigen import Centred, largest_eigenpairs, over_roots
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
    radius: float | None = None


class Isomap(EmbedsTraining, ComparesRows, Learner):
    """Isomap embedding, from all points or from landmarks.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int or None, default=5
        Of the graph, for ``graph="knn"`` and ``"mutual"``; None with a ``radius``.
    graph : {"knn", "mutual", "radius"}, default="knn"
        Which points are connected.
    radius : float or None, default=None
        Rows at most so far apart are joined, instead of neighbours.
    weights : {"distance", "unit"}, default="distance"
        Length of an edge. Hop counts ("unit") measure lengths weighted by the density and so avoid
        thin regions; distances do not.
    n_landmarks : int or None, default=None
        Paths are computed from so many points only, chosen one after the other farthest from those
        before; None takes all points.
    disconnected : {"connect", "largest", "error"}, default="connect"
        What to do with a graph in several pieces: connect them by their closest pairs, embed the
        largest and give the rest NaN, or refuse. The first two warn.
    metric : str, callable, Metric or Kernel, default="minkowski"
        Distance between rows: scikit-learn's names, a function of two objects or a
        `mercer.metrics.Metric` (strings, sequences, graphs too), a `mercer.kernels.Kernel` for the
        distance in its feature space, or "precomputed" for a symmetric matrix of distances.
    p : float, default=2
        Of the metric "minkowski".
    metric_params : dict or None, default=None
        Further arguments of a named metric.
    eigen_solver, tol, max_iter, path_method, neighbors_algorithm, n_jobs
        For scikit-learn's sake: the ways are chosen by size, threads by ``mercer.set_config``.
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

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE | COUNTED
    _matrices: ClassVar[float] = 13.0
    _state_version: ClassVar[int] = 4
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | ComparesRows._rules
        | {
            "disconnected": one_of("connect", "largest", "error"),  # paths need one piece
            "n_landmarks": none_or(positive_whole),
            "n_neighbors": none_or(positive_whole),
            "radius": none_or((number(lambda v: v > 0), "a positive number")),
            "p": positive,
            "tol": non_negative,
            "max_iter": none_or(positive_whole),
            "eigen_solver": one_of("auto", "arpack", "dense"),
            "path_method": one_of("auto", "FW", "D"),
            "neighbors_algorithm": one_of("auto", "brute", "kd_tree", "ball_tree"),
        }
    )
    fitted_: IsomapFitted

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | None = 5,
        graph: str = "knn",
        radius: float | None = None,
        weights: str = "distance",
        n_landmarks: int | None = None,
        disconnected: str = "connect",
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: Any = None,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        path_method: str = "auto",
        neighbors_algorithm: str = "auto",
        n_jobs: int | None = None,
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
        self.p = p
        self.metric_params = metric_params
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_neighbors=5, random_state=0)]

    def _held(self, sample: TrainingSample) -> float:
        return self._matrices if self.n_landmarks is None else 0.0

    def _train(self, sample: TrainingSample) -> IsomapFitted:
        rows, n = self._compared(sample), sample.n
        if not 1 <= self.n_components < n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {n} points")
        graph = self._neighbourhoods(rows)
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
            n_neighbors=0 if self.n_neighbors is None else int(self.n_neighbors),
            radius=None if self.n_neighbors is not None else self.radius,
            unit=self.weights == "unit",
        )

    @property
    def dist_matrix_(self) -> Floats:
        """Path lengths, from the landmarks (all rows, if there are none) to all rows."""
        check_is_fitted(self)
        return self.fitted_.paths

    def reconstruction_error(self) -> float:
        """‖K − K̂‖/n of the centred squared path lengths and their part in the embedding."""
        check_is_fitted(self)
        paths, landmarks = self.fitted_.paths, self.landmarks_
        squares = (paths if len(landmarks) == paths.shape[1] else paths[:, landmarks]) ** 2
        K = -0.5 * (squares - squares.mean(axis=0))
        K = K - K.mean(axis=1, keepdims=True)
        rest = max(0.0, float(np.sum(K**2)) - float(np.sum(self.eigenvalues_**2)))
        return float(np.sqrt(rest)) / len(K)

    def _neighbourhoods(self, rows: Compared) -> sparse.csr_matrix:
        """The graph of neighbours, or of all rows within the radius."""
        by_radius = self.n_neighbors is None or self.graph == "radius"
        if by_radius and self.radius is None:
            raise ValueError("give n_neighbors, or a radius with n_neighbors=None")
        if not by_radius and self.radius is not None:
            raise ValueError(
                "Both n_neighbors and radius are provided. Use Isomap(radius="
                f"{self.radius}, n_neighbors=None) if intended to use radius-based neighbors"
            )
        return neighbor_graph(
            rows,
            "radius" if by_radius else self.graph,
            n_neighbors=min(self.n_neighbors or rows.n, rows.n - 1),
            radius=self.radius,
            weights=self.weights,
        )

    def _compared(self, sample: TrainingSample) -> Compared:
        params = dict(self.metric_params or {})
        if isinstance(self.metric, str) and self.metric == "minkowski":
            params = {"p": self.p} | params
        return Compared.on(sample.X, self.metric, sample.kind, params)

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
            Centred(lambda V: -0.5 * (squares @ V), np.ones(len(squares))).plain,
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
        paths = np.full((fitted.paths.shape[0], X.shape[0]), np.inf)
        k = min(fitted.n_neighbors, fitted.paths.shape[1])
        if fitted.radius is None:
            squares, nearest = fitted.rows.nearest(k, X)
            steps = np.ones_like(squares) if fitted.unit else np.sqrt(squares)
            paths = (fitted.paths[:, nearest] + steps).min(axis=2)
        else:
            near = fitted.rows.within(fitted.radius, X)
            for i in range(X.shape[0]):
                part = slice(near.indptr[i], near.indptr[i + 1])
                steps = np.ones(part.stop - part.start) if fitted.unit else np.sqrt(near.data[part])
                if len(steps):
                    paths[:, i] = (fitted.paths[:, near.indices[part]] + steps).min(axis=1)
        reached = np.isfinite(paths).all(axis=0)  # within the radius of a training row
        placed = np.zeros((X.shape[0], fitted.embedding.shape[1]))
        points = _place(paths[:, reached].T, fitted.means, fitted.pseudo)
        placed[np.flatnonzero(reached)[:, None], np.arange(points.shape[1])] = points
        placed[~reached] = np.nan
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
