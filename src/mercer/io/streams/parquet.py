"""Parquet: a partition is a group of rows, or several small ones of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mercer.errors import DataError
from mercer.io.readers._arrow import need_arrow
from mercer.io.streams._arrow_batches import dataset, schema
from mercer.rows.partition import Partition
from mercer.tables.dataset import Dataset

SUFFIXES = (".parquet", ".pq")
FEW = 200_000  # rows: groups of a smaller file are one partition, as a task costs milliseconds


def pieces(part: Partition, options: Any) -> list[Partition]:
    """The partitions of a file, from its footer alone."""
    pa = need_arrow()
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(part.path) as file:
            about, columns = file.metadata, schema(file.schema_arrow)
            counts = [about.row_group(i).num_rows for i in range(about.num_row_groups)]
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{part.path} cannot be read: {' '.join(str(problem).split())}") from None
    if sum(counts) <= FEW:
        return [replace(part, rows=sum(counts), columns=columns)]
    found, first = [], 0
    for place, rows in enumerate(counts):
        found.append(replace(part, piece=place, first=first, rows=rows, columns=columns))
        first += rows
    return found


def batches(
    part: Partition, options: Any, columns: list[str] | None, size: int
) -> Iterator[Dataset]:
    """Read group after group; the file is held open, not its rows."""
    pa = need_arrow()
    import pyarrow.parquet as pq

    groups = None if part.piece < 0 else [part.piece]
    try:
        with pq.ParquetFile(part.path, pre_buffer=False) as file:
            for batch in file.iter_batches(size, groups, columns, use_threads=False):
                yield dataset(batch, "parquet")
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{part.words} cannot be read: {' '.join(str(problem).split())}") from None
