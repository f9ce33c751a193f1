"""Multidimensional scaling: points from nothing but distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._random import seed_of
from mercer.learners._parameters import check_parameters
from mercer.learners.spectral._eigen import centred, largest_eigenpairs, over_roots
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.metrics import stress_mds
from mercer.metrics._embeddings import stress

Floats = NDArray[np.float64]


class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Points whose inner products are −½·J·D²·J: exact if the distances are Euclidean.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the points.
    metric : str or callable, default="euclidean"
        Distance between rows, or "precomputed".
    refine : bool, default=False
        Go on minimising the stress Σ(d − ‖p − q‖)² by majorisation (SMACOF); new rows can then not
        be placed.
    random_state : int, generator or None, default=0
        Start of the iterative eigen-solver.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray
        The largest ones, used for the points.
    negative_ : float
        Most negative eigenvalue over the largest: 0 for Euclidean distances. The report in
        ``euclidean_report()`` says what it means.
    stress_ : float
        √(Σ(d − ‖p − q‖)²/Σd²).
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        refine: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.refine = refine
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ClassicalMDS:
        """Embed the rows, or the matrix of distances."""
        check_parameters(self, SPECTRAL_RULES)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        D = self._distances(X)
        n = len(D)
        if not 1 <= self.n_components < n:
            raise ValueError(f"n_components={self.n_components} needs 1 <= it < {n} points")
        squares = D**2
        self._means = squares.mean(axis=0)
        product = centred(lambda V: -0.5 * (squares @ V))
        seed = seed_of(self.random_state)
        values, vectors = largest_eigenpairs(product, n, self.n_components, seed=seed)
        lowest = -largest_eigenpairs(lambda V: -product(V), n, 1, seed=seed)[0][0]
        self.eigenvalues_ = values
        self.negative_ = float(min(0.0, lowest) / max(values[0], 1e-300))
        self._pseudo = over_roots(values, vectors)
        self.embedding_ = vectors * np.sqrt(np.maximum(values, 0.0))
        if self.refine:
            self.embedding_ = stress_mds(D, self.n_components).points
        self.stress_ = stress(D, pairwise_distances(self.embedding_))
        self._X = X
        self._n_features_out = self.n_components
        return self

    def _distances(self, X: Floats) -> Floats:
        if self.metric != "precomputed":
            return pairwise_distances(X, metric=self.metric)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"precomputed distances are a square matrix, got shape {X.shape}")
        if X.min() < 0:
            i, j = np.unravel_index(X.argmin(), X.shape)
            raise ValueError(f"a distance is not negative: {X[i, j]} at row {i}, column {j}")
        if np.abs(X - X.T).max() > 1e-8 * max(1.0, np.abs(X).max()):
            raise ValueError(
                "the matrix of distances is not symmetric; average it with its transpose"
            )
        return X

    def euclidean_report(self) -> str:
        """Whether points with exactly these distances exist."""
        check_is_fitted(self)
        if self.negative_ > -1e-9:
            return "The distances are Euclidean: points with exactly these distances exist."
        if self.negative_ > -1e-6:
            return (
                f"The distances are Euclidean up to rounding: the most negative eigenvalue is "
                f"{-self.negative_:.1g} of the largest."
            )
        return (
            f"The distances are not Euclidean: the most negative eigenvalue is "
            f"{100 * -self.negative_:.2g} % of the largest. The points reproduce them only in part "
            f"(stress {self.stress_:.3g})."
        )

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """The points of the training rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> Floats:
        """Place new rows by their distances to the training rows (Gower)."""
        check_is_fitted(self)
        if self.refine:
            raise ValueError("after refine=True new rows cannot be placed; use refine=False")
        # a copy: scikit-learn rounds distances of an array to itself in another way
        X = validate_data(self, X, dtype=np.float64, copy=True, reset=False)
        D = (
            X
            if self.metric == "precomputed"
            else pairwise_distances(X, self._X, metric=self.metric)
        )
        return -0.5 * (D**2 - self._means) @ self._pseudo

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
