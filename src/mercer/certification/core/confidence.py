"""How sure a classifier is of its prediction: one number per row, larger is surer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.certification.core.task import Refused

Floats = NDArray[np.float64]


def class_scores(model: object, X: Samples) -> Floats | None:
    """One column per class, in the order of ``classes_``; None if the model gives no scores."""
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X), dtype=np.float64)
        if values.ndim == 1:
            return np.column_stack([-values, values]) / 2.0
        classes = getattr(model, "classes_", None)
        if classes is not None and values.shape[1] == len(classes):
            return values
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    return None


def confidence(model: object, X: Samples) -> Floats:
    """Lead of the best class over the second best; |f| for two classes."""
    scores = class_scores(model, X)
    if scores is None:
        raise Refused(
            f"{type(model).__name__} has neither decision_function nor predict_proba, so it cannot "
            "say which rows it is sure of."
        )
    if scores.shape[1] < 2:
        raise Refused(
            f"{type(model).__name__} was trained on rows of a single class, so no class is ahead "
            "of another: mode='selective' needs more rows of the rarer classes. mode='auto' can do "
            "without."
        )
    top = np.sort(scores, axis=1)
    return top[:, -1] - top[:, -2]


def shortfall(model: Any, X: Samples, y: NDArray[Any], wrong: NDArray[np.bool_]) -> Floats:
    """How badly each wrong row is wrong: lead of the best class over the true one; 0 if right."""
    scores = class_scores(model, X)
    if scores is None:
        return wrong.astype(np.float64)
    classes = {label: i for i, label in enumerate(np.asarray(model.classes_).tolist())}
    column = np.array([classes.get(label, -1) for label in y.tolist()])
    own = np.where(column >= 0, scores[np.arange(len(y)), column], scores.min(axis=1) - 1.0)
    # a wrong row is always worse than a right one, also when the scores are tied
    return np.where(wrong, np.maximum(scores.max(axis=1) - own, np.finfo(float).tiny), 0.0)
