"""The training rows that hold the machine up, as rows a person can read."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._clean import clean
from mercer.learners.describe import last_step
from mercer.report._table import numbers

_ROWS, _COLUMNS = 12, 6


def influential(
    model: object, X: Any, y: Any, learned: Any, objects: dict[str, Any]
) -> dict[str, Any]:
    """The rows with the largest weights, with the columns that separate the targets best."""
    learner = last_step(model)
    support, weights = getattr(learner, "support_", None), getattr(learner, "dual_coef_", None)
    if X is None or learned is None or support is None or weights is None or not len(support):
        return {}
    size = np.abs(np.asarray(_dense(weights), dtype=float))
    size = size.reshape(-1, len(support)).max(axis=0) if size.size % len(support) == 0 else None
    rows = np.asarray(learned)
    if size is None or np.max(support) >= len(rows):
        return {}
    margin = _margins(model, X, y, rows[support])
    best = np.lexsort((margin, -size.round(9)))[:_ROWS]  # equal weights: the worst margin first
    table, names = numbers(X), objects.get("feature_names")
    columns = [] if table is None else telling(table[rows], None if y is None else y[rows])
    shown = [_name(names, j, table) for j in columns]
    return {
        "columns": shown,
        "hidden": 0 if table is None else table.shape[1] - len(columns),
        "rows": [
            {
                "row": int(rows[support[i]]) + 1,
                "weight": float(size[i]),
                "margin": None if np.isnan(margin[i]) else float(margin[i]),
                "label": "" if y is None else clean(_label(model, y[rows[support[i]]], objects)),
                "values": _values(X, table, rows[support[i]], columns),
            }
            for i in best
        ],
    }


def _dense(weights: Any) -> Any:
    return weights.toarray() if hasattr(weights, "toarray") else weights


def _label(model: object, label: Any, objects: dict[str, Any]) -> Any:
    names, classes = objects.get("class_names"), getattr(model, "classes_", None)
    if names is None or classes is None or len(names) != len(classes):
        return label
    place = np.flatnonzero(np.asarray(classes) == label)
    return names[int(place[0])] if len(place) else label


def _name(names: Any, j: int, table: Any) -> str:
    given = names is not None and len(names) == table.shape[1]
    return clean(names[j], 40) if given else f"column {j + 1}"


def _values(X: Any, table: Any, row: int, columns: list[int]) -> list[Any]:
    if table is not None:
        return [float(table[row, j]) for j in columns]
    if isinstance(X, list) or getattr(X, "ndim", 0) == 1:
        return [clean(X[int(row)], 120)]
    return []


def _margins(model: Any, X: Any, y: Any, rows: np.ndarray) -> np.ndarray:
    """Y f(x) of two-class machines; unknown elsewhere."""
    tags = getattr(model, "__sklearn_tags__", None)
    unusable = y is None or len(getattr(model, "classes_", ())) != 2
    if unusable or not hasattr(model, "decision_function") or (tags and tags().input_tags.pairwise):
        return np.full(len(rows), np.nan)
    from sklearn.utils import _safe_indexing

    values = np.asarray(model.decision_function(_safe_indexing(X, rows)), dtype=float)
    return np.where(np.asarray(y)[rows] == model.classes_[1], values, -values)


def telling(table: np.ndarray, y: Any) -> list[int]:
    """Up to six columns: those whose means differ most between classes, or follow the target."""
    count = table.shape[1]
    if count <= _COLUMNS or y is None:
        return list(range(min(count, _COLUMNS)))
    target = np.asarray(y)
    spread = table.std(axis=0)
    spread = np.where(spread > 0, spread, np.inf)
    if target.dtype.kind == "f":
        strength = np.abs((table - table.mean(axis=0)).T @ (target - target.mean())) / spread
    else:
        means = np.stack([table[target == label].mean(axis=0) for label in np.unique(target)])
        strength = means.std(axis=0) / spread
    return sorted(np.argsort(-strength, kind="stable")[:_COLUMNS].tolist())
