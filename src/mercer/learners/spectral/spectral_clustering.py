"""Spectral clustering with every Laplacian, prediction, and a report on whether to believe it."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans as Engine
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer._types import Samples
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._frozen import snapshot
from mercer.learners._learner import Learner
from mercer.learners._parameters import (
    Rule,
    non_negative,
    none_or,
    number,
    one_of,
    positive_whole,
)
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import Clusters, UnlabelledWeighted
from mercer.learners.spectral._affinity import HasAffinity, Similarities
from mercer.learners.spectral._assigning import cluster_qr, discretize
from mercer.learners.spectral._pieces import (
    Connectivity,
    connectivity,
    refuse_pieces,
    warn_of_pieces,
)
from mercer.learners.spectral._recursive import split_recursively
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word
from mercer.learners.spectral.laplacians import degrees, eigenpairs, extend, weighed

Floats = NDArray[np.float64]
_RESTARTED = 2000  # rows on which k-means is restarted, if there are more
ASSIGN = ("kmeans", "discretize", "cluster_qr", "rows", "sign", "recursive")
TORN = "They are more than the clusters, which then put pieces together by chance."


@dataclass(frozen=True, kw_only=True)
class Clustering:
    """Clusters of rows, and how their eigenvectors are extended to others."""

    _state_version: ClassVar[int] = 1
    similar: Similarities
    similarities: Any
    degrees: Floats
    eigenvalues: Floats
    eigenvectors: Floats
    labels: NDArray[np.int32]
    centres: Floats | None
    number: int
    chosen: int  # by the gap between eigenvalues, if it was to choose
    laplacian: str
    assign: str
    pieces: Connectivity | None = None  # of the graph as it was; unknown in older files
    weight: Floats | None = None  # of the rows, if they do not count alike

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Clusters of checked rows."""
        K = self.similar.to_training(X)
        if self.number == 1:
            return np.zeros(K.shape[0], dtype=np.int32)
        if self.assign in ("recursive", "cluster_qr", "discretize"):  # no centres, no one function
            return self.labels[self.similar.nearest_row(X, K)]
        wanted = self.eigenvectors[:, :2] if self.assign == "sign" else self.eigenvectors
        used = self.eigenvalues[: wanted.shape[1]]
        heavy = K if self.weight is None else weighed(K, np.ones(K.shape[0]), self.weight)
        values, fine = extend(heavy, self.degrees, used, wanted, self.laplacian)
        if self.centres is None:
            labels = (values[:, 1] > 0).astype(np.int32)
        else:
            rows = _embedded(values, self.assign)
            gaps = np.linalg.norm(rows[:, None] - self.centres[None], axis=2)
            labels = gaps.argmin(axis=1).astype(np.int32)
        if not fine.all():
            labels[~fine] = self.labels[self.similar.nearest_row(X[~fine], K[~fine])]
        return labels


@dataclass(frozen=True, kw_only=True)
class SpectralFitted(Fitted):
    """The clustering of the training rows, and the arguments that it was made with."""

    clustering: Clustering
    asked: Mapping[str, Any] = field(default_factory=dict)


