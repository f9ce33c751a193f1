"""Arrow and Feather files: a partition is a file, mapped and not read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mercer.errors import DataError
from mercer.io.readers._arrow import need_arrow
from mercer.io.streams._arrow_batches import dataset, schema
from mercer.rows.partition import Partition
from mercer.tables.dataset import Dataset

SUFFIXES = (".arrow", ".feather", ".ipc")


def pieces(part: Partition, options: Any) -> list[Partition]:
    """One partition per file."""
    pa = need_arrow()
    try:
        with pa.memory_map(part.path) as file:
            columns = schema(pa.ipc.open_file(file).schema)
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{part.path} cannot be read: {' '.join(str(problem).split())}") from None
    return [replace(part, columns=columns)]


def batches(
    part: Partition, options: Any, columns: list[str] | None, size: int
) -> Iterator[Dataset]:
    """Batch after batch of the file, cut where they are large."""
    pa = need_arrow()
    try:
        with pa.memory_map(part.path) as file:
            reader = pa.ipc.open_file(file)
            for place in range(reader.num_record_batches):
                batch = reader.get_batch(place)
                batch = batch if columns is None else batch.select(columns)
                for start in range(0, batch.num_rows, size):
                    yield dataset(batch.slice(start, size), "arrow")
    except (pa.ArrowException, OSError) as problem:
        raise DataError(f"{part.words} cannot be read: {' '.join(str(problem).split())}") from None
