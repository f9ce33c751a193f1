"""The machine of one cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from mercer._config import config


def trained_in_cell(learner: Any, X: Any, y: Any, weight: Any, labels: bool) -> tuple[Any, int]:
    """A clone trained on the rows of one cell, keeping what answers need, or the only label."""
    if not X.shape[0]:
        return None, 0
    if labels and np.all(y == y[0]):
        return None, int(y[0])
    model = clone(learner)
    more = {} if np.all(weight == 1.0) else {"sample_weight": weight}
    with config(remember_rows=False):  # who cut the cells remembers them
        model.fit(X, **more) if y is None else model.fit(X, y, **more)
    if (forget := getattr(model, "_forget_training", None)) is not None:
        forget()
    return model, -1
