"""Text tables, compressed or not: a partition is a file, as no place in it is known to be a start.

The types of all columns are those of the first rows; a later value that does not fit stops the
reading with its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from mercer.errors import DataError
from mercer.io.native import streamed
from mercer.io.readers._arrow import need_arrow
from mercer.io.readers.delimited import SUFFIXES, dialect_of, stream_options
from mercer.io.source import Source
from mercer.io.streams._arrow_batches import dataset, schema
from mercer.rows.partition import Partition
from mercer.tables.dataset import Dataset

__all__ = ["SUFFIXES", "batches", "pieces"]


def pieces(part: Partition, options: Any) -> list[Partition]:
    """One partition per file; the types are those of its first rows."""
    pa = need_arrow()
    try:
        with _reader(part, options, None) as reader:
            found = reader.schema
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{part.path} cannot be read: {' '.join(str(problem).split())}") from None
    return [replace(part, columns=schema(found))]


def batches(
    part: Partition, options: Any, columns: list[str] | None, size: int
) -> Iterator[Dataset]:
    """Block after block."""
    pa = need_arrow()
    types = {name: _type(pa, kind) for name, kind in part.columns if _type(pa, kind)}
    try:
        with _reader(part, options, types) as reader:
            for block in reader:
                block = block if columns is None else block.select(columns)
                for start in range(0, block.num_rows, size):
                    yield dataset(block.slice(start, size), "text table")
    except (pa.ArrowException, OSError) as problem:
        raise DataError(
            f"{part.words} cannot be read: {' '.join(str(problem).split())}",
            "In a stream a column is what its first rows are; --missing WORD makes words gaps.",
        ) from None


def _type(pa: Any, kind: str) -> Any:
    """Numbers may have fractions later, and what is empty at first may be any text."""
    if kind.startswith(("int", "uint", "float", "double")):
        return pa.float64()
    return pa.string() if kind in ("string", "null") else None


@contextmanager
def _reader(part: Partition, options: Any, types: Any) -> Iterator[Any]:
    from pyarrow import csv

    source = Source(Path(part.path))
    dialect = dialect_of(source, options)
    chosen = stream_options(source, dialect, types)
    with streamed(source, dialect.encoding) as stream, csv.open_csv(stream, **chosen) as reader:
        yield reader
