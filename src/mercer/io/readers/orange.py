"""Tables of Orange: below the names a line of types, then a line of what columns are for."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.readers import delimited
from mercer.io.readers._arrow import unique_names
from mercer.io.readers._dialect import find_encoding, long_fields
from mercer.io.source import Source
from mercer.tables.dataset import NUMBER, TEXT, Column, Dataset
from mercer.tables.text_values import MISSING, text_column

NAME = "orange"
SUFFIXES = (".tab",)
GAPS = {*MISSING, "~", "*"}
NUMBERS = {"c", "continuous", "numeric", "n"}
LEVELS = {"d", "discrete", "categorical"}
_TYPES = {*NUMBERS, *LEVELS, "s", "string", "text", "t", "time", ""}
_FLAGS = {"class": "class", "c": "class", "meta": "meta", "m": "meta", "ignore": "ignore",
          "i": "ignore", "weight": "weight", "w": "weight"}  # fmt: skip
_LISTED = re.compile(r"^([^\s\\]|\\.)+( ([^\s\\]|\\.)+)+$")  # levels, blanks inside escaped


def sniff(head: bytes) -> bool:
    """Three lines: names, types, and what columns are for."""
    text = head.decode(find_encoding(head), errors="ignore")
    lines = [line.split("\t") for line in text.splitlines()[:3]]
    if len(lines) < 3 or len(lines[0]) != len(lines[1]) or len(lines[2]) > len(lines[0]):
        return False
    _, types, flags = lines
    known = sum(kind.strip().casefold() in _TYPES - {""} for kind in types)
    return (
        known > 0
        and all(kind.strip().casefold() in _TYPES or _LISTED.match(kind) for kind in types)
        and all(_is_flag(word) for cell in flags for word in _words(cell))
    )


def read(source: Source, options: Any) -> Dataset:
    """Columns of the types that the file states; other tables with this ending as any text."""
    if not sniff(source.head()):
        return delimited.read(source, options)
    raw = source.read()
    text = raw.decode(options.encoding or find_encoding(raw[: 1 << 18]), errors="replace")
    with long_fields():
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))
    names, types, flags = lines[:3]
    flags += [""] * (len(names) - len(flags))  # blanks at the end of a line are easily lost
    width, rows, dropped = len(names), [], []
    for number, fields in enumerate((line for line in lines[3:] if line), start=1):
        if len(fields) == width:
            rows.append(fields)
        else:
            dropped.append((number, f"{len(fields)} fields instead of {width}"))
    notes: list[str] = []
    stored, gaps = dict(options.stored), {*GAPS, *options.missing}
    columns, roles = [], {}
    for j, name in enumerate(unique_names(names, notes)):
        role = _role(flags[j])
        if role == "ignore":
            notes.append(f"the file says that column '{name}' is to be ignored: it was not read")
            continue
        roles[name] = role
        cells = np.empty(len(rows), dtype=object)
        cells[:] = [None if row[j].strip() in gaps else row[j].strip() for row in rows]
        kind = types[j].strip().casefold()
        columns.append(_column(name, kind, cells, stored.get(name, ""), notes))
    found = [name for name, role in roles.items() if role == "class"]
    beside = [name for name, role in roles.items() if role in ("meta", "weight")]
    if beside:
        shown = ", ".join(f"'{name}'" for name in beside[:5])
        notes.append(f"Orange would not learn from {shown}; leave them out with --ignore")
    return Dataset("table", "orange", columns=columns, dropped=dropped, notes=notes,
                   target=found[0] if len(found) == 1 else None)  # fmt: skip


def _words(cell: str) -> list[str]:
    return re.split(r"(?<!\\)\s+", cell.strip()) if cell.strip() else []


def _is_flag(word: str) -> bool:
    return word.lower() in _FLAGS or "=" in word


def _role(cell: str) -> str:
    return next((_FLAGS[w.lower()] for w in _words(cell) if w.lower() in _FLAGS), "")


def _column(name: str, kind: str, cells: Any, stored: str, notes: list[str]) -> Column:
    if kind in NUMBERS:
        try:
            values = np.array([np.nan if cell is None else float(cell) for cell in cells])
        except ValueError as problem:
            raise DataError(f"column '{name}' is said to be continuous, but {problem}.") from None
        return Column(name, NUMBER, values)
    if kind in LEVELS or " " in kind:
        return Column(name, TEXT, cells)
    return text_column(name, cells, ".", notes, stored)
