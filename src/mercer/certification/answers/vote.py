"""A weighted majority vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _num_samples

from mercer._types import Samples
from mercer.certification.answers._several import Floats, Several


class WeightedVote(Several, ClassifierMixin, BaseEstimator):
    """A weighted majority vote of fitted classifiers.

    Parameters
    ----------
    models : sequence of fitted classifiers
    weights : array-like
        Their shares of the vote; they sum to 1.
    columns : sequence of index arrays or None
        For a precomputed kernel: the rows each model was trained on.
    """

    def __init__(self, models: Sequence[Any], weights: Any, columns: Any = None) -> None:
        self.models = models
        self.weights = weights
        self.columns = columns

    def fit(self, X: Samples, y: ArrayLike) -> WeightedVote:
        """Refuse: new members would have no certificate."""
        raise TypeError("use mercer.certified_fit(..., mode='vote') to fit a new vote")

    def votes(self, X: Any) -> Floats:
        """Share of the vote for each class, one column per class."""
        classes = self.classes_
        total = np.zeros((_num_samples(X), len(classes)))
        for number, (model, weight) in enumerate(zip(self.models, self.weights, strict=True)):
            labels = np.asarray(model.predict(self._own(number, X)))
            total += weight * (labels[:, None] == classes[None, :])
        return total

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest share; the first of ``classes_`` if shares are equal."""
        return self.classes_[self.votes(X).argmax(axis=1)]

    def predict_proba(self, X: Samples) -> Floats:
        """The shares of the vote, which ``predict`` takes the largest of."""
        return self.votes(X)
