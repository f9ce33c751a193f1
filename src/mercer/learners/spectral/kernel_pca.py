"""Kernel PCA: principal components in feature space, for new points and back again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer._random import seed_of
from mercer.kernels.distances import squared_distances
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.learners._parameters import check_parameters, none_or, positive_whole
from mercer.learners.spectral._eigen import WithSums, centred, largest_eigenpairs, over_roots
from mercer.learners.spectral._rules import SPECTRAL_RULES
from mercer.learners.spectral._similarity import KernelInput

Floats = NDArray[np.float64]
_ROUNDING = 1e-15  # of the trace, which bounds all eigenvalues: residuals below mean nothing


class KernelPCA(KernelInput, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel principal components without ever storing the kernel matrix, if it is large.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components; None keeps those with positive eigenvalues (small data only).
    kernel : str, Kernel or callable, default="linear"
        scikit-learn's names, "precomputed", a ``mercer`` kernel, or a function.
    gamma, degree, coef0
        Of the named kernels, with scikit-learn's defaults.
    centre : bool, default=True
        Centre the data in feature space.
    inverse_alpha : float, default=1e-3
        Ridge penalty of the learned way back, relative to the mean of k(x, x) over scores.
    random_state : int, generator or None, default=0
        Start of the iterative eigen-solver.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Of the (centred) kernel matrix, falling.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Of norm one; scores of the training rows are √eigenvalue times these.
    explained_variance_ratio_ : ndarray
        Eigenvalues over the trace of the (centred) kernel matrix.
    kernel_ : Kernel
        The kernel with all its parameters as numbers.
    X_fit_ : training data
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        centre: bool = True,
        inverse_alpha: float = 1e-3,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.centre = centre
        self.inverse_alpha = inverse_alpha
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> KernelPCA:
        """Eigenvectors of the (centred) kernel matrix."""
        check_parameters(self, SPECTRAL_RULES | {"n_components": none_or(positive_whole)})
        X = self._training_input(X)
        gram = self._gram(X)
        n = gram.n
        if self.n_components is not None and not 1 <= self.n_components <= n:
            raise ValueError(f"n_components={self.n_components} must lie between 1 and {n}")
        k = n if self.n_components is None else int(self.n_components)
        product, rough = WithSums(gram.matmul), gram.single()
        rounding = _ROUNDING * float(np.abs(gram.diag()).sum(dtype=np.float64))
        around = centred if self.centre else lambda product: product
        values, vectors = largest_eigenpairs(
            around(product),
            n,
            k,
            seed=seed_of(self.random_state),
            rough=None if rough is None else around(rough),
            rounding=rounding,
        )
        means: Floats = np.asarray(product.sums) / n if self.centre else np.zeros(n)
        self._row_means, self._grand_mean = means, float(means.mean())
        trace = gram.trace() - (n * self._grand_mean if self.centre else 0.0)
        positive = values > 1e-12 * max(values[0], 1e-300)
        if self.n_components is None:
            values, vectors = values[positive], vectors[:, positive]
        self.eigenvalues_ = np.maximum(values, 0.0)
        self.eigenvectors_ = vectors
        self._n_features_out = len(self.eigenvalues_)
        spread = trace > 1e3 * rounding  # rows that are all alike have no variance to explain
        self.explained_variance_ratio_ = self.eigenvalues_ / trace if spread else values * 0.0
        self._pseudo = over_roots(values, vectors)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Scores of the training rows."""
        self.fit(X, y)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def transform(self, X: Any) -> Floats:
        """Scores of new rows, from their kernel values with the training rows."""
        check_is_fitted(self)
        X = self._new_input(X)
        ones = np.ones((len(self._row_means), 1))
        V = np.hstack([self._pseudo, ones / len(ones)])
        products = self._cross_matmul(X, V)
        scores, own_means = products[:, :-1], products[:, -1:]
        if not self.centre:
            return scores
        # the centred row is k − own mean − row means + grand mean; centred vectors kill constants
        sums = self._pseudo.sum(axis=0)
        shift = self._row_means @ self._pseudo
        return scores - (own_means - self._grand_mean) * sums - shift

    def reconstruction_error(self, X: Any) -> Floats:
        """Squared distance in feature space between each row and its projection."""
        check_is_fitted(self)
        X = self._new_input(X)
        n = len(self._row_means)
        length = self._diagonal(X)
        if self.centre:
            own = self._cross_matmul(X, np.full((n, 1), 1.0 / n))[:, 0]
            length = length - 2.0 * own + self._grand_mean
        return np.maximum(0.0, length - np.sum(self._scores(X) ** 2, axis=1))

    def _scores(self, X: Any) -> Floats:
        return self.transform(X)

    def inverse_transform(self, Z: Any, *, n_iter: int = 100, tol: float = 1e-8) -> Floats:
        """Points whose scores are close to ``Z``.

        Gaussian kernels: Mika's fixed-point iteration, started from a learned inverse. Other
        kernels: kernel ridge regression from scores back to rows.
        """
        check_is_fitted(self)
        if self._is_precomputed or not isinstance(self.X_fit_, np.ndarray):
            raise ValueError("pre-images need dense training rows, not a kernel matrix")
        Z = np.atleast_2d(np.asarray(Z, dtype=float))
        start = self._learned_inverse(Z)
        if not isinstance(self.kernel_, Gaussian):
            return start
        weights = Z @ self._pseudo.T  # expansion of the (uncentred) target point
        if self.centre:
            weights = weights - weights.mean(axis=1, keepdims=True) + 1.0 / len(self.X_fit_)
        points = start
        for _ in range(n_iter):
            mix = weights * self.kernel_(points, self.X_fit_)
            total = mix.sum(axis=1, keepdims=True)
            fine = np.abs(total.ravel()) > 1e-8
            new = points.copy()
            new[fine] = (mix[fine] @ self.X_fit_) / total[fine]
            if np.max(np.abs(new - points)) < tol:
                return new
            points = new
        return points

    def _learned_inverse(self, Z: Floats) -> Floats:
        scores = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        squared = np.sum(scores**2, axis=1)
        width = float(np.median(squared)) or 1.0
        near = np.exp(-squared_distances(scores, scores) / (2 * width))
        near[np.diag_indices_from(near)] += self.inverse_alpha
        mean = self.X_fit_.mean(axis=0)
        coefficients = np.linalg.solve(near, self.X_fit_ - mean)
        return np.exp(-squared_distances(Z, scores) / (2 * width)) @ coefficients + mean
