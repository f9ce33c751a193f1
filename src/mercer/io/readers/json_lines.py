"""JSON lines: one object per line; also one list of objects."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.readers._dialect import find_encoding
from mercer.io.source import Source
from mercer.tables.dataset import BOOL, NUMBER, Column, Dataset
from mercer.tables.text_values import MISSING, text_column

NAME = "json"
SUFFIXES = (".jsonl", ".ndjson", ".json")


def sniff(head: bytes) -> bool:
    """It starts with an object, or with a list of objects."""
    start = head.lstrip()[:200].replace(b" ", b"")
    return start.startswith((b'{"', b'[{"'))


def read(source: Source, options: Any) -> Dataset:
    """Keys are columns; a key that a row does not have is a gap."""
    raw = source.read()
    encoding = options.encoding or find_encoding(raw[: 1 << 18])
    try:
        text = raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as problem:
        raise DataError(f"{source.name} is not text in {encoding}: {problem}") from None
    rows = _objects(text, source.name)
    names = list(dict.fromkeys(name for row in rows for name in row))
    notes: list[str] = []
    known = dict(options.stored)
    columns = [
        _column(name, [row.get(name) for row in rows], notes, known.get(name, "")) for name in names
    ]
    return Dataset("table", "json", columns=columns, notes=notes)


def _objects(text: str, name: str) -> list[dict[str, Any]]:
    try:
        if text.lstrip().startswith("["):
            found = json.loads(text)
            lines = list(range(1, len(found) + 1))
        else:
            kept = [(i, line) for i, line in enumerate(text.splitlines(), start=1) if line.strip()]
            lines, found = [i for i, _ in kept], []
            for place, line in kept:
                try:
                    found.append(json.loads(line))
                except json.JSONDecodeError as problem:
                    raise DataError(f"line {place} of {name} is not JSON: {problem}") from None
    except (json.JSONDecodeError, RecursionError) as problem:
        raise DataError(f"{name} is not JSON: {problem}") from None
    for place, row in zip(lines, found, strict=True):
        if not isinstance(row, dict):
            raise DataError(f"row {place} of {name} is not an object with named values.")
    return found


def _column(name: str, values: list[Any], notes: list[str], stored: str) -> Column:
    present = [v for v in values if v is not None]
    nested = next((v for v in present if isinstance(v, dict | list)), None)
    if nested is not None:
        raise DataError(
            f"column '{name}' holds {type(nested).__name__}s.", "Flatten or leave out this column."
        )
    if present and all(isinstance(v, bool) for v in present):
        return Column(name, BOOL, np.array([np.nan if v is None else float(v) for v in values]))
    if all(isinstance(v, int | float) for v in present):
        try:
            return Column(
                name, NUMBER, np.array([np.nan if v is None else v for v in values], float)
            )
        except OverflowError:
            raise DataError(f"column '{name}' has a number too large for a computer.") from None
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if v is None or str(v).strip() in MISSING else str(v) for v in values]
    return text_column(name, texts, ".", notes, stored)
