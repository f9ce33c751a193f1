"""Parquet, Arrow and Feather files."""

from __future__ import annotations

from typing import Any

from mercer import _config
from mercer.errors import DataError
from mercer.io.native import in_memory
from mercer.io.readers._arrow import need_arrow, take_columns, unique_names
from mercer.io.source import Source, too_large
from mercer.tables.dataset import Dataset

NAME = "parquet"
CELL = 16  # bytes that a value takes while it is read: once in Arrow's table, once in ours
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
    place = str(source.path) if plain else in_memory([source.read()])
    try:
        if parquet:
            about = pyarrow.parquet.read_metadata(place)
            _check_size(source.name, about.num_rows * about.num_columns)
            table = pyarrow.parquet.read_table(place)
        else:
            table = pyarrow.feather.read_table(place, memory_map=False)
        table.validate(full=True)  # offsets and codes are used as they stand: a wrong one crashes
        _check_size(source.name, table.num_rows * table.num_columns)
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{source.name} cannot be read: {' '.join(str(problem).split())}") from None
    notes: list[str] = []
    names = unique_names(list(table.column_names), notes)
    chunks = list(table.columns)
    del table
    columns = take_columns(chunks, names, ".", notes, dict(options.stored))
    return Dataset("table", "parquet" if parquet else "arrow", columns=columns, notes=notes)


def _check_size(name: str, values: int) -> None:
    """Refuse before a column is unpacked: a million equal values take a few bytes in a file."""
    allowed = _config.memory_limit()
    if CELL * values > allowed:
        raise too_large(name, CELL * values, allowed)
