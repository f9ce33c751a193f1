"""Answers with what is known about their certainty, as plain JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.app.apply import answer, new_rows, promise, row_names, schema_of, unfamiliar
from mercer.app.doubts import doubts
from mercer.io.jsonable import jsonable
from mercer.io.model_file import ModelFile
from mercer.tables.dataset import Dataset


def describe_model(stored: ModelFile, path: str) -> dict[str, Any]:
    """What the model takes and what it promises."""
    about = stored.about
    return {
        "target": about.get("target"),
        "task": about.get("task"),
        "classes": about.get("classes") or [],
        "columns": schema_of(stored.model),
        "guarantee": guarantee(stored, path),
        "made": about.get("created"),
    }


def guarantee(stored: ModelFile, path: str) -> dict[str, Any]:
    """What speaks against the certificate, the certificate in a sentence, what it assumes."""
    found = stored.about.get("certificate") or {}
    return {
        "doubts": list(doubts(stored, path)),
        "statement": stored.about.get("statement") or "No certificate was made for this model.",
        "value": found.get("value"),
        "confidence": None if found.get("delta") is None else 1.0 - float(found["delta"]),
        "assumes": list(found.get("assumptions", ())),
    }


def promised(stored: ModelFile, path: str) -> dict[str, Any]:
    """What stands below every answer: the guarantee, and what holds for intervals."""
    return guarantee(stored, path) | {"intervals": promise(stored) or None}


def reply(stored: ModelFile, told: dict[str, Any], data: Dataset) -> dict[str, Any]:
    """Predictions row by row, what is promised, and what no training row had."""
    found = answer(stored, new_rows(stored, data))
    columns = {"row": _plain(data.rows), "predicted": _plain(found.predicted)}
    columns |= {name: _plain(values) for name, values in row_names(stored.about, data).items()}
    if found.accepted is not None:
        columns["answered"] = _plain(found.accepted)
    if found.probability is not None:
        shares = _plain(found.probability)
        columns["probability"] = [dict(zip(found.classes, row, strict=True)) for row in shares]
    if found.interval is not None:
        columns["lower"], columns["upper"] = map(_plain, found.interval.T)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return {
        "answers": rows,
        "guarantee": jsonable(told),
        "unfamiliar": unfamiliar(stored, data),
        "not_answered": [{"row": int(r), "reason": str(why)} for r, why in data.dropped],
    }


def _plain(values: Any) -> list[Any]:
    """A column as JSON has it; text and finite numbers, the usual ones, need no further look."""
    if not isinstance(values, np.ndarray):
        return list(jsonable(list(values)))
    kind = values.dtype.kind
    listed = values.tolist()
    if kind in "biuU" or (kind == "f" and np.isfinite(values).all()):
        return listed
    return list(jsonable(listed))
