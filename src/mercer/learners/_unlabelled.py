"""Learners without targets: ``fit(X, y=None)``, and what clusters and embeddings have in common."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin


class Unlabelled:
    """Mixin: ``fit`` without targets and weights."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on the given rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points, or whatever the kernel, metric or affinity takes.
        y : ignored
            There for pipelines.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X)  # type: ignore[attr-defined]


class Clusters(Unlabelled, ClusterMixin):
    """``predict`` from ``_outputs``: the cluster of each row."""

    labels_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """The cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows; what was precomputed for training is given against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of clusters, as in ``labels_``.
        """
        return self._outputs(self._query(X))


class Embeds(Unlabelled, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """``transform`` from ``_outputs``: the coordinates of each row."""

    _n_features_out: int

    def transform(self, X: Any) -> NDArray[Any]:
        """Coordinates of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows; what was precomputed for training is given against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            One row of coordinates each.
        """
        return self._outputs(self._query(X))


class EmbedsTraining(Embeds):
    """The training rows have coordinates of their own, in ``embedding_``."""

    embedding_: NDArray[Any]

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[Any]:
        """The embedding of the training rows."""
        return self.fit(X, y).embedding_
