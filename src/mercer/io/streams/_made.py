"""Rows that are in no file: frames made when asked for, by Dask or by a user's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from mercer.errors import DataError
from mercer.rows.partition import Partition
from mercer.tables.dataset import Dataset
from mercer.tables.frames import dataset_of


def made_partitions(data: Any) -> list[Partition]:
    """Of a Dask data frame or array, or of functions that each make frames, one after the other.

    A function is called once for each pass over the rows and must make the same rows each time.
    """
    if hasattr(data, "to_delayed"):
        delayed = data.to_delayed()
        parts = delayed.ravel().tolist() if hasattr(delayed, "ravel") else list(delayed)
        if hasattr(data, "numblocks") and data.ndim == 2 and data.numblocks[1] > 1:
            raise DataError(
                "the Dask array is cut across its columns.", "Rechunk it: x.rechunk({1: -1})."
            )
        makers: list[Callable[[], Any]] = [partial(_computed, part) for part in parts]
    else:
        makers = [data] if callable(data) else list(data)
    found = [Partition(f"part {place}", "made", make=make) for place, make in enumerate(makers)]
    if not found:
        raise DataError("there are no partitions.")
    first = next(iter(made(found[0], None)))
    columns = tuple((column.name, column.kind) for column in first.columns)
    return [replace(part, columns=columns) for part in found]


def _computed(part: Any) -> list[Any]:
    return [part.compute(scheduler="synchronous")]


def made(part: Partition, columns: list[str] | None) -> Iterator[Dataset]:
    """The frames of a partition as data sets."""
    assert part.make is not None
    frames: Iterable[Any] = part.make()
    for frame in frames:
        data = dataset_of(frame)
        if columns is not None:
            data = replace(data, columns=[data.column(name) for name in columns])
        yield data
