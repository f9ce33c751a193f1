"""What a model says about rows it has never seen, as plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._types import Predictor
from mercer.certification.core.loss import task_of


def predictions(model: Predictor, X: Any, y: Any, rows: Any = None) -> dict[str, Any]:
    """Truth, prediction, score and probability of every row; the form of the run record."""
    truth = np.asarray(y)
    place = np.arange(len(truth)) if rows is None else np.asarray(rows)
    found: dict[str, Any] = {
        "row": (place + 1).tolist(),
        "truth": truth.tolist(),
        "predicted": np.asarray(model.predict(X)).tolist(),
    }
    if task_of(model) != "classification":
        return found
    found["classes"] = np.asarray(getattr(model, "classes_", np.unique(truth))).tolist()
    if hasattr(model, "decision_function"):
        score = np.asarray(model.decision_function(X), dtype=float)
        if score.ndim == 1:
            found["score"] = score.tolist()
        elif score.shape[1] == len(found["classes"]):
            found["scores"] = score.tolist()
    if hasattr(model, "predict_proba"):
        found["probability"] = np.asarray(model.predict_proba(X), dtype=float).tolist()
    return found
