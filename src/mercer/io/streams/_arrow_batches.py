"""Batches of Arrow as data sets."""

from __future__ import annotations

from typing import Any

from mercer.io.readers._arrow import take_columns, unique_names
from mercer.tables.dataset import Dataset


def dataset(batch: Any, kind: str) -> Dataset:
    """One batch; text stays text."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    notes: list[str] = []
    names = unique_names(list(table.column_names), notes)
    columns = take_columns(list(table.columns), names, ".", notes, plain=True)
    return Dataset("table", kind, columns=columns, notes=notes)


def schema(found: Any) -> tuple[tuple[str, str], ...]:
    """Names and types."""
    names = unique_names(list(found.names), [])
    return tuple((name, str(field.type)) for name, field in zip(names, found, strict=True))
