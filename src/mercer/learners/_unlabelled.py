"""Learners without targets: ``fit(X, y=None)``, and what clusters and embeddings have in common."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from mercer._types import Samples
from mercer.kernels.validate import n_rows, take


class Unlabelled:
    """Mixin: ``fit`` without targets and weights."""

    def fit(self, X: Samples, y: ArrayLike | None = None) -> Self:
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


class UnlabelledWeighted(Unlabelled):
    """Mixin, before those below: ``fit`` without targets, with weights."""

    def fit(
        self, X: Samples, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train on the given rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points, or whatever the kernel, metric or affinity takes.
        y : ignored
            There for pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts. A row of weight zero changes nothing, and is still answered.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X, None, sample_weight)  # type: ignore[attr-defined]
        drops = self._door.weights == "drop"  # type: ignore[attr-defined]
        kept = self.fitted_.kept if drops else None  # type: ignore[attr-defined]
        if kept is not None:
            self._answer_left_out(X, kept)
        return self

    def _answer_left_out(self, X: Samples, kept: NDArray[Any]) -> None:
        """Labels and places of rows of weight zero, which the fit has not seen, as of new rows."""
        rows = self._query(X)  # type: ignore[attr-defined]
        others = np.setdiff1d(np.arange(n_rows(rows)), kept)
        for name in ("labels_", "embedding_"):
            if name in self.__dict__:
                seen = self.__dict__[name]
                every = np.empty((n_rows(rows), *seen.shape[1:]), dtype=seen.dtype)
                every[kept], every[others] = seen, self._outputs(take(rows, others))  # type: ignore[attr-defined]
                setattr(self, name, every)


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

    def transform(self, X: Samples) -> NDArray[Any]:
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

    def fit_transform(self, X: Samples, y: ArrayLike | None = None, **options: Any) -> NDArray[Any]:
        """The embedding of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, or whatever ``fit`` compares.
        y : None
            Ignored, as in scikit-learn.
        options : keywords
            Those of ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            One row per row of ``X``.
        """
        return self.fit(X, y, **options).embedding_
