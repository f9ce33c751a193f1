"""What the pictures read off a fitted classifier: outputs, margins, support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.learners.describe import answering
from mercer.plots._style import CATEGORIES

Array = NDArray[np.float64]
TOLERANCE = 1e-3


def machine(estimator: object) -> Any:
    """The classifier itself: the last step of a pipeline, or the estimator as given."""
    estimator = answering(estimator)
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def outputs(estimator: object, X: ArrayLike) -> Array:
    """Decision values; a clear error for an estimator that has none."""
    if not hasattr(estimator, "decision_function"):
        raise TypeError(
            f"{type(estimator).__name__} has no decision_function, so it has no margins to show"
        )
    return np.asarray(estimator.decision_function(X), dtype=float)


def class_index(estimator: Any, y: ArrayLike) -> NDArray[np.intp]:
    """Position of each label in ``estimator.classes_``."""
    classes = np.asarray(estimator.classes_)
    labels = np.asarray(y)
    index = np.searchsorted(classes, labels).clip(0, len(classes) - 1)
    if np.any(classes[index] != labels):
        unknown = sorted(set(labels[classes[index] != labels].tolist()))
        raise ValueError(f"y has labels the estimator was not fitted on: {unknown}")
    return index


def margins(estimator: Any, X: ArrayLike, y: ArrayLike) -> Array:
    """Functional margin of each example: y f(x), or own class score minus the best other one."""
    values = outputs(estimator, X)
    index = class_index(estimator, y)
    if values.ndim == 1:
        return np.where(index == 1, values, -values)
    if values.shape[1] != len(estimator.classes_):
        raise ValueError(
            "margins of several classes need one score per class; use decision_function_shape='ovr'"
        )
    rows = np.arange(len(values))
    own = values[rows, index]
    others = values.copy()
    others[rows, index] = -np.inf
    return own - others.max(axis=1)


def accuracy(estimator: object) -> float:
    """How exactly a margin of 1 is known: the solver's tolerance, if the estimator has one."""
    tol = getattr(machine(estimator), "tol", None)
    return float(tol) if isinstance(tol, float) and tol > 0 else TOLERANCE


def categorise(margin: ArrayLike, tolerance: float) -> NDArray[np.str_]:
    """Say of each margin whether it lies outside, on, inside, or on the wrong side."""
    value = np.asarray(margin, dtype=float)
    which = np.select([value <= 0, value < 1 - tolerance, value <= 1 + tolerance], [3, 2, 1], 0)
    return np.asarray(CATEGORIES)[which]


def right_or_wrong(estimator: Any, X: ArrayLike, y: ArrayLike) -> NDArray[np.str_]:
    """With several classes there is no single margin: say only whether the prediction is right."""
    right = class_index(estimator, estimator.predict(X)) == class_index(estimator, y)
    return np.where(right, "correct", "misclassified")


def support_mask(estimator: object, n: int) -> NDArray[np.bool_]:
    """Which of the ``n`` training rows are support vectors; none if the estimator does not say."""
    mask = np.zeros(n, dtype=bool)
    support = getattr(machine(estimator), "support_", None)
    if support is not None and len(support) and np.max(support) < n:
        mask[np.asarray(support, dtype=int)] = True
    return mask
