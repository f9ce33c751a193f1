"""Tables that are already in memory: pandas, polars, Arrow, dictionaries and arrays, as columns.

A frame is read as the file it came from would have been: texts that are dates or numbers become
dates and numbers, empty texts and words such as NA or ? are gaps. So a model means the same in
Python and on the command line.
"""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer.errors import DataError
from mercer.tables.columns import label_texts, matched
from mercer.tables.dataset import BOOL, DATE, NUMBER, Column, Dataset
from mercer.tables.spellings import found_as
from mercer.tables.text_values import MISSING, text_column


def is_frame(data: Any) -> bool:
    """Whether this is a table whose columns have names."""
    if sparse.issparse(data):  # one of its kinds is a mapping
        return False
    if _is_query(data):
        return True
    return isinstance(data, Mapping) or (hasattr(data, "columns") and hasattr(data, "shape"))


def dataset_of(data: Any, names: Sequence[str] | None = None) -> Dataset:
    """The columns of a frame, of a dictionary of columns, or of a two-dimensional array."""
    notes: list[str] = []
    if is_frame(data):
        pairs = _named(data)
    else:
        table = np.asarray(data)
        if table.ndim != 2:
            raise DataError(
                f"a table has rows and columns, this has {table.ndim} dimensions.",
                "Pass a data frame, a dictionary of columns or a two-dimensional array.",
            )
        names = names or [f"column {j + 1}" for j in range(table.shape[1])]
        pairs = list(zip(names, table.T, strict=True))
    columns = [column_of(name, values, notes) for name, values in pairs]
    lengths = {len(column.values) for column in columns}
    if len(lengths) > 1:
        raise DataError(f"the columns have different lengths: {sorted(lengths)}.")
    return Dataset("table", "frame", columns=columns, notes=notes)


def by_name(data: Any, names: Sequence[str], kinds: Sequence[str]) -> list[Column]:
    """The columns a model was trained on, found by name and held to their kind."""
    there = dict(_named(data))
    places = {name: found_as(name, there) for name in names}
    known = dict(zip(names, kinds, strict=True))
    given = Dataset(
        "table",
        "frame",
        columns=[column_of(n, there[p], [], known[n]) for n, p in places.items() if p is not None],
    )
    if None in places.values():  # the error lists every column there is
        used = set(places.values())
        given.columns += [Column(n, NUMBER, np.zeros(0)) for n in there if n not in used]
    return [matched(given, name, kind) for name, kind in zip(names, kinds, strict=True)]


def column_of(name: str, values: ArrayLike, notes: list[str], stored: str = "") -> Column:
    """One column, as what its values are; ``stored`` is what a model knows it as."""
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    kind = array.dtype.kind
    if kind == "b":
        return Column(name, BOOL, array.astype(np.float64))
    if kind in "iuf":
        return Column(name, NUMBER, array.astype(np.float64))
    if kind in "Mm":
        return Column(name, DATE if kind == "M" else NUMBER, _seconds(array))
    return _of_objects(name, array.astype(object), notes, stored)


def _is_query(data: Any) -> bool:
    """A cursor of a database that holds an answer, or a relation of DuckDB."""
    return hasattr(data, "fetchall") and getattr(data, "description", None) is not None


def _named(data: Any) -> list[tuple[str, Any]]:
    if _is_query(data):
        names = [str(column[0]) for column in data.description]
        rows = data.fetchall()
        cells = np.empty((len(rows), len(names)), dtype=object)
        for i, row in enumerate(rows):
            cells[i] = list(row)
        return list(zip(names, cells.T, strict=True))
    if isinstance(data, Mapping):
        return [(str(name), np.asarray(values)) for name, values in data.items()]
    if hasattr(data, "column_names"):  # Arrow: .columns holds the columns themselves
        return [(str(n), data.column(i)) for i, n in enumerate(data.column_names)]
    if hasattr(data, "iloc"):
        return [(str(name), data.iloc[:, i]) for i, name in enumerate(data.columns)]
    return [(str(name), data[name]) for name in data.columns]


def _seconds(array: NDArray[Any]) -> NDArray[np.float64]:
    unit = "datetime64[us]" if array.dtype.kind == "M" else "timedelta64[us]"
    whole = array.astype(unit).astype(np.int64) / 1e6
    return np.where(np.isnat(array), np.nan, whole)


def _of_objects(name: str, cells: NDArray[Any], notes: list[str], stored: str) -> Column:
    if set(map(type, listed := cells.tolist())) <= {int, float}:  # as JSON has them
        return Column(name, NUMBER, _floats(listed))
    listed = [_cell(cell) for cell in listed]
    present = [cell for cell in listed if cell is not None]
    if all(isinstance(cell, bool | np.bool_) for cell in present):
        return Column(name, BOOL if present else NUMBER, _floats(listed))
    if all(isinstance(cell, numbers.Number) for cell in present):
        return Column(name, NUMBER, _floats(listed))
    if all(isinstance(cell, datetime.date) for cell in present):
        return Column(name, DATE, _seconds(np.array(listed, dtype="datetime64[us]")))
    wrong = next((c for c in present if not isinstance(c, str | numbers.Number)), None)
    if wrong is not None:
        raise DataError(
            f"column '{name}' holds {type(wrong).__name__}, which is not a number, a date or text.",
            "Flatten or leave out this column.",
        )
    texts = np.empty(len(listed), dtype=object)
    texts[:] = [None if c is None else _text(c) for c in listed]
    return text_column(name, texts, ".", notes, stored)


def _cell(cell: Any) -> Any:
    """None for every kind of gap, in words too; texts without blanks around them."""
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "replace")
    if isinstance(cell, datetime.time):
        cell = cell.isoformat()
    if isinstance(cell, str):
        cell = cell.strip()
        return None if cell in MISSING else cell
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    return None if isinstance(cell, float) and cell != cell else cell


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return str(label_texts(Column("", NUMBER, _floats([cell])))[0])


def _floats(cells: list[Any]) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    except OverflowError:  # a whole number of Python has no end
        raise DataError("a number has more than 308 digits, which is beyond any measure.") from None
