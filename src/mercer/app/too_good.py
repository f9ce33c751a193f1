"""A result that is better than most real questions allow: told, with the columns to look at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.app.checks import WARNING, Finding
from mercer.app.leaks import telling
from mercer.app.roles import FitData
from mercer.report.run_record import RunRecord
from mercer.tables.dataset import TEXT, Column

FEWEST = 50  # rows that were counted
SHARE = 0.005  # of the error without a model, that is left with it
EXPLAINED = 0.995  # of the variance of numbers
SHOWN = 3


def too_good(record: RunRecord, data: FitData) -> list[Finding]:
    """Ask for the columns that are known only afterwards, if hardly any error is left."""
    left = _left(record)
    if left is None or left > SHARE or data.prepare != "table":
        return []
    if any(check["code"] == "leak" for check in record.checks):
        return []  # said already, with the column
    seen = "hardly an error is left on rows that the model had not seen"
    columns = [
        Column(name, stored.partition(":")[0], _values(data.X[:, j], stored))
        for j, (name, stored) in enumerate(zip(data.names, data.stored, strict=True))
    ]
    best = telling(columns, data.target.y, data.target.task, {})[:SHOWN]
    named = ", ".join(f"'{told.name}'" for told in best)
    words = (
        f"{seen}, which is too good for most real questions: is a column known only after the "
        f"answer? Most telling: {named}"
    )
    return [Finding("too-good", WARNING, words, tuple(told.name for told in best))]


def _left(record: RunRecord) -> float | None:
    """What is left of the error (or of the variance) of the trivial answer."""
    truth = np.asarray(record.predictions.get("truth", ()))
    if len(truth) < FEWEST or len(record.baselines) < 2:
        return None
    if record.target["task"] == "classification":
        without = float(record.baselines[1]["error"])
        return float(record.baselines[0]["error"]) / without if without else None
    miss = truth.astype(float) - np.asarray(record.predictions["predicted"], dtype=float)
    spread = float(np.sum((truth - truth.astype(float).mean()) ** 2))
    share = float(np.sum(miss**2)) / spread if spread else 1.0
    return 0.0 if share <= 1.0 - EXPLAINED else 1.0


def _values(values: ArrayLike, stored: str) -> Any:
    return values if stored == TEXT else np.asarray(values, dtype=np.float64)
