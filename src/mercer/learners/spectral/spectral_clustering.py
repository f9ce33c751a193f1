"""Spectral clustering with every Laplacian, prediction, and a report on whether to believe it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans as Engine
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.kernels import Kernel
from mercer.learners._parameters import Rule, check_parameters, positive_whole
from mercer.learners.spectral._affinity import Affinity
from mercer.learners.spectral._neighbours import nearest
from mercer.learners.spectral._recursive import SplitTree, split_recursively
from mercer.learners.spectral._rules import SPECTRAL_RULES, or_word
from mercer.learners.spectral.laplacians import degrees, eigenpairs, extend

Floats = NDArray[np.float64]
_RESTARTED = 2000  # rows on which k-means is restarted, if there are more
KERNEL_OR_NONE: Rule = (lambda v: v is None or isinstance(v, Kernel), "a mercer Kernel or None")


class SpectralClustering(Affinity, ClusterMixin, BaseEstimator):
    """Clusters from the first eigenvectors of a graph Laplacian.

    Parameters
    ----------
    n_clusters : int or "auto", default=2
        Number of clusters; "auto" takes the largest relative gap between eigenvalues among 2 to
        ``max_clusters``.
    laplacian : {"symmetric", "random-walk", "unnormalised"}, default="symmetric"
        Which Laplacian. The normalised ones converge under weaker assumptions (von Luxburg's
        thesis, chapter II).
    assign : {"rows", "kmeans", "sign", "recursive"}, default="rows"
        k-means on eigenvector rows scaled to length one (Ng, Jordan and Weiss), k-means on the
        plain rows (Meilă and Shi; Barnard), the sign of the second eigenvector (two clusters), or
        one split by sign after the other (Shi and Malik).
    affinity : {"kernel", "knn", "mutual", "epsilon", "precomputed"}, default="kernel"
        Similarities: of a kernel, 1 between neighbours, or given as X.
    kernel : Kernel or None, default=None
        For ``affinity="kernel"``; None is a Gaussian as wide as the median distance to the
        seventh neighbour.
    n_neighbors : int, default=10
        Of the neighbour graphs.
    epsilon : float or None, default=None
        Of ``affinity="epsilon"``.
    max_clusters : int, default=10
        Limit of ``n_clusters="auto"``.
    n_init : int, default=10
        Restarts of k-means.
    random_state : int, generator or None, default=0
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

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        laplacian: str = "symmetric",
        assign: str = "rows",
        affinity: str = "kernel",
        kernel: Any = None,
        n_neighbors: int = 10,
        epsilon: float | None = None,
        max_clusters: int = 10,
        n_init: int = 10,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.laplacian = laplacian
        self.assign = assign
        self.affinity = affinity
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.epsilon = epsilon
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, n_init=2)]

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Cluster the rows, or the matrix of similarities."""
        rules = {"n_clusters": or_word("auto", positive_whole), "kernel": KERNEL_OR_NONE}
        check_parameters(self, SPECTRAL_RULES | rules)
        X = self._rows(X, reset=True)
        self._check(X.shape[0])
        return self._cluster(X)

    def _cluster(self, X: Any, number: int | None = None) -> SpectralClustering:
        """`fit` on checked rows; ``number`` overrides the number of clusters, not the spectrum."""
        self.similarities_ = K = self._similarities(X)
        self.degrees_ = degrees(K)
        n = K.shape[0]
        most = self.max_clusters if self.n_clusters == "auto" else int(self.n_clusters)
        count = min(n, most + 2)
        values, vectors = eigenpairs(K, count, self.laplacian, seed=seed_of(self.random_state))
        self.eigenvalues_ = values
        self._chosen = eigengap(values, most) if self.n_clusters == "auto" else most
        self.n_clusters_ = self._chosen if number is None else number
        self._values = values[: self.n_clusters_]
        self.eigenvectors_ = vectors[:, : self.n_clusters_]
        self._second = vectors[:, 1] if n > 1 else vectors[:, 0]
        self.labels_ = self._assign(K)
        return self

    def _check(self, n: int) -> None:
        if self.n_clusters != "auto" and not self.n_clusters <= n:
            raise ValueError(f"n_clusters={self.n_clusters!r} needs 1 <= it <= {n} rows, or 'auto'")
        if self.assign == "sign" and self.n_clusters != 2:
            raise ValueError("assign='sign' makes two clusters; use n_clusters=2 or another rule")

    def _assign(self, K: Any) -> NDArray[np.int32]:
        if self.n_clusters_ == 1:
            return np.zeros(K.shape[0], dtype=np.int32)
        if self.assign == "sign":
            return (self._second > 0).astype(np.int32)
        if self.assign == "recursive":
            self._tree: SplitTree = split_recursively(
                K, self.n_clusters_, self.laplacian, seed=seed_of(self.random_state)
            )
            return self._tree.labels.astype(np.int32)
        rows = self._embedded(self.eigenvectors_)
        seed = seed_of(self.random_state)
        some = np.random.default_rng(seed).permutation(len(rows))[:_RESTARTED]
        engine = Engine(self.n_clusters_, n_init=self.n_init, random_state=seed)
        first = engine.fit(rows[some]).cluster_centers_  # restarts on a part of many rows,
        found = Engine(self.n_clusters_, init=first, n_init=1).fit(rows)  # the best goes on
        self.cluster_centers_ = found.cluster_centers_
        return found.labels_.astype(np.int32)

    def _embedded(self, vectors: Floats) -> Floats:
        if self.assign != "rows":
            return vectors
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1.0)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Clusters of new rows by extending the eigenvectors to them.

        With ``affinity="precomputed"``, X holds similarities to the training rows. A row to which
        the extension does not reach (similar to nothing, or, unnormalised, of a degree close to an
        eigenvalue) gets the label of the most similar or nearest training row.
        """
        check_is_fitted(self)
        return self._predict(self._rows(X, reset=False))

    def _predict(self, X: Any) -> NDArray[np.int32]:
        K = self._new_similarities(X)
        if self.n_clusters_ == 1:
            return np.zeros(X.shape[0], dtype=np.int32)
        if self.assign == "recursive":
            return self._nearest(X, K)  # each split has its own subgraph: no single extension
        wanted = self.eigenvectors_[:, :2] if self.assign == "sign" else self.eigenvectors_
        values, fine = extend(
            K, self.degrees_, self._values[: wanted.shape[1]], wanted, self.laplacian
        )
        if self.assign == "sign":
            labels = (values[:, 1] > 0).astype(np.int32)
        else:
            rows = self._embedded(values)
            gaps = np.linalg.norm(rows[:, None] - self.cluster_centers_[None], axis=2)
            labels = gaps.argmin(axis=1).astype(np.int32)
        if not fine.all():
            labels[~fine] = self._nearest(X[~fine], K[~fine])
        return labels

    def _nearest(self, X: Any, K: Any) -> NDArray[np.int32]:
        if self.affinity == "precomputed":
            return self.labels_[np.asarray(K.argmax(axis=1)).ravel()]
        return self.labels_[nearest(self._fit_rows, 1, X)[1].ravel()]

    def trust(self, **options: Any) -> Any:
        """Whether the clustering would survive another sample: a `TrustReport`."""
        from mercer.learners.spectral.trust import trust_report

        check_is_fitted(self)
        return trust_report(self, **options)


def eigengap(values: Floats, most: int) -> int:
    """The number of clusters, at least 2, after which the eigenvalue grows by the largest factor.

    Jumps are measured relative to the eigenvalue after them: separated clusters have eigenvalues
    near 0, and what follows is of no interest however far apart.
    """
    upper = values[1 : most + 1]
    gaps = np.diff(values[: most + 1]) / np.maximum(upper, 1e-12)
    return int(np.argmax(gaps[1:])) + 2 if len(gaps) > 1 else min(2, len(values))
