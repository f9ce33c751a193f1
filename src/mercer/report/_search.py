"""The candidates of a search, as the run record lists them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.learners.describe import answering


def search_of(model: object) -> dict[str, Any]:
    """Read ``cv_results_`` of a search (Mercer's or scikit-learn's); empty without one."""
    found = _searcher(model)
    if found is None:
        return {}
    table = found.cv_results_
    small = "value" in table  # KernelSearch: a criterion to make small; scikit-learn: a score
    scores = np.asarray(table["value" if small else "mean_test_score"], dtype=float)
    worth = scores if small else -scores
    order = np.argsort(np.where(np.isnan(worth), np.inf, worth), kind="stable")
    best = getattr(found, "best_index_", order[0])
    order = np.concatenate([[best], order[order != best]])
    spread = np.asarray(table.get("std_test_score", np.full(len(scores), np.nan)), dtype=float)
    seconds = np.asarray(table.get("mean_fit_time", np.zeros(len(scores))), dtype=float)
    return {
        "criterion": _criterion(found),
        "greater_is_better": not small,
        "candidates": len(scores),
        "results": [
            {
                "params": plain_params(table["params"][i]),
                "kernel": str(table["family"][i]) if "family" in table else None,
                "status": str(table["status"][i]) if "status" in table else "",
                "score": float(scores[i]),
                "std": float(spread[i]),
                "seconds": float(seconds[i]),
                "rank": rank + 1,
            }
            for rank, i in enumerate(order)
        ],
    }


def _searcher(model: object) -> Any:
    """The search itself, or the one inside a pipeline."""
    model = answering(model)
    while model is not None:
        if "params" in (getattr(model, "cv_results_", None) or ()):
            return model
        steps = getattr(model, "steps", None)
        model = steps[-1][1] if steps else None
    return None


def _criterion(search: Any) -> str:
    if (code := getattr(search, "criterion_", None)) is not None:
        return str(code)
    for name in ("criterion", "scoring"):
        value = getattr(search, name, None)
        if value is not None:
            return value if isinstance(value, str) else getattr(value, "title", str(value))
    return "mean score over the folds"


def plain_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers and words; a kernel object gives its name and, beside it, its numbers."""
    found: dict[str, Any] = {}
    for name, value in params.items():
        key = name.rsplit("__", 1)[-1]
        if hasattr(value, "get_params") and hasattr(value, "diag"):
            found[key] = type(value).__name__
            inner = value.get_params(deep=False)
            found |= {k: v for k, v in inner.items() if isinstance(v, int | float)}
        elif isinstance(value, np.generic):
            found[key] = value.item()
        elif isinstance(value, bool | int | float | str) or value is None:
            found[key] = value
        else:
            found[key] = str(value)
    return {k: v for k, v in found.items() if not (isinstance(v, float) and math.isnan(v))}
