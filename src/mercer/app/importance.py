"""Which columns matter, and how: measured on rows that the model had not seen.

The model is fixed and its certificate written before anything here looks at the counted rows, so
nothing can be chosen by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Predictor
from mercer.app.roles import FitData
from mercer.tables.columns import shown
from mercer.tables.dataset import TEXT

ROWS = 400  # of the counted ones that are looked at
FEWEST = 20  # of them that say anything
WORK = 60_000  # predictions in all
REPEATS = 5
MOST_COLUMNS = 150
CURVES, POINTS, LEVELS = 4, 13, 10
SPREAD = 1.96  # standard errors on either side


def importance(
    data: FitData, model: Predictor, fresh: NDArray[np.intp], seed: int, most: int = WORK
) -> list[dict[str, Any]]:
    """For every column, how much worse the answers get if its values are shuffled among rows.

    ``change`` is the rise of the error rate (numbers: of the mean distance), ``low`` and ``high``
    are two standard errors around it, over rows. The most important column comes first. Nothing is
    said where ``most`` predictions are too few.
    """
    width = len(data.names)
    rows = fresh[: min(ROWS, most // max(1, width))]
    if data.prepare != "table" or width > MOST_COLUMNS or len(rows) < FEWEST:
        return []
    repeats = int(np.clip(most // (len(rows) * width), 1, REPEATS))
    X, y = data.X[rows], data.target.y[rows]
    base = _losses(data, model.predict(X), y)
    rng = np.random.default_rng(seed)
    found = []
    for j, name in enumerate(data.names):
        if np.all(X[:, j] == X[0, j]):
            found.append({"name": name, "change": 0.0, "low": 0.0, "high": 0.0})
            continue
        turned = np.tile(X, (repeats, 1))  # one question: a model of many parts is slow to begin
        turned[:, j] = np.concatenate([X[rng.permutation(len(rows)), j] for _ in range(repeats)])
        worse = _losses(data, model.predict(turned), np.tile(y, repeats)).reshape(repeats, -1)
        rise = worse.mean(axis=0) - base
        half = SPREAD * float(rise.std(ddof=1)) / np.sqrt(len(rows))
        change = float(rise.mean())
        found.append({"name": name, "change": change, "low": change - half, "high": change + half})
    return sorted(found, key=lambda one: -one["change"])


def _losses(data: FitData, predicted: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    if data.target.task == "classification":
        return (np.asarray(predicted) != y).astype(np.float64)
    return np.abs(np.asarray(predicted, dtype=np.float64) - y.astype(np.float64))


def effects(
    data: FitData,
    model: Any,
    fresh: NDArray[np.intp],
    order: list[dict[str, Any]],
    most: int = WORK,
) -> list[dict[str, Any]]:
    """How the average answer moves with each of the most important columns, the others as they are.

    For a sum of kernels of single columns that is the column's own term, up to a constant.
    """
    rows = fresh[: min(ROWS // 2, most // (CURVES * POINTS))]
    if len(rows) < FEWEST:
        return []
    made = []
    for one in order[:CURVES]:
        j = data.names.index(one["name"])
        kind = data.stored[j].partition(":")[0]
        values = _places(data.X[:, j], kind)
        if len(values) < 2:
            continue
        X = np.tile(data.X[rows], (len(values), 1))
        for place, value in enumerate(values):
            X[place * len(rows) : (place + 1) * len(rows), j] = value
        found, what = _answers(data, model, X)
        heights = found.reshape(len(values), -1).mean(axis=1).tolist()
        made.append(
            {
                "name": one["name"],
                "kind": "levels" if kind == TEXT else kind,
                "values": [str(v) if kind == TEXT else float(v) for v in values],
                "shown": [str(v)[:24] if kind == TEXT else shown(v, kind) for v in values],
                "heights": heights,
                "what": what,
            }
        )
    return made


def _places(values: NDArray[Any], kind: str) -> list[Any]:
    """Values to set: quantiles of numbers and dates, the commonest levels of names."""
    if kind == TEXT:
        present = [v for v in values.tolist() if v is not None]
        names, counts = np.unique(np.array(present, dtype=str), return_counts=True)
        return [str(names[i]) for i in np.argsort(-counts, kind="stable")[:LEVELS]]
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    distinct = np.unique(numbers)
    if len(distinct) <= POINTS:
        return list(distinct)
    return list(np.unique(np.quantile(numbers, np.linspace(0.02, 0.98, POINTS))))


def _answers(data: FitData, model: Any, X: NDArray[Any]) -> tuple[NDArray[np.float64], str]:
    """One number per row, and what it is."""
    if data.target.task == "regression":
        return np.asarray(model.predict(X), dtype=np.float64), f"average {data.target.name}"
    label = list(model.classes_)[-1]
    if len(model.classes_) > 2:  # the commonest class has a curve; the others follow from theirs
        label = max(data.target.counts, key=lambda name: data.target.counts[name])
    try:
        place = [str(c) for c in model.classes_].index(str(label))
        return model.predict_proba(X)[:, place], f"probability of {label}"
    except (AttributeError, ValueError, NotImplementedError):
        said = np.array([str(v) for v in model.predict(X)])
        return (said == str(label)).astype(np.float64), f"share answered {label}"
