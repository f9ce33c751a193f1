"""From predictions of held-out rows to one number per fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import get_scorer

from mercer._types import Samples

Floats = NDArray[np.float64]


class HeldOut:
    """Stands in for a fitted estimator whose predictions of one fold are already known."""

    def __init__(self, predicted: NDArray[Any], decision: Floats, classes: Any) -> None:
        self._predicted = predicted
        self._decision = decision
        self._estimator_type = "regressor" if classes is None else "classifier"
        if classes is not None:
            self.classes_ = classes

    def __sklearn_tags__(self) -> Any:
        """scikit-learn's scorers ask what kind of estimator this is."""
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        classifier = hasattr(self, "classes_")
        return Tags(
            estimator_type="classifier" if classifier else "regressor",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if classifier else None,
            regressor_tags=None if classifier else RegressorTags(),
        )

    def fit(self, X: Samples, y: ArrayLike) -> HeldOut:
        """Never called: an estimator is expected to have one."""
        raise TypeError("the predictions of a fold cannot be trained")

    def predict(self, X: Any) -> NDArray[Any]:
        """Predictions of the fold."""
        return self._predicted

    def decision_function(self, X: Samples) -> Floats:
        """Outputs of the fold."""
        return self._decision


def needs_probabilities(scoring: Any) -> bool:
    """Whether a scorer asks for more than labels and outputs."""
    if scoring is None:
        return False
    scorer = get_scorer(scoring)
    method = getattr(scorer, "_response_method", "predict")
    methods = (method,) if isinstance(method, str) else tuple(method)
    return methods == ("predict_proba",) or not hasattr(scorer, "_response_method")


def fold_score(scoring: Any, held: HeldOut, X: Any, y: Any, weight: Floats | None) -> float:
    """Greater is better: accuracy, R², or what the scorer says."""
    if scoring is not None:
        scorer: Callable[..., float] = get_scorer(scoring)
        return float(scorer(held, X, y))
    predicted = held.predict(X)
    if hasattr(held, "classes_"):
        return float(np.average(predicted == y, weights=weight))
    return r2(y, predicted, weight)


def r2(y: Floats, predicted: Floats, weight: Floats | None) -> float:
    """Share of the variance explained."""
    left = float(np.average((y - predicted) ** 2, weights=weight))
    centre = np.average(y, weights=weight)
    total = float(np.average((y - centre) ** 2, weights=weight))
    if total == 0.0:
        return 1.0 if left == 0.0 else 0.0
    return 1.0 - left / total
