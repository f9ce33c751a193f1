"""What a reader returns: columns, or a matrix, or objects, and what happened to every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError

NUMBER, DATE, TEXT, BOOL = "number", "date", "text", "bool"


@dataclass
class Column:
    """One column: floats with NaN for gaps (number, date in seconds, bool), or text with None."""

    name: str
    kind: str
    values: NDArray[Any]
    written: str = ""  # dates: the format they were written in

    @property
    def stored(self) -> str:
        """The kind as models keep it: dates with their format, so that 1/2 stays 1 February."""
        return f"{self.kind}:{self.written}" if self.written else self.kind

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        if self.kind == TEXT:
            return np.array([v is None for v in self.values.tolist()], dtype=bool)
        return np.isnan(self.values)


@dataclass
class Dataset:
    """Data as read. ``kind`` is "table", "sparse", "square" (a matrix of pairs) or "objects".

    ``rows`` holds the number of each row in the file, counted from 1; rows that could not be used
    are in ``dropped`` with the reason, so that both together are all the rows that were read.
    """

    kind: str
    format: str
    columns: list[Column] = field(default_factory=list)
    matrix: Any = None
    objects: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    names_of_rows: NDArray[Any] | None = None
    rows: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    dropped: list[tuple[int, str]] = field(default_factory=list)
    dialect: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    target: str | None = None  # the column that the file itself says is to be predicted

    def __post_init__(self) -> None:
        if len(self.rows) == 0 and self.n:
            gone = {row for row, _ in self.dropped}
            numbers = np.arange(1, self.n + len(gone) + 1)
            self.rows = numbers[~np.isin(numbers, list(gone))] if gone else numbers

    @property
    def n(self) -> int:
        """Number of rows that can still be used."""
        for part in (self.matrix, self.objects, self.labels):
            if part is not None:
                return int(part.shape[0])
        return len(self.columns[0].values) if self.columns else 0

    @property
    def rows_read(self) -> int:
        """Rows used plus rows dropped."""
        return self.n + len(self.dropped)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """The column called ``name``, or numbered so from 1; an error suggests the closest."""
        return self.columns[self.index(name)]

    def index(self, name: str) -> int:
        """Position of a column by name, by number from 1, or from the end for negative numbers."""
        names = self.names
        if name in names:
            return names.index(name)
        folded = [n.strip().casefold() for n in names]
        if folded.count(name.strip().casefold()) == 1:
            return folded.index(name.strip().casefold())
        try:
            number = int(name)
        except ValueError:
            number = 0
        if 1 <= number <= len(names) or -len(names) <= number < 0:
            return number - 1 if number > 0 else len(names) + number
        raise unknown_column(name, names)

    def drop(self, lost: NDArray[np.bool_], reason: str) -> Dataset:
        """Without some rows, which are listed with the reason."""
        if not lost.any():
            return self
        keep = ~lost
        listed = [(int(row), reason) for row in self.rows[lost]]
        square = self.kind == "square" and self.matrix is not None
        matrix: Any = self.matrix[keep] if self.matrix is not None else None
        return replace(
            self,
            columns=[replace(c, values=c.values[keep]) for c in self.columns],
            matrix=matrix[:, keep] if square else matrix,
            objects=None if self.objects is None else self.objects[keep],
            labels=None if self.labels is None else self.labels[keep],
            names_of_rows=None if self.names_of_rows is None else self.names_of_rows[keep],
            rows=self.rows[keep],
            dropped=sorted([*self.dropped, *listed]),
        )


def unknown_column(name: str, names: Sequence[str]) -> DataError:
    """An error that suggests the closest name."""
    by_fold = {n.casefold(): n for n in names}
    near = get_close_matches(name.casefold(), list(by_fold), 1, 0.5)
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    hint = f"Did you mean '{by_fold[near[0]]}'? " if near else ""
    return DataError(f"there is no column '{name}'.", f"{hint}The columns are: {shown}")
