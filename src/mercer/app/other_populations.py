"""``mercer certify`` for other populations and for groups: other shares, other inputs, a column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.apply import new_rows
from mercer.app.labels import labels_of
from mercer.app.reading import reader_options
from mercer.app.train import table_machine
from mercer.errors import DataError, UserError
from mercer.io.model_file import ModelFile
from mercer.io.readers import read
from mercer.tables import TableMachine
from mercer.tables.columns import label_texts
from mercer.tables.dataset import TEXT, Column, Dataset

QUESTIONS = ("shares", "population", "by")
MOST_COLUMNS = 500  # of the prepared table, for weights


def question_asked(values: dict[str, Any]) -> str | None:
    """Which of the questions is asked; what cannot be asked together with it is refused."""
    asked = [name for name in QUESTIONS if values.get(name) is not None]
    if not asked:
        return None
    others = {"error": "overall", "metric": None, "candidates": 1, "predictions": None,
              "cluster": None}  # fmt: skip
    more = [name for name, plain in others.items() if values.get(name, plain) != plain]
    if len(asked) + len(more) > 1:
        named = ", ".join(f"--{name}" for name in (*asked, *more))
        raise UserError(f"these are asked one at a time: {named}.")
    if values["data"] is None:
        raise UserError(f"--{asked[0]} needs fresh rows with labels.", "Name their file.")
    return asked[0]


def answer_question(
    question: str, stored: ModelFile, data: Dataset, X: Any, truth: NDArray[Any],
    values: dict[str, Any],
) -> Any:  # fmt: skip
    """The certificate of another population or of groups."""
    from mercer.certification import certify_groups, certify_shifted
    from mercer.certification.guarantees.density_ratio import estimate_weights

    model, delta = stored.model, values["delta"]
    more = {name: values[name] for name in ("tolerance", "ledger", "budget")}
    if question == "by":
        column = data.column(values["by"])
        if column.missing.any():
            raise DataError(f"column '{column.name}' has gaps: every row needs its group.")
        return certify_groups(model, X, truth, label_texts(column), delta, **more)
    if question == "shares":
        given = shares_meant(stored, values["shares"])
        return certify_shifted(model, X, truth, delta, shares=given, **more)
    others = new_rows(stored, read(values["population"], reader_options(values, stored.about)))
    weights = estimate_weights(_numbers(stored, X), _numbers(stored, others))
    return certify_shifted(model, X, truth, delta, weights=weights, **more)


def shares_meant(stored: ModelFile, text: str) -> dict[Any, float]:
    """``yes=0.2,no=0.8`` in the labels of the model."""
    found = {}
    for part in text.split(","):
        name, _, share = part.rpartition("=")
        try:
            (label,) = labels_of(
                stored.model, Column("", TEXT, np.array([name.strip()], dtype=object))
            ).tolist()
            found[label] = float(share)
        except ValueError:
            raise UserError(
                f"--shares {text!r} is not a list such as yes=0.2,no=0.8.",
                "Every class with its share in the other population; they add up to 1.",
            ) from None
    return found


def _numbers(stored: ModelFile, X: Any) -> Any:
    """Rows as the machine sees them: indicators of levels, no gaps."""
    machine = table_machine(stored.model)
    if not isinstance(machine, TableMachine):
        return X
    made = machine.best_estimator_[0].transform(X)
    if made.shape[1] > MOST_COLUMNS:
        raise UserError(
            f"weights would be learned from {made.shape[1]} columns, more than {MOST_COLUMNS}.",
            "Give them in Python: certify_shifted(..., weights=...).",
        )
    return made.toarray() if hasattr(made, "toarray") else made