class SpectralClustering(UnlabelledWeighted, Clusters, HasAffinity, Learner):
    """Clusters from the first eigenvectors of a graph Laplacian.

    Weights count rows in degrees and clusters, as copies would, wherever similarities are a kernel;
    graphs of neighbours refuse them.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters; "auto" takes the largest relative gap between eigenvalues among 2 to
        ``max_clusters``.
    laplacian : {"random-walk", "symmetric", "unnormalized"}, default="random-walk"
        Which Laplacian. The normalised ones converge under weaker assumptions (von Luxburg's
        thesis, chapter II).
    assign_labels : {"kmeans", "discretize", "cluster_qr", "rows", "sign", "recursive"}, \
default="kmeans"
        k-means on the eigenvectors' rows (Meilă and Shi; Barnard), the nearest partition after a
        rotation (Yu and Shi), pivoted QR (Damle, Minden and Ying), k-means on rows scaled to length
        one (Ng, Jordan and Weiss), the sign of the second eigenvector (two clusters), or one split
        by sign after the other (Shi and Malik).
    affinity : str, Kernel or callable, default="rbf"
        Similarities: a kernel, by scikit-learn's name ("rbf" is exp(−gamma·d²)), as an object or
        a function of two rows; "kernel", a Gaussian as wide as the median distance to the seventh
        neighbour; 1 between neighbours ("knn" if one of both counts the other among its
        ``n_neighbors``, "mutual" if both do, "radius"); "nearest_neighbors", scikit-learn's graph;
        "precomputed" similarities, or "precomputed_nearest_neighbors" of sparse distances.
    kernel : Kernel, "precomputed" or None, default=None
        In place of ``affinity``: strings, sequences and graphs by their own kernels.
    metric : str, callable, Metric or Kernel, default="euclidean"
        The distance d of neighbour graphs and Gaussians, of vectors or of any objects, or
        "precomputed".
    gamma, degree, coef0, kernel_params
        Of named kernels and of functions.
    n_neighbors : int, default=10
        Of the neighbour graphs.
    radius : float or None, default=None
        Of ``affinity="radius"``: rows at most so far apart are joined.
    n_components : int or None, default=None
        Eigenvectors that are clustered; None takes as many as there are clusters.
    max_clusters : int, default=10
        Limit of ``n_clusters="auto"``.
    disconnected : {"warn", "connect", "error"}, default="warn"
        What to do with a graph in more pieces than there are clusters (fewer pieces are clusters
        themselves): say so, connect them as `LaplacianEigenmaps` does, or refuse.
    eigen_solver, eigen_tol, n_jobs, verbose
        For scikit-learn's sake: the solver is chosen by size.
    n_init : int, default=10
        Restarts of k-means.
    random_state : int, generator or None, default=None
        Of k-means and the eigen-solver.

    Attributes
    ----------
    labels_ : ndarray of int
    n_clusters_ : int
    eigenvalues_ : ndarray
        Of the Laplacian, rising; a few more than are used.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Those that were used.
    degrees_ : ndarray of shape (n_samples,)
    similarities_, affinity_matrix_ : matrix
        What was clustered, dense or sparse.
    connectivity_ : Connectivity
        Of that graph, before anything was done about its pieces.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _matrices: ClassVar[float] = 6.0
    _state_version: ClassVar[int] = 3
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES
        | HasAffinity._rules
        | {
            "n_clusters": or_word("auto", positive_whole),
            "n_components": none_or(positive_whole),
            "assign_labels": one_of(*ASSIGN),
            "disconnected": one_of("warn", "connect", "error"),
            "gamma": none_or(non_negative),
            "degree": non_negative,
            "coef0": (number(math.isfinite), "a finite number"),
            "eigen_solver": none_or(one_of("arpack", "lobpcg", "amg")),
            "eigen_tol": or_word("auto", non_negative),
        }
    )
    _door: ClassVar[Door] = Door(
        asks="affinity", dtype=np.float64, narrow=sys.maxsize, weights="drop"
    )
    fitted_: SpectralFitted

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        laplacian: str = "random-walk",
        assign_labels: str = "kmeans",
        affinity: Any = "rbf",
        kernel: Any = None,
        metric: Any = "euclidean",
        gamma: Any = 1.0,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        n_neighbors: int = 10,
        radius: float | None = None,
        n_components: int | None = None,
        max_clusters: int = 10,
        disconnected: str = "warn",
        eigen_solver: str | None = None,
        eigen_tol: Any = "auto",
        n_init: int = 10,
        n_jobs: int | None = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.laplacian = laplacian
        self.assign_labels = assign_labels
        self.affinity = affinity
        self.kernel = kernel
        self.metric = metric
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.max_clusters = max_clusters
        self.disconnected = disconnected
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_init=2, random_state=0)]

    def _train(self, sample: TrainingSample) -> SpectralFitted:
        if self.n_clusters != "auto" and not self.n_clusters <= sample.n:
            raise ValueError(
                f"n_clusters={self.n_clusters!r} needs 1 <= it <= {sample.n} rows, or 'auto'"
            )
        if self.assign_labels == "sign" and self.n_clusters != 2:
            raise ValueError(
                "assign_labels='sign' makes two clusters; use n_clusters=2 or another rule"
            )
        found = self._cluster(sample.X, sample.kind, weight=sample.weight)
        pieces = connectivity(found.similarities) if found.pieces is None else found.pieces
        if pieces.components > found.number:
            if self.disconnected == "error":
                refuse_pieces(pieces)
            joint = self.disconnected == "connect"
            told = "They are connected." if joint else TORN
            warn_of_pieces(pieces, told)
        clustering = replace(found, pieces=pieces)
        return SpectralFitted(**rows_of(sample), clustering=clustering, asked=snapshot(self))

    def _cluster(
        self, X: Samples, kind: Kind, number: int | None = None, weight: Floats | None = None
    ) -> Clustering:
        """Clusters of checked rows; ``number`` overrides how many there are, not the spectrum."""
        similar = self._similar(X, kind)
        K, pieces = similar.matrix(), None
        n, auto = K.shape[0], self.n_clusters == "auto"
        most = self.max_clusters if auto else int(self.n_clusters)
        if self.disconnected == "connect":
            pieces = connectivity(K)
            if pieces.components > (1 if auto else most):
                similar, K = similar.connected(K, pieces.labels)
        weight = None if weight is None else self._weighable(similar, weight)
        each = np.ones(n) if weight is None else weight
        seed = seed_of(self.random_state)
        wanted = max(most, self.n_components or 0)
        values, vectors = eigenpairs(
            K, min(n, wanted + 2), self.laplacian, seed=seed, weight=weight
        )
        chosen = eigengap(values, most) if auto else most
        k = chosen if number is None else number
        used = vectors[:, : self.n_components or k]
        labels, centres = self._assign(K, used if self.n_components else vectors, k, each)
        return Clustering(
            similar=similar,
            similarities=K,
            degrees=degrees(K) if weight is None else np.asarray(K @ weight).ravel(),
            eigenvalues=values,
            eigenvectors=used,
            labels=labels,
            centres=centres,
            number=k,
            chosen=chosen,
            laplacian=self.laplacian,
            assign=self.assign_labels,
            pieces=pieces,
            weight=weight,
        )

    def _assign(
        self, K: Any, vectors: Floats, k: int, weight: Floats
    ) -> tuple[NDArray[np.int32], Floats | None]:
        """Labels of the rows, and centres if the rule has some."""
        if k == 1:
            return np.zeros(K.shape[0], dtype=np.int32), None
        if self.assign_labels == "sign":
            return (vectors[:, 1] > 0).astype(np.int32), None
        seed = seed_of(self.random_state)
        if self.assign_labels == "recursive":
            tree = split_recursively(K, k, self.laplacian, seed=seed, weight=weight)
            return tree.labels.astype(np.int32), None
        used = vectors[:, : self.n_components or k]
        if self.assign_labels == "cluster_qr":
            return cluster_qr(used), None
        if self.assign_labels == "discretize":
            return discretize(used, seed, weight), None
        rows = _embedded(used, self.assign_labels)
        some = np.random.default_rng(seed).permutation(len(rows))[:_RESTARTED]
        engine = Engine(k, n_init=self.n_init, random_state=seed)
        engine.fit(rows[some], sample_weight=weight[some])  # restarts on a part of many rows,
        last = Engine(k, init=engine.cluster_centers_, n_init=1)
        found = last.fit(rows, sample_weight=weight)  # the best goes on
        return found.labels_.astype(np.int32), found.cluster_centers_

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SpectralFitted)
        found = fitted.clustering
        self.labels_, self.n_clusters_ = found.labels, found.number
        self.eigenvalues_, self.eigenvectors_ = found.eigenvalues, found.eigenvectors
        self.degrees_, self.connectivity_ = found.degrees, found.pieces
        if found.centres is not None:
            self.cluster_centers_ = found.centres
        if found.similar.kernel is not None:
            self.kernel_ = found.similar.kernel

    @property
    def affinity_matrix_(self) -> Any:
        """scikit-learn's name of ``similarities_``."""
        return self.similarities_

    @property
    def similarities_(self) -> Any:
        """What was clustered, dense or sparse."""
        check_is_fitted(self)
        return self.fitted_.clustering.similarities

    def _outputs(self, X: Samples) -> NDArray[np.int32]:
        """Clusters of rows by extending the eigenvectors to them.

        A row to which the extension does not reach (similar to nothing, or, unnormalised, of a
        degree close to an eigenvalue) gets the label of the most similar or nearest training row.
        """
        return self.fitted_.clustering.predict(X)

    def trust(self, **options: Any) -> Any:
        """Whether the clustering would survive another sample: a `TrustReport`.

        The clustering is done again with the arguments it was fitted with, whatever they are now.
        """
        from mercer.learners.spectral.trust import trust_report

        check_is_fitted(self)
        as_fitted = object.__new__(type(self))
        # a file written before has no arguments in its record
        as_fitted.__dict__.update(vars(self) | dict(getattr(self.fitted_, "asked", {})))
        return trust_report(as_fitted, **options)


def _embedded(vectors: Floats, assign: str) -> Floats:
    if assign != "rows":
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def eigengap(values: Floats, most: int) -> int:
    """The number of clusters, at least 2, after which the eigenvalue grows by the largest factor.

    Jumps are measured relative to the eigenvalue after them: separated clusters have eigenvalues
    near 0, and what follows is of no interest however far apart.
    """
    upper = values[1 : most + 1]
    gaps = np.diff(values[: most + 1]) / np.maximum(upper, 1e-12)
    return int(np.argmax(gaps[1:])) + 2 if len(gaps) > 1 else min(2, len(values))
