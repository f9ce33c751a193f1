"""A saved model and new data: match the columns, then predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from mercer.app.roles import shown, string_values, table_array
from mercer.app.target import label_texts
from mercer.errors import DataError, UserError
from mercer.io.model_file import ModelFile
from mercer.learners.describe import answering
from mercer.tables.dataset import BOOL, DATE, NUMBER, TEXT, Column, Dataset, unknown_column


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
    wanted = about.get("columns") or []
    if not wanted:  # saved from Python: take the columns as they come
        return table_array(data.columns)
    return table_array([matched(data, str(name), str(kind)) for name, kind in wanted])


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


def matched(data: Dataset, name: str, kind: str) -> Column:
    """The column of this name, as the kind the model knows."""
    if name not in data.names:
        raise DataError(
            f"the model needs the column '{name}'.", unknown_column(name, data.names).advice
        )
    column = data.columns[data.names.index(name)]
    if column.kind == kind or {column.kind, kind} <= {NUMBER, BOOL}:
        return Column(name, kind, column.values)
    if column.missing.all():
        gap: Any = None if kind == TEXT else np.nan
        values = np.full(len(column.values), gap, dtype=object if kind == TEXT else np.float64)
        return Column(name, kind, values)
    if kind == TEXT and column.kind in (NUMBER, BOOL):
        texts = label_texts(Column(name, column.kind, np.where(column.missing, 0.0, column.values)))
        values = texts.astype(object)
        values[column.missing] = None
        return Column(name, TEXT, values)
    place = int(np.flatnonzero(~column.missing)[0])
    words = {NUMBER: "numbers", BOOL: "true or false", DATE: "dates", TEXT: "text"}
    raise DataError(
        f"column '{name}' held {words[kind]} when the model was trained; here it holds "
        f"{words[column.kind]} such as '{shown(column.values[place], column.kind)}' "
        f"(row {data.rows[place]})."
    )


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


def answer(stored: ModelFile, X: Any, reject: float | None = None) -> Answers:
    """Predict, with probabilities or intervals where the model has them."""
    model = stored.model
    found = Answers(np.asarray(model.predict(X)), [])
    if hasattr(model, "accepts"):
        found.accepted = np.asarray(model.accepts(X), dtype=bool)
    if is_regressor(model):
        if hasattr(model, "predict_interval"):
            found.interval = np.asarray(model.predict_interval(X))
    else:
        try:
            found.probability = np.asarray(model.predict_proba(X))
            found.classes = [str(c) for c in model.classes_.tolist()]
        except (AttributeError, ValueError, NotImplementedError):
            found.probability = None
    if reject is not None:
        if found.probability is None:
            raise UserError("this model has no probabilities, so it cannot reject by them.")
        sure = found.probability.max(axis=1) >= reject
        found.accepted = sure if found.accepted is None else found.accepted & sure
    return found
