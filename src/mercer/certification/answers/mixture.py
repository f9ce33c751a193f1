"""A mixture that the hash of an input decides about: what progressive validation certifies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

from mercer._types import Samples
from mercer.certification.answers._several import Floats, Several, aligned
from mercer.certification.core.confidence import class_scores
from mercer.certification.core.hashing import hash_numbers
from mercer.learners.describe import last_step


def _all_have(name: str) -> Callable[[Any], bool]:
    def check(self: ProgressiveMixture) -> bool:
        for model in self.models:
            getattr(model, name)  # its own words about what is missing
        return True

    return check


def _scores_classes(self: ProgressiveMixture) -> bool:
    """Outputs for pairs of classes (``decision_function_shape="ovo"``) cannot be put together."""
    shapes = {getattr(last_step(model), "decision_function_shape", "") for model in self.models}
    pairs = is_classifier(self) and len(self.classes_) > 2 and "ovo" in shapes
    return not pairs and _all_have("decision_function")(self)


class ProgressiveMixture(Several, BaseEstimator):
    """Several models; a keyed hash of each input decides, once and for all, which one answers.

    A deterministic function: equal inputs get equal answers. Averaged over the key, which was drawn
    without looking at data, its risk is the mean risk of the models weighted by their blocks.
    Probabilities and outputs of a row come from the very model that answers for it.

    Parameters
    ----------
    models : sequence of fitted estimators
    sizes : sequence of int
        Rows of the block each model was tested on: its share of the inputs.
    key : bytes
        Key of the hash.
    columns : sequence of index arrays or None
        For a precomputed kernel: the rows each model was trained on.
    """

    def __init__(
        self, models: Sequence[Any], sizes: Sequence[int], key: bytes, columns: Any = None
    ) -> None:
        self.models = models
        self.sizes = sizes
        self.key = key
        self.columns = columns

    def fit(self, X: Samples, y: ArrayLike | None = None) -> ProgressiveMixture:
        """Refuse: new models would have no certificate."""
        raise TypeError(
            "use mercer.certified_fit(..., mode='progressive' or 'easy') to fit a new one"
        )

    def route(self, X: Samples) -> NDArray[np.intp]:
        """Number of the model that answers for each row."""
        ends = np.cumsum(self.sizes)
        numbers = hash_numbers(X, self.key)
        return np.searchsorted(ends, numbers % np.uint64(ends[-1]), side="right")

    def predict(self, X: Any) -> NDArray[Any]:
        """Answers of the models the rows are routed to."""
        return self.gather(X, lambda model, rows: np.asarray(model.predict(rows)))

    @available_if(_all_have("predict_proba"))
    def predict_proba(self, X: Samples) -> Floats:
        """Probabilities of ``classes_``; 0 for a class that the answering model never saw."""
        classes = self.classes_
        return self.gather(
            X, lambda m, rows: aligned(m.predict_proba(rows), m.classes_, classes, 0.0)
        )

    @available_if(_scores_classes)
    def decision_function(self, X: Samples) -> Floats:
        """Outputs; one column per class if there are more than two."""
        if not is_classifier(self) or len(self.classes_) == 2:
            return self.gather(X, lambda m, rows: np.asarray(m.decision_function(rows)))
        classes = self.classes_

        def answer(model: Any, rows: Any) -> Floats:
            scores = class_scores(model, rows)
            assert scores is not None  # the model has a decision_function
            return aligned(scores, model.classes_, classes, -np.inf)

        return self.gather(X, answer)

    @available_if(_all_have("predict_interval"))
    def predict_interval(self, X: Samples) -> Floats:
        """Lower and upper ends around the predictions of a regression."""
        return self.gather(X, lambda model, rows: np.asarray(model.predict_interval(rows)))

    @available_if(_all_have("score"))
    def score(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy, or R²."""
        judge = accuracy_score if is_classifier(self) else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def gather(self, X: Samples, answer: Callable[[Any, Any], NDArray[Any]]) -> NDArray[Any]:
        """``answer(model, rows)`` of every model for its own rows, put back in order."""
        which = self.route(X)
        parts, places = [], []
        for number in np.unique(which):
            mine = np.flatnonzero(which == number)
            parts.append(answer(self.models[number], self._own(number, _safe_indexing(X, mine))))
            places.append(mine)
        order = np.argsort(np.concatenate(places), kind="stable")
        return np.concatenate(parts)[order]
