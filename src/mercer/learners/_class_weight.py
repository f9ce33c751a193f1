"""Weights of classes, as factors on the weights of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight

from mercer.bounds import Choice
from mercer.learners._mixins import Labels

Floats = NDArray[np.float64]


def row_weights(class_weight: Any, labels: Labels, weight: Floats) -> Floats:
    """``weight`` times the weight of each row's class; "balanced" counts rows by their weight."""
    if class_weight is None:
        return weight
    y = labels.classes[labels.codes]
    factors = compute_class_weight(class_weight, classes=labels.classes, y=y, sample_weight=weight)
    if not np.all(np.isfinite(factors) & (factors >= 0)):
        raise ValueError(
            f"class_weight must be finite and not negative; got {class_weight!r} for the classes "
            f"{labels.classes.tolist()}."
        )
    weighed: Floats = weight * factors[labels.codes]
    if len(np.unique(labels.codes[weighed > 0])) < 2:
        raise ValueError(
            f"class_weight={class_weight!r} leaves rows of one class only: nothing to separate."
        )
    return weighed


def choices(class_weight: Any) -> tuple[Choice, ...]:
    """What was read off the rows."""
    if not isinstance(class_weight, str):
        return ()
    how = "'balanced' reads the class frequencies"
    return (Choice("class_weight", how, rows="none"),)
