"""Parquet, Arrow and Feather files."""

from __future__ import annotations

import io
from typing import Any

from mercer.errors import DataError
from mercer.io.readers._arrow import need_arrow, take_columns, unique_names
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "parquet"
SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")


def sniff(head: bytes) -> bool:
    """Parquet and Arrow files say so in their first bytes."""
    return head[:4] == b"PAR1" or head[:6] == b"ARROW1"


def read(source: Source, options: Any) -> Dataset:
    """Read all columns; types are the file's own."""
    pa = need_arrow()
    import pyarrow.feather
    import pyarrow.parquet

    parquet = source.head(4) == b"PAR1"
    plain = source.path is not None and not source.compression
    place = str(source.path) if plain else io.BytesIO(source.read())
    try:
        if parquet:
            table = pyarrow.parquet.read_table(place)
        else:
            table = pyarrow.feather.read_table(place, memory_map=False)
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{source.name} cannot be read: {' '.join(str(problem).split())}") from None
    notes: list[str] = []
    names = unique_names(list(table.column_names), notes)
    chunks = list(table.columns)
    del table
    columns = take_columns(chunks, names, ".", notes)
    return Dataset("table", "parquet" if parquet else "arrow", columns=columns, notes=notes)
