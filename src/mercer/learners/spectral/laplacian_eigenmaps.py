"""Laplacian eigenmaps: coordinates that change as little as possible between similar rows."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._random import seed_of
from mercer._types import RandomState, Samples
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner
from mercer.learners._parameters import Rule, non_negative, none_or
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners._unlabelled import EmbedsTraining, UnlabelledWeighted
from mercer.learners.spectral._affinity import HasAffinity, Similarities
from mercer.learners.spectral._pieces import (
    Connectivity,
    felt_connectivity,
    refuse_pieces,
    warn_of_pieces,
)
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral.laplacians import degrees, eigenpairs, extend, weighed

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class EigenmapsFitted(Fitted):
    """Eigenvectors of the Laplacian, and the similarities that extend them to new rows."""

    similar: Similarities
    inside: NDArray[np.intp]  # the rows that have coordinates
    degrees: Floats
    eigenvalues: Floats
    eigenvectors: Floats
    embedding: Floats
    laplacian: str
    pieces: Connectivity
    weight: Floats | None = None  # of the rows inside, if they do not count alike


class LaplacianEigenmaps(UnlabelledWeighted, EmbedsTraining, HasAffinity, Learner):
    """Embedding by the eigenvectors of a graph Laplacian with the smallest positive eigenvalues.

    Belkin and Niyogi's maps are those of the random walk (Ly = λDy); of a distance matrix they are
    the Laplacian embedding of a metric space (von Luxburg's thesis, III.2.2).

    Weights count rows as copies would, wherever similarities are a kernel; graphs of neighbours
    refuse them.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    affinity : str, Kernel or callable, default="knn"
        Similarities, as in `SpectralClustering`: graphs of neighbours ("knn", "mutual", "radius",
        "nearest_neighbors"), a Gaussian of the distance ("rbf" with ``gamma``, "kernel" as wide as
        neighbourhoods), a kernel, or "precomputed".
    kernel : Kernel, "precomputed" or None, default=None
        In place of ``affinity``: strings, sequences and graphs by their own kernels.
    metric : str, callable, Metric or Kernel, default="euclidean"
        The distance of neighbour graphs and Gaussians, of vectors or of any objects, or
        "precomputed".
    n_neighbors : int, default=10
        Of the neighbour graphs.
    radius : float or None, default=None
        Of ``affinity="radius"``.
    gamma : float or None, default=None
        Of ``affinity="rbf"``; None is as wide as neighbourhoods.
    laplacian : {"random-walk", "symmetric", "unnormalized"}, default="random-walk"
        Which Laplacian.
    disconnected : {"connect", "largest", "warn", "error"}, default="connect"
        What to do with a graph in several pieces, on each of which a coordinate would be constant:
        join neighbour graphs by their closest pairs and make Gaussians wide enough, embed the
        largest and give the rest NaN, leave them apart, or refuse. All but the last warn.
    random_state : …

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of length one, the constant left out.
    eigenvalues_ : ndarray of shape (n_components,)
        Rising.
    connectivity_ : Connectivity
        Of the graph before anything was done about its pieces.
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _matrices: ClassVar[float] = 8.0
    _rules: ClassVar[dict[str, Rule]] = (
        SPECTRAL_RULES | HasAffinity._rules | {"gamma": none_or(non_negative)}
    )
    _door: ClassVar[Door] = Door(
        asks="affinity", dtype=np.float64, narrow=sys.maxsize, weights="drop", least=3
    )
    fitted_: EigenmapsFitted

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: Any = "knn",
        kernel: Any = None,
        metric: Any = "euclidean",
        n_neighbors: int = 10,
        radius: float | None = None,
        gamma: float | None = None,
        laplacian: str = "random-walk",
        disconnected: str = "connect",
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.kernel = kernel
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.gamma = gamma
        self.laplacian = laplacian
        self.disconnected = disconnected
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(2, affinity="kernel", random_state=0), cls(2, n_neighbors=5, random_state=0)]

    def _train(self, sample: TrainingSample) -> EigenmapsFitted:
        if not self.n_components < sample.n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {sample.n} rows")
        similar = self._similar(sample.X, sample.kind)
        similar, K, found, inside = self._in_one_piece(similar)
        if not self.n_components < len(inside):
            raise ValueError(f"the largest piece has {len(inside)} rows only: {found.words()}")
        seed = seed_of(self.random_state)
        weight = self._weighable(similar, sample.weight)
        weight = None if weight is None else weight[inside]
        values, vectors = eigenpairs(
            K, self.n_components + 1, self.laplacian, seed=seed, weight=weight
        )
        embedding = np.full((sample.n, self.n_components), np.nan)
        embedding[inside] = vectors[:, 1:]
        return EigenmapsFitted(
            **rows_of(sample),
            similar=similar.stored(),
            inside=inside,
            degrees=degrees(K) if weight is None else np.asarray(K @ weight).ravel(),
            eigenvalues=values[1:],
            eigenvectors=vectors[:, 1:],
            embedding=embedding,
            laplacian=self.laplacian,
            pieces=found,
            weight=weight,
        )

    def _in_one_piece(self, similar: Similarities) -> tuple[Any, Any, Any, Any]:
        """What to use, its matrix, the pieces that there were, and the rows that are embedded."""
        K = similar.matrix()
        found, every = felt_connectivity(K), np.arange(K.shape[0])
        if found.connected:
            return similar, K, found, every
        if self.disconnected == "error":
            refuse_pieces(found)
        if self.disconnected == "warn":
            warn_of_pieces(found, "Coordinates of eigenvalue 0 do nothing but tell them apart.")
            return similar, K, found, every
        if self.disconnected == "largest":
            warn_of_pieces(found, "The largest is embedded, the others get NaN.")
            inside = found.largest
            return similar, K[inside][:, inside], found, inside
        similar, K = similar.connected(K, found.labels)
        how = "by their closest pairs" if similar.is_graph else "by wider kernels"
        warn_of_pieces(found, f"They are connected {how}.")
        return similar, K, found, every

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, EigenmapsFitted)
        self.embedding_, self.eigenvalues_ = fitted.embedding, fitted.eigenvalues
        self.connectivity_ = fitted.pieces
        self._n_features_out = fitted.embedding.shape[1]

    def _outputs(self, X: Samples) -> Floats:
        """Coordinates of rows by their similarities to the training rows (Nyström).

        A row that is similar to nothing gets NaN.
        """
        fitted = self.fitted_
        if fitted.laplacian != "unnormalized" and np.any(np.abs(1 - fitted.eigenvalues) <= 1e-12):
            raise ValueError(
                "a coordinate has the eigenvalue 1: it tells the training rows apart by chance and "
                "says nothing of other rows, as where all rows are equal. Take fewer n_components."
            )
        K = fitted.similar.to_training(X)
        if len(fitted.inside) < fitted.n:
            K = K[:, fitted.inside]
        if fitted.weight is not None:
            K = weighed(K, np.ones(K.shape[0]), fitted.weight)
        values, fine = extend(
            K, fitted.degrees, fitted.eigenvalues, fitted.eigenvectors, fitted.laplacian
        )
        values[~fine] = np.nan
        return values
