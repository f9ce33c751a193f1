"""Columns of a table: matched by name, as one array, as texts, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError
from mercer.tables.dataset import BOOL, DATE, NUMBER, TEXT, Column, Dataset, unknown_column
from mercer.tables.spellings import found_as


def matched(data: Dataset, name: str, kind: str) -> Column:
    """The column of this name, as the kind the model knows (``Column.stored``)."""
    kind = kind.partition(":")[0]
    known = found_as(name, data.names)
    if known is None:
        raise DataError(
            f"the model needs the column '{name}'.", unknown_column(name, data.names).advice
        )
    column = data.columns[data.names.index(known)]
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


def table_array(columns: Sequence[Column]) -> NDArray[Any]:
    """The raw table: floats if no column is text, otherwise objects."""
    if any(column.kind == TEXT for column in columns):
        table = np.empty((len(columns[0].values), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            table[:, j] = column.values
        return table
    block = columns[0].values.base
    if isinstance(block, np.ndarray) and _are_columns_of(block, columns):
        return block  # the reader's own: no copy
    return np.column_stack([column.values for column in columns])


def _are_columns_of(block: NDArray[Any], columns: Sequence[Column]) -> bool:
    """Whether the columns are all those of a block, in its order: another file may have another."""
    if block.ndim != 2 or block.shape != (len(columns[0].values), len(columns)):
        return False
    return all(
        column.values.base is block and column.values.ctypes.data == block[:, j].ctypes.data
        for j, column in enumerate(columns)
    )


def label_texts(column: Column) -> NDArray[Any]:
    """Labels as text, whole numbers without a decimal point."""
    if column.kind == TEXT:
        return np.array([str(v) for v in column.values.tolist()])
    if column.kind == BOOL:
        return np.where(column.values > 0, "true", "false")
    if np.all(column.values == np.floor(column.values)):
        return np.array([str(int(v)) for v in column.values.tolist()])
    return np.array([f"{v:.12g}" for v in column.values.tolist()])


def typed_labels(column: Column) -> NDArray[Any]:
    """Labels as Python has them: text, truth values, whole numbers where all are whole."""
    if column.kind == TEXT:
        return label_texts(column)
    if column.kind == BOOL:
        return np.asarray(column.values > 0)
    whole = bool(np.all(column.values == np.floor(column.values)))
    return column.values.astype(np.int64) if whole else column.values


def shown(value: Any, kind: str) -> str:
    """A value for people."""
    if kind == "date":
        text = str(np.datetime64(int(value), "s"))
        return text.removesuffix("T00:00:00")
    return str(value)[:40] if kind == TEXT else f"{value:.6g}"
