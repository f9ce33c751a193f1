"""The work behind ``mercer certify``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.cli._apply import new_rows, row_marks
from mercer.cli._options import reader_options
from mercer.io.dataset import TEXT, Column, Dataset
from mercer.io.errors import DataError, UserError
from mercer.io.model_file import ModelFile, open_model
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.io.task import label_texts


class Given:
    """A model that is known only by the answers it gave; sentences call it by its class name."""

    def __init__(self, answers: NDArray[Any], number: bool) -> None:
        self.answers = answers
        self._estimator_type = "regressor" if number else "classifier"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """The answers, as they were given."""
        return self.answers


def certificate_for(values: dict[str, Any]) -> tuple[Any, list[str]]:
    """The certificate asked for, and notes to show below it."""
    if values["predictions"]:
        return _of_predictions(values), []
    if not values["model"]:
        raise UserError("which model?", "Name a model file, or use --predictions FILE.")
    stored = open_model(values["model"])
    if not values["data"]:
        return _saved(stored, values["model"]), []
    data = read(values["data"], reader_options(values, stored.about))
    return _fresh(stored, data, values)


def _saved(stored: ModelFile, name: str) -> Any:
    from mercer.bounds import Certificate

    found = getattr(stored.model, "certificate_", None)
    if found is None and stored.about.get("certificate"):
        found = Certificate.from_dict(stored.about["certificate"])
    if found is None:
        raise UserError(f"{name} was saved without a certificate.", "Give fresh rows as well.")
    return found


def _fresh(stored: ModelFile, data: Dataset, values: dict[str, Any]) -> tuple[Any, list[str]]:
    from mercer.certification import certify

    name = values["target"] or stored.about.get("target")
    if data.columns and name:
        column = data.column(str(name))
    elif data.labels is not None:
        from mercer.io.readers.numpy_arrays import label_column

        column = label_column("label", data.labels)
    else:
        raise DataError("the fresh rows have no labels.", "Name the column with --target.")
    lost = column.missing
    notes = []
    if lost.any():
        data = data.drop(lost, "no label")
        column = Column(column.name, column.kind, column.values[~lost])
        notes.append(f"{int(lost.sum())} rows without a label were not counted.")
    _refuse_training_file(stored, values)
    regression = stored.about.get("task") == "regression"
    truth = column.values.astype(float) if regression else label_texts(column)
    X = new_rows(stored, data)
    notes += _known_rows(stored, X)
    tolerance = values["tolerance"]
    if regression and tolerance is None:
        tolerance = float(stored.model.tolerance_)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        certificate = certify(
            stored.model, X, truth, values["delta"], error=values["error"],
            tolerance=tolerance, candidates=values["candidates"],
        )  # fmt: skip
    notes += [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return certificate, notes


def _refuse_training_file(stored: ModelFile, values: dict[str, Any]) -> None:
    known = (stored.about.get("data") or {}).get("sha256")
    if known is not None and Source.of(values["data"]).sha256() == known:
        raise DataError(
            "this is the very file the model was trained on.",
            "A certificate needs rows it has never seen. Without a file the saved one is shown.",
        )


def _known_rows(stored: ModelFile, X: Any) -> list[str]:
    """Fresh rows that equal training rows are not fresh, unless such rows repeat by nature."""
    marks = getattr(stored.model, "row_marks_", None)
    if marks is None or not len(marks):
        return []
    known = int(np.isin(row_marks(X), marks).sum())
    if not known:
        return []
    return [
        f"WARNING: {known} of these rows equal rows the model was trained on. Unless such rows "
        "repeat by nature, they were seen before and the certificate does not hold."
    ]


def _of_predictions(values: dict[str, Any]) -> Any:
    from mercer.certification import certify

    if not values["truth"] or not values["predicted"]:
        raise UserError("--predictions needs --truth NAME and --predicted NAME.")
    data = read(values["predictions"], reader_options(values))
    truth, guess = data.column(values["truth"]), data.column(values["predicted"])
    for column in (truth, guess):
        if column.missing.any():
            row = int(data.rows[np.flatnonzero(column.missing)[0]])
            raise DataError(f"column '{column.name}' has no value in row {row}.")
    numbers = values["tolerance"] is not None
    if numbers and TEXT in (truth.kind, guess.kind):
        raise DataError("--tolerance is about numbers, but the labels are text.")
    if numbers:
        y, f = truth.values.astype(float), guess.values.astype(float)
    else:
        y, f = label_texts(truth), label_texts(guess)
    return certify(
        Given(f, numbers), np.zeros((len(y), 1)), y, values["delta"], error=values["error"],
        tolerance=values["tolerance"], candidates=values["candidates"],
    )  # fmt: skip
