"""What a request asks for, as rows the model takes; everything else is an error with words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mercer.app.apply import schema_of
from mercer.app.reading import reader_options
from mercer.errors import DataError
from mercer.io.model_file import ModelFile
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.tables.dataset import Dataset
from mercer.tables.frames import column_of

HOLDERS = frozenset((dict, list))
READING: dict[str, Any] = {"missing": (), "format_": "delimited"}


class Asked(DataError):
    """A request that cannot be answered, with the status of HTTP that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def rows_of_json(body: bytes, stored: ModelFile, most: int) -> Dataset:
    """``{"rows": [{...}, ...]}``, a list of rows, or one row; sequences are strings."""
    try:
        document = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        raise Asked(400, f"the body is not JSON: {problem}.") from None
    rows = document.get("rows", [document]) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not rows:
        raise Asked(400, 'give {"rows": [...]} with at least one row.')
    if len(rows) > most:
        raise Asked(413, f"{len(rows):,} rows at once; at most {most:,} are answered.")
    if stored.about.get("prepare") == "objects":
        return _sequences(rows)
    return _table(rows, stored)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON; leave a gap as null")


def _sequences(rows: list[Any]) -> Dataset:
    if not all(isinstance(row, str) for row in rows):
        raise Asked(422, "this model takes strings.")
    things = np.empty(len(rows), dtype=object)
    things[:] = rows
    return Dataset("objects", "json", objects=things)


def _table(rows: list[Any], stored: ModelFile) -> Dataset:
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise Asked(422, f"row {place} is no object with the values of its columns.")
        if not HOLDERS.isdisjoint(map(type, row.values())):
            wrong = next(k for k, v in row.items() if type(v) in HOLDERS)
            raise Asked(422, f"row {place}: '{wrong}' holds no single value.")
    names = dict.fromkeys(name for row in rows for name in row)
    known = {column["name"]: _stored(column) for column in schema_of(stored.model)}
    made = []
    for name in names:
        cells = np.empty(len(rows), dtype=object)
        cells[:] = [row.get(name) for row in rows]
        made.append(column_of(name, cells, [], known.get(name, "")))
    return Dataset("table", "json", columns=made)


def _stored(column: dict[str, Any]) -> str:
    return column["kind"] + (f":{column['written']}" if column.get("written") else "")


def rows_of_csv(body: bytes, stored: ModelFile, most: int) -> Dataset:
    """A text table with a header, read as the command line reads files."""
    data = read(Source(None, body), reader_options(READING, stored.about))
    if data.n > most:
        raise Asked(413, f"{data.n:,} rows at once; at most {most:,} are answered.")
    return data
