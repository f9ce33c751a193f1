"""A classifier that may abstain: its certificate is about the rows it accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._tags import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.certification.core.confidence import confidence


def _model_has(name: str) -> Callable[[Any], bool]:
    return lambda self: getattr(self.model, name) is not None


class SelectiveClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier and the threshold below which it abstains.

    ``predict`` answers for every row; ``predict(X, abstain=label)`` puts ``label`` where the model
    abstains. The certificate is about accepted rows only.

    Parameters
    ----------
    model : fitted classifier
    threshold : float
        Smallest lead of the best class over the second (|f| for two classes) that is accepted.
    """

    def __init__(self, model: Any, threshold: float) -> None:
        self.model = model
        self.threshold = threshold

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)

    def __sklearn_is_fitted__(self) -> bool:
        check_is_fitted(self.model)
        return True

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the model."""
        return self.model.classes_

    @property
    def n_features_in_(self) -> int:
        """Columns of the rows to predict."""
        return int(self.model.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Their names, if the model was trained on a table with names."""
        return self.model.feature_names_in_

    def fit(self, X: Samples, y: ArrayLike) -> SelectiveClassifier:
        """Refuse: a new model would have no certificate."""
        raise TypeError("use mercer.certified_fit(..., mode='selective') to fit a new one")

    def accepts(self, X: Samples) -> NDArray[np.bool_]:
        """Which rows the model is sure enough about."""
        return confidence(self.model, X) >= self.threshold

    def predict(self, X: Any, abstain: Any = None) -> NDArray[Any]:
        """Predicted labels; with ``abstain``, that value on the rows that are not accepted."""
        labels = np.asarray(self.model.predict(X))
        if abstain is None:
            return labels
        mixed = labels.astype(np.result_type(labels, np.asarray(abstain)))
        mixed[~self.accepts(X)] = abstain
        return mixed

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The model's probabilities, for accepted and other rows alike."""
        return self.model.predict_proba(X)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The model's outputs, for accepted and other rows alike."""
        return self.model.decision_function(X)
