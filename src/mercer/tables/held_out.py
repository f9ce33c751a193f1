"""Class probabilities of a machine that has none, from rows that it was not trained on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin

SURE = 1e-12  # no finite sample justifies more certainty
STEEPEST = 1e3  # slope, in units of one over the typical output

Floats = NDArray[np.float64]


class HeldOutProbabilities(ClassifierMixin, BaseEstimator):
    """A trained classifier and the slopes that turn its outputs into probabilities.

    Of two classes the logistic function has one slope on each side of zero, so the more probable
    class is always the predicted one; of several there is one slope in front of the softmax.

    Parameters
    ----------
    model : classifier
        Trained, with ``decision_function``.

    Attributes
    ----------
    slopes_ : ndarray
        Below and above zero, or the one of several classes.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> Self:
        """Find the slopes of highest likelihood on rows that the model has not seen."""
        values = np.asarray(self.model.decision_function(X), dtype=np.float64)
        self.classes_ = self.model.classes_
        if getattr(X, "ndim", 1) == 2:  # texts have no columns
            self.n_features_in_ = X.shape[1]
        code = np.searchsorted(self.classes_, np.asarray(y))
        if values.ndim == 1:
            sides = [(values < 0, 1 - code, -values), (values >= 0, code, values)]
            found = [_slope(_binary(out[side], hit[side])) for side, hit, out in sides]
        else:
            scale = float(np.abs(values).mean()) or 1.0
            found = [_slope((lambda slope: _several(slope * values / scale, code)), 1.0 / scale)]
        self.slopes_ = np.array(found)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels, those of the model."""
        return np.asarray(self.model.predict(X))

    def decision_function(self, X: Any) -> Floats:
        """Outputs, those of the model."""
        return np.asarray(self.model.decision_function(X))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, in the order of ``classes_``."""
        values = np.asarray(self.model.decision_function(X), dtype=np.float64)
        if values.ndim == 1:
            slope = np.where(values < 0, *self.slopes_)
            share = np.clip(expit(slope * values), SURE, 1.0 - SURE)
            return np.column_stack([1.0 - share, share])
        return softmax(self.slopes_[0] * values, axis=1)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "slopes_")


def _binary(size: Floats, right: NDArray[Any]) -> Any:
    """Mean loss of the slope, with Platt's smoothed targets; ``size`` are distances from zero."""
    hits = float(np.sum(right))
    target = np.where(right == 1, (hits + 1) / (hits + 2), 1 / (len(right) - hits + 2))
    scale = float(size.mean()) if len(size) and size.mean() > 0 else 1.0

    def loss(slope: float) -> float:
        margin = slope * size / scale
        return float(np.mean(np.logaddexp(0.0, margin) - target * margin)) if len(size) else slope

    loss.scale = scale  # type: ignore[attr-defined]
    return loss


def _several(outputs: Floats, code: NDArray[np.intp]) -> float:
    top = outputs.max(axis=1, keepdims=True)
    sums = np.log(np.exp(outputs - top).sum(axis=1)) + top[:, 0]
    return float(np.mean(sums - outputs[np.arange(len(code)), code]))


def _slope(loss: Any, unit: float | None = None) -> float:
    found = minimize_scalar(
        lambda power: loss(float(np.exp(power))), bounds=(-7.0, np.log(STEEPEST)), method="bounded"
    )
    return float(np.exp(found.x)) * (1.0 / loss.scale if unit is None else unit)
