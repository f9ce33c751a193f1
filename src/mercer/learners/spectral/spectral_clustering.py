"""Spectral clustering with every Laplacian, prediction, and a report on whether to believe it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans as Engine
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.kernels import Kernel
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._frozen import snapshot
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, positive_whole
from mercer.learners._unlabelled import Clusters
from mercer.learners.spectral._affinity import Similarities
from mercer.learners.spectral._recursive import split_recursively
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word
from mercer.learners.spectral.laplacians import degrees, eigenpairs, extend

Floats = NDArray[np.float64]
_RESTARTED = 2000  # rows on which k-means is restarted, if there are more
KERNEL_OR_NONE: Rule = (lambda v: v is None or isinstance(v, Kernel), "a mercer Kernel or None")


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

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Clusters of checked rows."""
        K = self.similar.to_training(X)
        if self.number == 1:
            return np.zeros(K.shape[0], dtype=np.int32)
        if self.assign == "recursive":  # each split has its own subgraph: no single extension
            return self.labels[self.similar.nearest_row(X, K)]
        wanted = self.eigenvectors[:, :2] if self.assign == "sign" else self.eigenvectors
        used = self.eigenvalues[: wanted.shape[1]]
        values, fine = extend(K, self.degrees, used, wanted, self.laplacian)
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


class SpectralClustering(Clusters, Learner):
    """Clusters from the first eigenvectors of a graph Laplacian.

    Parameters
    ----------
    n_clusters : int or "auto", default=2
        Number of clusters; "auto" takes the largest relative gap between eigenvalues among 2 to
        ``max_clusters``.
    laplacian : {"symmetric", "random-walk", "unnormalized"}, default="symmetric"
        Which Laplacian. The normalised ones converge under weaker assumptions (von Luxburg's
        thesis, chapter II).
    assign_labels : {"rows", "kmeans", "sign", "recursive"}, default="rows"
        k-means on eigenvector rows scaled to length one (Ng, Jordan and Weiss), k-means on the
        plain rows (Meilă and Shi; Barnard), the sign of the second eigenvector (two clusters), or
        one split by sign after the other (Shi and Malik).
    affinity : {"kernel", "knn", "mutual", "radius", "precomputed"}, default="kernel"
        Similarities: of a kernel, 1 between neighbours, or given as X.
    kernel : Kernel or None, default=None
        For ``affinity="kernel"``; None is a Gaussian as wide as the median distance to the
        seventh neighbour.
    n_neighbors : int, default=10
        Of the neighbour graphs.
    radius : float or None, default=None
        Of ``affinity="radius"``: rows at most so far apart are joined.
    max_clusters : int, default=10
        Limit of ``n_clusters="auto"``.
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
    eigenvectors_ : ndarray of shape (n_samples, n_clusters_)
        Those that were used.
    degrees_ : ndarray of shape (n_samples,)
    similarities_ : matrix
        What was clustered, dense or sparse.
    """

    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = SPECTRAL_RULES | {
        "n_clusters": or_word("auto", positive_whole),
        "kernel": KERNEL_OR_NONE,
    }
    _door: ClassVar[Door] = Door(asks="affinity", dtype=np.float64, narrow=sys.maxsize)
    fitted_: SpectralFitted

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        laplacian: str = "symmetric",
        assign_labels: str = "rows",
        affinity: str = "kernel",
        kernel: Any = None,
        n_neighbors: int = 10,
        radius: float | None = None,
        max_clusters: int = 10,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.laplacian = laplacian
        self.assign_labels = assign_labels
        self.affinity = affinity
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_init=2, random_state=0)]

    def _says_kind(self) -> Any:
        by_kernel = self.affinity == "kernel" and isinstance(self.kernel, Kernel)
        return self.kernel if by_kernel else self.affinity

    def _train(self, sample: TrainingSample) -> SpectralFitted:
        if self.n_clusters != "auto" and not self.n_clusters <= sample.n:
            raise ValueError(
                f"n_clusters={self.n_clusters!r} needs 1 <= it <= {sample.n} rows, or 'auto'"
            )
        if self.assign_labels == "sign" and self.n_clusters != 2:
            raise ValueError(
                "assign_labels='sign' makes two clusters; use n_clusters=2 or another rule"
            )
        return SpectralFitted(
            **rows_of(sample), clustering=self._cluster(sample.X), asked=snapshot(self)
        )

    def _cluster(self, X: Any, number: int | None = None) -> Clustering:
        """Clusters of checked rows; ``number`` overrides how many there are, not the spectrum."""
        similar = Similarities.on(X, self.affinity, self.kernel, self.n_neighbors, self.radius)
        K = similar.matrix()
        n, auto = K.shape[0], self.n_clusters == "auto"
        most = self.max_clusters if auto else int(self.n_clusters)
        seed = seed_of(self.random_state)
        values, vectors = eigenpairs(K, min(n, most + 2), self.laplacian, seed=seed)
        chosen = eigengap(values, most) if auto else most
        k = chosen if number is None else number
        labels, centres = self._assign(K, vectors, k)
        return Clustering(
            similar=similar,
            similarities=K,
            degrees=degrees(K),
            eigenvalues=values,
            eigenvectors=vectors[:, :k],
            labels=labels,
            centres=centres,
            number=k,
            chosen=chosen,
            laplacian=self.laplacian,
            assign=self.assign_labels,
        )

    def _assign(self, K: Any, vectors: Floats, k: int) -> tuple[NDArray[np.int32], Floats | None]:
        """Labels of the rows, and centres if the rule has some."""
        if k == 1:
            return np.zeros(K.shape[0], dtype=np.int32), None
        if self.assign_labels == "sign":
            return (vectors[:, 1] > 0).astype(np.int32), None
        seed = seed_of(self.random_state)
        if self.assign_labels == "recursive":
            tree = split_recursively(K, k, self.laplacian, seed=seed)
            return tree.labels.astype(np.int32), None
        rows = _embedded(vectors[:, :k], self.assign_labels)
        some = np.random.default_rng(seed).permutation(len(rows))[:_RESTARTED]
        engine = Engine(k, n_init=self.n_init, random_state=seed)
        first = engine.fit(rows[some]).cluster_centers_  # restarts on a part of many rows,
        found = Engine(k, init=first, n_init=1).fit(rows)  # the best goes on
        return found.labels_.astype(np.int32), found.cluster_centers_

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SpectralFitted)
        found = fitted.clustering
        self.labels_, self.n_clusters_ = found.labels, found.number
        self.eigenvalues_, self.eigenvectors_ = found.eigenvalues, found.eigenvectors
        self.degrees_ = found.degrees
        if found.centres is not None:
            self.cluster_centers_ = found.centres
        if found.similar.kernel is not None:
            self.kernel_ = found.similar.kernel

    @property
    def similarities_(self) -> Any:
        """What was clustered, dense or sparse."""
        check_is_fitted(self)
        return self.fitted_.clustering.similarities

    def _outputs(self, X: Any) -> NDArray[np.int32]:
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
