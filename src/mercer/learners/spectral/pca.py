"""Principal components, by whichever matrix is smaller."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, svds
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._random import seed_of
from mercer.learners._parameters import Rule, check_parameters, none_or, positive_whole
from mercer.learners.spectral._eigen import fixed_signs
from mercer.learners.spectral._rules import SPECTRAL_RULES

Floats = NDArray[np.float64]
HOW_MANY: Rule = none_or(
    (
        lambda v: positive_whole[0](v) or (isinstance(v, float) and 0 < v < 1),
        "a positive whole number, or a share in (0, 1)",
    )
)


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Principal component analysis; sparse rows are centred without being filled.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=None
        How many components, or the share of the variance to keep; None keeps all.
    route : {"auto", "covariance", "gram", "lanczos"}, default="auto"
        Eigenvectors of the p × p covariance, of the n × n Gram matrix, or by Lanczos steps; "auto"
        takes the cheapest.
    whiten : bool, default=False
        Scale the scores to variance one.
    random_state : int, generator or None, default=0
        Start of the Lanczos route.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal directions, of falling variance.
    explained_variance_ : ndarray
        Variance of the scores, divided by n (eigenvalues of the covariance with 1/n).
    explained_variance_ratio_ : ndarray
        Their share of the whole.
    singular_values_ : ndarray
        Of the centred data.
    mean_ : ndarray of shape (n_features,)
        What was subtracted.
    route_ : str
        The route that was taken.
    n_components_ : int
        Number of components kept.
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        route: str = "auto",
        whiten: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.route = route
        self.whiten = whiten
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> PCA:
        """Find the components."""
        check_parameters(self, SPECTRAL_RULES | {"n_components": HOW_MANY})
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        n, p = X.shape
        most = min(n, p)
        wanted = self._wanted(most)
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()
        total = self._total_variance(X)
        self.route_ = self._route(X, n, p, wanted)
        singular, components = getattr(self, f"_{self.route_}")(X, wanted)
        variances = singular**2 / n
        self._total = total
        keep = self._keep(variances, total, wanted)
        self.n_components_ = self._n_features_out = keep
        self.singular_values_ = singular[:keep]
        self.components_ = fixed_signs(components[:keep].T).T
        self.explained_variance_ = variances[:keep]
        ratio = self.explained_variance_ / total if total > 0 else np.zeros(keep)
        self.explained_variance_ratio_ = ratio
        return self

    def _wanted(self, most: int) -> int:
        k = self.n_components
        if k is None or (isinstance(k, float) and 0 < k < 1):
            return most
        if not 1 <= k <= most:
            raise ValueError(
                f"n_components must be a whole number between 1 and {most}, or a share in (0, 1); "
                f"got {k!r}"
            )
        return int(k)

    def _keep(self, variances: Floats, total: float, wanted: int) -> int:
        if not isinstance(self.n_components, float) or self.n_components >= 1:
            return wanted
        shares = np.cumsum(variances) / total if total > 0 else np.ones(len(variances))
        place = int(np.searchsorted(shares, self.n_components - 1e-12))
        return min(len(shares), place + 1)

    def _route(self, X: Any, n: int, p: int, wanted: int) -> str:
        if self.route != "auto":
            return self.route
        few = wanted <= min(n, p) // 10
        if few and (sparse.issparse(X) or min(n, p) > 1000):
            return "lanczos"
        return "covariance" if p <= n else "gram"

    def _total_variance(self, X: Any) -> float:
        squares = X.multiply(X).sum() if sparse.issparse(X) else np.einsum("ij,ij->", X, X)
        return max(0.0, float(squares) / X.shape[0] - float(self.mean_ @ self.mean_))

    def _covariance(self, X: Any, wanted: int) -> tuple[Floats, Floats]:
        n, p = X.shape
        if sparse.issparse(X):
            C = (X.T @ X).toarray() - n * np.outer(self.mean_, self.mean_)
        else:
            centred = X - self.mean_
            C = centred.T @ centred
        values, vectors = eigh(C, subset_by_index=(p - wanted, p - 1))
        return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1].T

    def _gram(self, X: Any, wanted: int) -> tuple[Floats, Floats]:
        n = X.shape[0]
        centred = np.asarray(X.toarray() if sparse.issparse(X) else X) - self.mean_
        values, vectors = eigh(centred @ centred.T, subset_by_index=(n - wanted, n - 1))
        singular = np.sqrt(np.maximum(values[::-1], 0.0))
        components = vectors[:, ::-1].T @ centred
        lengths = np.linalg.norm(components, axis=1, keepdims=True)
        flat = lengths.ravel() <= 1e-10 * max(singular[0], 1e-300)
        components = components / np.where(lengths > 0, lengths, 1.0)
        if flat.any():  # directions without variance: any orthonormal completion will do
            components[flat] = 0.0
            basis = np.linalg.qr(np.vstack([components[~flat], np.eye(centred.shape[1])]).T)[0].T
            components[flat] = basis[(~flat).sum() :][: flat.sum()]
        return singular, components

    def _lanczos(self, X: Any, wanted: int) -> tuple[Floats, Floats]:
        n, p = X.shape
        if wanted >= min(n, p):
            return self._covariance(X, wanted) if p <= n else self._gram(X, wanted)

        def forward(v: Floats) -> Floats:
            v = v.reshape(p, -1)
            return np.asarray(X @ v) - self.mean_ @ v

        def backward(u: Floats) -> Floats:
            u = u.reshape(n, -1)
            return np.asarray(X.T @ u) - np.outer(self.mean_, u.sum(axis=0))

        centred: Any = LinearOperator(
            (n, p), matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=float
        )
        start = np.random.default_rng(seed_of(self.random_state)).standard_normal(min(n, p))
        _, singular, components = svds(centred, k=wanted, v0=start)
        order = np.argsort(singular)[::-1]
        return singular[order], components[order]

    def transform(self, X: Any) -> Floats:
        """Scores of rows."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = np.asarray(X @ self.components_.T) - self.mean_ @ self.components_.T
        return scores / self._scale() if self.whiten else scores

    def inverse_transform(self, Z: Any) -> Floats:
        """Points of the affine space spanned by the components, from scores."""
        check_is_fitted(self)
        Z = np.asarray(Z, dtype=float)
        return (Z * self._scale() if self.whiten else Z) @ self.components_ + self.mean_

    def reconstruction_error(self, X: Any) -> float:
        """Σ‖x − reconstruction‖²; on the training rows n times the variance left out."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        dense = X.toarray() if sparse.issparse(X) else X
        return float(np.sum((dense - self.inverse_transform(self.transform(dense))) ** 2))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _scale(self) -> Floats:
        return np.sqrt(np.where(self.explained_variance_ > 0, self.explained_variance_, 1.0))
