"""Answers with what is known about their certainty, as plain JSON."""

from __future__ import annotations

from typing import Any

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


def reply(stored: ModelFile, path: str, data: Dataset) -> dict[str, Any]:
    """Predictions row by row; what no training row had is told beside them."""
    found = answer(stored, new_rows(stored, data))
    named = row_names(stored.about, data)
    rows = []
    for i, predicted in enumerate(found.predicted.tolist()):
        row: dict[str, Any] = {"row": int(data.rows[i]), "predicted": predicted}
        row |= {name: values[i] for name, values in named.items()}
        if found.accepted is not None:
            row["answered"] = bool(found.accepted[i])
        if found.probability is not None:
            row["probability"] = dict(
                zip(found.classes, found.probability[i].tolist(), strict=True)
            )
        if found.interval is not None:
            row["lower"], row["upper"] = found.interval[i].tolist()
        rows.append(row)
    return jsonable(
        {
            "answers": rows,
            "guarantee": guarantee(stored, path) | {"intervals": promise(stored) or None},
            "unfamiliar": unfamiliar(stored, data),
            "not_answered": [{"row": r, "reason": why} for r, why in data.dropped],
        }
    )
