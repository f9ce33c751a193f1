"""Classifiers that answer with probabilities of their machines, each of its own class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from mercer._types import Samples
from mercer.learners._mixins import Classifies

Floats = NDArray[np.float64]


class Probabilities(Classifies):
    """Mixin: a learner writes ``_positive(rows)``, one column per machine."""

    def _positive(self, X: Samples) -> Floats:
        raise TypeError(f"{type(self).__name__} does not say how probable its classes are")

    def _outputs(self, X: Samples) -> Floats:
        """Log odds of each class against the rest: positive for ``classes_[1]`` of two."""
        odds = logit(np.clip(self._positive(X), 1e-300, 1.0 - 1e-16))
        return odds[:, 0] if len(self.classes_) == 2 else odds

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or objects

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        places = self._most_probable(self._query(X))
        return self.classes_[np.asarray(places, dtype=np.intp)]

    def _most_probable(self, X: Samples) -> NDArray[Any]:
        """Places of the predicted classes at checked rows."""
        positive = self._positive(X)
        return positive[:, 0] > 0.5 if len(self.classes_) == 2 else positive.argmax(axis=1)

    def predict_proba(self, X: Samples) -> Floats:
        """Class probabilities, averaged over what is uncertain about the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or objects

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        positive = self._positive(self._query(X))
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - positive[:, 0], positive[:, 0]])
        return positive / positive.sum(axis=1, keepdims=True)
