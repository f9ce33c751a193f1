"""A classifier that draws its weights: the object that PAC-Bayes bounds are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from mercer._types import Samples
from mercer.certification.core.hashing import hash_numbers
from mercer.certification.modes._gaussian import Floats, Space
from mercer.learners import schemes as _multiclass


def _one_output_per_class(self: GibbsClassifier) -> bool:
    return len(self.classes_) == 2 or self.space.learner.multi_class == "ovr"


class GibbsClassifier(ClassifierMixin, BaseEstimator):
    """Weights drawn from a Gaussian around a combination of machines, anew for every input.

    ``predict`` is the randomised classifier: a keyed hash of the input takes the place of the dice,
    so that equal inputs get equal answers. ``predict_vote`` is the deterministic classifier in the
    middle of the Gaussian, whose error is at most twice as large. There is no ``predict_proba``:
    the most probable label is that of the vote, which the certificate is not about.

    Parameters
    ----------
    space : Space
        Preprocessing and kernel.
    machines : sequence of fitted machines
    coefficients : array-like
        The mean is Σ coefficients_i·machines_i; the covariance is the identity.
    key : bytes
        Key of the hash.
    columns : sequence of index arrays or None
        For a precomputed kernel: the rows each machine was trained on.
    """

    def __init__(
        self,
        space: Space,
        machines: Sequence[Any],
        coefficients: Any,
        key: bytes,
        columns: Any = None,
    ) -> None:
        self.space = space
        self.machines = machines
        self.coefficients = coefficients
        self.key = key
        self.columns = columns

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Samples, y: ArrayLike) -> GibbsClassifier:
        """Refuse: new weights would have no certificate."""
        raise TypeError("use mercer.certified_fit(..., mode='pac-bayes') to fit a new one")

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the machines."""
        return self.space.learner.classes_

    @property
    def n_features_in_(self) -> int:
        """Columns of the rows to predict."""
        first = self.space.learner if self.space.front is None else self.space.front
        return int(first.n_features_in_)

    def _means(self, X: Samples) -> Floats:
        """Mean outputs of the binary machines."""
        total = 0.0
        for i, (machine, weight) in enumerate(zip(self.machines, self.coefficients, strict=True)):
            rows = X if self.columns is None else np.asarray(X)[:, self.columns[i]]
            total = total + weight * machine._values(self.space.transform(rows))
        return np.asarray(total)

    def _lengths(self, X: Any) -> Floats:
        if self.columns is not None:
            own = np.unique(self.space.learner.fitted_.diagonal)
            if len(own) > 1:
                raise ValueError(
                    "the randomised classifier needs k(x, x) of the new rows, which a precomputed "
                    "kernel does not tell; predict_vote does not need it"
                )
            squares = np.full(len(X), own[0])
        else:
            squares = self.space.own_products(self.space.transform(X))
        return np.sqrt(np.maximum(squares, 0.0) + self.space.offset * self.space.constant**2)

    def _drawn(self, X: Samples) -> Floats:
        """Outputs of the binary machines for weights drawn anew for every row."""
        means, lengths = self._means(X), self._lengths(X)
        noise = np.column_stack(
            [
                ndtri((hash_numbers(X, self.key + bytes([j % 256])) + 0.5) / 2.0**64)
                for j in range(means.shape[1])
            ]
        )
        return means + lengths[:, None] * noise

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of the randomised classifier."""
        return self._labels(self._drawn(X))

    @available_if(_one_output_per_class)
    def decision_function(self, X: Samples) -> Floats:
        """Outputs of the drawn weights, which ``predict`` reads the labels off."""
        drawn = self._drawn(X)
        return drawn[:, 0] if len(self.classes_) == 2 else drawn

    def predict_vote(self, X: Samples) -> NDArray[Any]:
        """Labels of the deterministic classifier in the middle."""
        return self._labels(self._means(X))

    def error_probability(self, X: Samples) -> Floats:
        """Two classes: how probable it is that the randomised label differs from the vote's."""
        if len(self.classes_) > 2:
            raise ValueError("error_probability is for two classes")
        return np.asarray(ndtr(-np.abs(self._means(X)[:, 0]) / self._lengths(X)))

    def _labels(self, values: Floats) -> NDArray[Any]:
        scheme = self.space.learner.multi_class
        return self.classes_[_multiclass.winners(values, len(self.classes_), scheme)]
