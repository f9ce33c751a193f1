"""Probe rows in plain form: a data frame is kept as its columns, which any model file can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._marks import is_gap

_PLAIN = (str, int, float, bool, type(None))


class CannotBeKept(ValueError):
    """A frame holds what a model file does not, or the library that made it is not there."""


@dataclass(frozen=True, eq=False)
class FrameRows:
    """The columns of a few rows of a data frame, and what it takes to build the frame again."""

    library: str
    columns: Mapping[str, NDArray[Any]]
    kinds: Mapping[str, str]

    def frame(self) -> Any:
        """The rows as the frame they came from."""
        try:
            return _BUILT_BY[self.library](self)
        except ImportError as missing:
            raise CannotBeKept(f"{self.library} is not installed") from missing


def kept(rows: Any) -> Any:
    """Rows in a form that can be stored; all but data frames already are."""
    library = type(rows).__module__.partition(".")[0]
    if library not in _BUILT_BY or not hasattr(rows, "columns"):
        return rows
    columns = {str(name): _column(rows[name]) for name in rows.columns}
    if len(columns) != len(rows.columns) or set(columns) != set(rows.columns):
        raise CannotBeKept("columns without names of their own")
    kinds = {str(name): str(rows[name].dtype) for name in rows.columns}
    return FrameRows(library, columns, kinds)


def given(rows: Any) -> Any:
    """Kept rows as the model was given them."""
    return rows.frame() if isinstance(rows, FrameRows) else rows


def _column(series: Any) -> NDArray[Any]:
    values: NDArray[Any] = np.asarray(series.to_numpy())
    if values.dtype.kind in "biufM":
        return values
    cells = [None if is_gap(cell) and not isinstance(cell, float) else cell for cell in values]
    if not all(isinstance(cell, _PLAIN) for cell in cells):
        raise CannotBeKept("cells that are neither numbers nor texts")
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _pandas_frame(rows: FrameRows) -> Any:
    import pandas

    return pandas.DataFrame(dict(rows.columns)).astype(dict(rows.kinds))


def _polars_frame(rows: FrameRows) -> Any:
    import polars

    series = []
    for name, column in rows.columns.items():
        found = polars.Series(name, column.tolist() if column.dtype.kind == "O" else column)
        kind = getattr(polars, rows.kinds[name], None)  # Datetime(…) and the like are as they were
        series.append(found.cast(kind) if kind is not None else found)
    return polars.DataFrame(series)


_BUILT_BY: dict[str, Callable[[FrameRows], Any]] = {
    "pandas": _pandas_frame,
    "polars": _polars_frame,
}
