"""The Gaussian law behind principal components: their plane, and noise in all other directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples

Floats = NDArray[np.float64]


class HasComponentLaw:
    """Mixin of PCA: covariance, precision and log-density (Tipping and Bishop)."""

    components_: Floats
    explained_variance_: Floats
    mean_: Floats
    noise_variance_: float

    def get_covariance(self) -> Floats:
        """Covariance of the law: components and noise."""
        check_is_fitted(self)
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        plane = (self.components_.T * above) @ self.components_
        return plane + self.noise_variance_ * np.eye(len(self.mean_))

    def get_precision(self) -> Floats:
        """Its inverse, the pseudo-inverse if there is no noise."""
        covariance = self.get_covariance()
        if self.noise_variance_ > 0:
            return np.asarray(cho_solve(cho_factor(covariance), np.eye(len(covariance))))
        return np.asarray(np.linalg.pinv(covariance, hermitian=True))

    def score_samples(self, X: Samples) -> Floats:
        """Log-density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            ln p(x).
        """
        rows = self._query(X)  # type: ignore[attr-defined]
        off = (rows.toarray() if sparse.issparse(rows) else rows) - self.mean_
        precision = self.get_precision()
        heights = np.einsum("ij,ij->i", off @ precision, off)
        volume = float(np.linalg.slogdet(precision)[1]) - len(precision) * np.log(2.0 * np.pi)
        return np.asarray(0.5 * (volume - heights))

    def score(self, X: Samples, y: ArrayLike | None = None) -> float:
        """Mean log-density of these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored, as in scikit-learn.

        Returns
        -------
        float
            Mean of ``score_samples``.
        """
        return float(np.mean(self.score_samples(X)))
