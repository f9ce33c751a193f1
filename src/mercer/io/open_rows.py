"""Files and Dask collections as functions that make batches, for ``fit_rows`` of learners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import DataError
from mercer.io.readers import Options
from mercer.io.streams import batches, parts_of
from mercer.rows import Partition
from mercer.tables.dataset import TEXT, Column, Dataset


@dataclass(frozen=True)
class PartOfRows:
    """One partition; called, it makes its batches: ``X``, or ``(X, y)`` with a target.

    ``X`` are the columns as numbers, or the texts of the one column, if that holds text.
    """

    part: Partition
    columns: tuple[str, ...]
    target: str | None
    options: Options
    dtype: str
    text: bool

    def __call__(self) -> Iterator[Any]:
        """Read the partition, a batch at a time."""
        names = list(dict.fromkeys([*self.columns, *([self.target] if self.target else [])]))
        for data in batches(self.part, self.options, names):
            if self.target is None:
                yield self._rows(data)
            else:
                yield self._rows(data), self._targets(data)

    def _rows(self, data: Dataset) -> Any:
        if self.text:
            return self._whole(data, self.columns[0]).values
        found = np.empty((data.n, len(self.columns)), dtype=self.dtype)
        for place, name in enumerate(self.columns):
            column = self._whole(data, name)
            if column.kind == TEXT:
                raise DataError(f"{self.part.words}: column '{name}' holds text in some batches.")
            found[:, place] = column.values
        return found

    def _targets(self, data: Dataset) -> NDArray[Any]:
        assert self.target is not None
        column = self._whole(data, self.target)
        return column.values.astype(str) if column.kind == TEXT else column.values

    def _whole(self, data: Dataset, name: str) -> Column:
        column = data.column(name)
        gaps = np.flatnonzero(column.missing)
        if len(gaps):
            raise DataError(
                f"{self.part.words}: row {int(data.rows[gaps[0]])} has no value in column "
                f"'{name}'.",
                "Leave the column out, or fill its gaps: functions of your own may make the "
                "batches. mercer.fit fills them by itself.",
            )
        return column


def open_rows(
    data: Any,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    dtype: str = "float32",
    options: Options | None = None,
) -> list[PartOfRows]:
    """Rows that need not fit into memory, for ``fit_rows`` of learners.

    Parameters
    ----------
    data : path, pattern, folder, list of paths, Dask data frame or array, or functions
        As for ``mercer.fit``. Functions make frames.
    target : str, optional
        The column of targets.
    columns : sequence of str, optional
        What to learn from; all columns of numbers, dates and truth values by default. One column
        of text may be given alone, for kernels of strings.
    dtype : {"float32", "float64"}
        Of the rows; single precision is enough for learners of sums.
    options : Options, optional
        How text tables are read.

    Returns
    -------
    list of functions
        One for each partition. Called, it reads the partition and makes batches ``X`` or
        ``(X, y)``.

    Raises
    ------
    DataError
        If a file cannot be read, or holds text where numbers are asked for.
    """
    how = options or Options()
    parts, bad = parts_of(data, how)
    if bad:
        raise DataError(bad[0][1], "Repair it or leave it out.")
    first = next(iter(batches(parts[0], how)))
    kinds = {column.name: column.kind for column in first.columns}
    for name in [*(columns or ()), *([target] if target else [])]:
        first.column(name)  # or an error names it
    wanted = tuple(columns or [n for n, kind in kinds.items() if n != target and kind != TEXT])
    texts = [name for name in wanted if kinds[name] == TEXT]
    if not wanted or (texts and len(wanted) > 1):
        raise DataError(
            f"column '{texts[0]}' holds text." if texts else "no column holds numbers.",
            "Name columns of numbers by columns=, or one column of text for a kernel of strings.",
        )
    return [PartOfRows(part, wanted, target, how, dtype, bool(texts)) for part in parts]
