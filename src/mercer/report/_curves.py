"""ROC, precision–recall and calibration of two classes, as plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve

from mercer.bounds.numerics import clopper_lower, clopper_upper

_POINTS = 160
_BINS = 10


def two_class_curves(positive: np.ndarray, score: np.ndarray) -> dict[str, Any]:
    """ROC and precision-recall of a score; ``positive`` says which rows are."""
    false, true, _ = roc_curve(positive, score)
    precision, recall, _ = precision_recall_curve(positive, score)
    return {
        "roc": {"x": _thin(false), "y": _thin(true), "area": float(auc(false, true))},
        "pr": {
            "x": _thin(recall[::-1]),
            "y": _thin(precision[::-1]),
            "area": float(average_precision_score(positive, score)),
            "share": float(np.mean(positive)),
        },
    }


def calibration(positive: np.ndarray, probability: np.ndarray) -> dict[str, Any]:
    """Observed frequency against predicted probability, in bins of equally many rows."""
    order = np.argsort(probability, kind="stable")
    bins = []
    for rows in np.array_split(order, min(_BINS, max(1, len(order) // 10))):
        hits, count = int(positive[rows].sum()), len(rows)
        bins.append(
            {
                "predicted": float(probability[rows].mean()),
                "observed": hits / count,
                "low": float(clopper_lower(hits, count, 0.025)),
                "high": float(clopper_upper(hits, count, 0.025)),
                "rows": count,
            }
        )
    brier = float(np.mean((probability - positive) ** 2))
    return {"bins": bins, "brier": brier}


def _thin(values: np.ndarray) -> list[float]:
    """At most a few hundred points, both ends kept."""
    if len(values) <= _POINTS:
        return [float(v) for v in values]
    keep = np.unique(np.linspace(0, len(values) - 1, _POINTS).round().astype(int))
    return [float(v) for v in values[keep]]
