"""Large text tables of numbers: parsed piece by piece into one block of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import _config
from mercer.io.native import in_memory, streamed
from mercer.io.readers._arrow import unique_names
from mercer.io.source import Source, too_large
from mercer.tables.dataset import NUMBER, Column

LARGE = 64 << 20  # bytes from which on a table is read piece by piece
HEAD = 4 << 20


def read_large(
    source: Source, options: Callable[..., dict[str, Any]], notes: list[str]
) -> list[Column] | None:
    """Columns of a large table of numbers, or None if it is small, or has other columns too.

    The types are read off the first rows; a later value that is no number ends this way of
    reading, and the table is read as a whole.
    """
    if source.size < LARGE:
        return None
    import pyarrow as pa
    from pyarrow import csv

    head = source.head(HEAD)
    first = csv.read_csv(in_memory([head[: head.rfind(b"\n") + 1]]), **options())
    kinds = [field.type for field in first.schema]
    if not all(pa.types.is_integer(k) or pa.types.is_floating(k) for k in kinds):
        return None
    names = list(first.schema.names)
    if len(set(names)) < len(names):
        return None
    types = dict.fromkeys(names, pa.float64())
    lines, allowed = _lines(source), _config.memory_limit()
    if 8 * lines * len(names) > allowed:
        raise too_large(source.name, 8 * lines * len(names), allowed)
    block = np.empty((lines, len(names)), order="F")
    filled = 0
    with streamed(source) as stream, csv.open_csv(stream, **options(types)) as reader:
        for batch in reader:
            stop = filled + batch.num_rows
            for j, column in enumerate(batch.columns):
                block[filled:stop, j] = column.to_numpy(zero_copy_only=False)
            filled = stop
    block = block[:filled]
    return [Column(n, NUMBER, block[:, j]) for j, n in enumerate(unique_names(names, notes))]


def _lines(source: Source) -> int:
    """Number of lines: an upper limit on the rows. Memory that is not written is not taken."""
    count = 1
    with source.open() as stream:
        while piece := stream.read(1 << 22):
            count += piece.count(b"\n")
    return count
