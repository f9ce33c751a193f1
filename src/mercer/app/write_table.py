"""Write columns as CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mercer.errors import UserError, WriteError
from mercer.io.atomic import write_bytes, write_text
from mercer.io.jsonable import jsonable

RISKY = ("=", "+", "-", "@", "\t", "\r")  # spreadsheets run cells that start so


def write_table(columns: dict[str, Any], path: Path | None) -> None:
    """To a file, by its ending, or to standard output as CSV."""
    kind = ".csv" if path is None else path.suffix.lower()
    plain = {name: jsonable(list(values)) for name, values in columns.items()}
    if kind in (".csv", ".tsv", ".txt"):
        text = _delimited(plain, "\t" if kind == ".tsv" else ",")
        if path is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            write_text(path, text)
        return
    assert path is not None
    if kind in (".jsonl", ".ndjson", ".json"):
        rows = (dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True))
        write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
    elif kind in (".parquet", ".pq"):
        import pyarrow as pa
        import pyarrow.parquet

        sink = io.BytesIO()
        pyarrow.parquet.write_table(pa.table(plain), sink)
        write_bytes(path, sink.getvalue())
    else:
        raise UserError(f"cannot write '{path}'.", "Use .csv, .tsv, .jsonl or .parquet.")


@contextmanager
def open_table(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A Parquet file that is written batch after batch, and is there only when it is whole."""
    import pyarrow as pa
    import pyarrow.parquet

    aside = path.with_name(f".{path.name}.part")
    writer: Any = None

    def write(columns: dict[str, Any]) -> None:
        nonlocal writer
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
        if writer is None:
            writer = pyarrow.parquet.ParquetWriter(aside, table.schema)
        writer.write_table(table)

    try:
        yield write
        if writer is not None:
            writer.close()
            aside.replace(path)
    except OSError as problem:
        raise WriteError(f"{path} could not be written: {problem.strerror or problem}.") from None
    finally:
        if writer is not None:
            writer.close()
        aside.unlink(missing_ok=True)


def _delimited(columns: dict[str, list[Any]], separator: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow([_safe(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_safe(cell) for cell in row])
    return out.getvalue()


def _safe(cell: Any) -> Any:
    """Labels come from data: a text that a spreadsheet would run gets a quote in front."""
    if isinstance(cell, str) and cell.startswith(RISKY) and not _number(cell):
        return "'" + cell
    return "" if cell is None else cell


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
