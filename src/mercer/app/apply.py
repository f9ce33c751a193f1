"""A saved model and new data: match the columns, then predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from mercer.app.roles import string_values
from mercer.app.train import table_machine
from mercer.certification import Refused
from mercer.errors import DataError, UserError
from mercer.io.model_file import ModelFile
from mercer.learners.describe import answering
from mercer.tables import Schema, TableMachine
from mercer.tables.columns import matched, shown, table_array
from mercer.tables.dataset import TEXT, Dataset

OWN_INTERVALS = (
    "lower and upper are the machine's own guess of its spread, NOT GUARANTEED to hold anything: "
    "too few rows were kept apart for that, or none"
)


def new_rows(stored: ModelFile, data: Dataset) -> Any:
    """The new data as the model takes them."""
    about = stored.about
    prepare = about.get("prepare", "table")
    if prepare in ("kernel", "distance"):
        return _pairs(stored, data, prepare)
    if prepare == "sparse":
        return _sparse(stored, data)
    if prepare == "objects":
        if data.objects is not None:
            return data.objects
        if about.get("strings") in data.names:
            return string_values(data, about["strings"])
        named = f" (column '{about['strings']}')" if about.get("strings") else ""
        raise DataError(f"the model was trained on sequences{named}, this file has none.")
    if not data.columns:
        raise DataError("the model was trained on a table with named columns; this file has none.")
    wanted = about.get("columns") or own_columns(stored.model)
    if not wanted:  # trained on an array: take the columns as they come
        return table_array(data.columns)
    return table_array([matched(data, str(name), str(kind)) for name, kind in wanted])


def own_columns(model: object) -> list[tuple[str, str]]:
    """Name and kind of every column of a table machine that was saved from Python."""
    machine = table_machine(model)
    prepared = machine.best_estimator_[0] if isinstance(machine, TableMachine) else None
    if not getattr(prepared, "named_", False):
        return []
    return list(zip(prepared.names_, prepared.stored_, strict=True))


def schema_of(model: object) -> list[dict[str, Any]]:
    """What the model expects of every column; nothing for models of other things than tables."""
    machine = table_machine(model)
    prepared = machine.best_estimator_[0] if isinstance(machine, TableMachine) else None
    return list(getattr(prepared, "schema_", ()))


def unfamiliar(stored: ModelFile, data: Dataset) -> list[str]:
    """What the new rows have that the training rows did not, in words."""
    known = schema_of(stored.model)
    if not known or not data.columns:
        return []
    columns = [matched(data, column["name"], column["kind"]) for column in known]
    return Schema.from_list(known).check(columns)


def row_names(about: dict[str, Any], data: Dataset) -> dict[str, Any]:
    """Columns that only name the rows, as the training data had them, and names of sequences."""
    found: dict[str, Any] = {}
    if data.names_of_rows is not None:
        found["name"] = data.names_of_rows
    for name in about.get("identifiers") or ():
        if name in data.names and name not in ("row", "predicted", "answered"):
            column = data.column(name)
            found[name] = [
                None if gap else shown(value, column.kind)
                for value, gap in zip(column.values, column.missing, strict=True)
            ]
    return found


def _pairs(stored: ModelFile, data: Dataset, kind: str) -> NDArray[np.float64]:
    about, matrix = stored.about, data.matrix
    if matrix is None:
        wrong = next((c.name for c in data.columns if c.kind == TEXT), None)
        if wrong is not None:
            raise DataError(f"a {kind} matrix holds numbers, column '{wrong}' holds text.")
        matrix = np.column_stack([c.values for c in data.columns])
    trained = np.asarray(about.get("train_rows", []), dtype=np.intp)
    total = int((about.get("data") or {}).get("rows_used") or len(trained))
    certified = answering(stored.model) is not stored.model  # takes its own columns out of all
    if matrix.shape[1] not in ((total,) if certified else (total, len(trained))):
        raise DataError(
            f"the matrix has {matrix.shape[1]} columns; it must hold the {kind} of each new row to "
            f"the {total} rows the model was made from."
        )
    chosen = matrix if certified or matrix.shape[1] != total else matrix[:, trained]
    return np.asarray(chosen, dtype=np.float64)


def _sparse(stored: ModelFile, data: Dataset) -> Any:
    from scipy import sparse

    if data.kind != "sparse":
        raise DataError("the model was trained on a svmlight file; give it one.")
    rows, have = data.matrix.shape
    width = int(stored.model.n_features_in_)
    if have > width and data.matrix[:, width:].nnz:
        raise DataError(f"the file has the feature {have}, the model knows {width} features.")
    if have >= width:
        return data.matrix[:, :width]
    return sparse.hstack([data.matrix, sparse.csr_matrix((rows, width - have))]).tocsr()


@dataclass
class Answers:
    """Predictions and what the model knows about their certainty."""

    predicted: NDArray[Any]
    classes: list[str]
    probability: NDArray[np.float64] | None = None
    interval: NDArray[np.float64] | None = None
    accepted: NDArray[np.bool_] | None = None
    sets: list[str] | None = None


def promise(stored: ModelFile, coverage: float | None = None) -> str:
    """What holds for the intervals, or for the sets that were asked for; nothing without them."""
    model = stored.model
    regression = is_regressor(model)
    if not (coverage is not None or (regression and hasattr(model, "predict_interval"))):
        return ""
    try:
        said = str(model.coverage_certificate(0.9 if coverage is None else coverage))
    except (AttributeError, Refused) as problem:
        if coverage is None:
            return OWN_INTERVALS
        why = str(problem) if isinstance(problem, Refused) else "it carries no certificate."
        raise UserError(f"this model promises no coverage: {why}") from None
    return f"{'lower and upper' if regression else 'sets'}: {said}"


def answer(
    stored: ModelFile, X: Any, reject: float | None = None, coverage: float | None = None
) -> Answers:
    """Predict, with probabilities or intervals where the model has them.

    With ``coverage`` also sets of classes, or intervals, that hold so much; see `promise`.
    """
    model = stored.model
    if coverage is not None:
        promise(stored, coverage)
    found = Answers(np.asarray(model.predict(X)), [])
    if hasattr(model, "accepts"):
        found.accepted = np.asarray(model.accepts(X), dtype=bool)
    if is_regressor(model):
        if hasattr(model, "predict_interval"):
            try:
                asked = () if coverage is None else (coverage,)
                found.interval = np.asarray(model.predict_interval(X, *asked))
            except Refused:  # too few rows were held out for a promise: the machine's own
                found.interval = np.asarray(answering(model).predict_interval(X))
    else:
        try:
            found.probability = np.asarray(model.predict_proba(X))
            found.classes = [str(c) for c in model.classes_.tolist()]
        except (AttributeError, ValueError, NotImplementedError):
            found.probability = None
        if coverage is not None:
            names = np.asarray(model.classes_).astype(str)
            sets = model.predict_set(X, coverage)
            found.sets = [", ".join(names[row]) for row in sets]
    if reject is not None:
        if found.probability is None:
            raise UserError("this model has no probabilities, so it cannot reject by them.")
        sure = found.probability.max(axis=1) >= reject
        found.accepted = sure if found.accepted is None else found.accepted & sure
    return found
