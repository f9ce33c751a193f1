"""ARFF files of Weka: attributes with types, then rows, dense or sparse."""

from __future__ import annotations

import csv
import re
from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.readers._dialect import find_encoding, long_fields
from mercer.io.source import Source
from mercer.tables.dataset import NUMBER, TEXT, Column, Dataset
from mercer.tables.text_values import text_column

NAME = "arff"
SUFFIXES = (".arff",)
_ATTRIBUTE = re.compile(r"""^@attribute\s+('(?:[^'\\]|\\.)*'|"[^"]*"|\S+)\s+(.+)$""", re.IGNORECASE)


def sniff(head: bytes) -> bool:
    """A line starts with @relation or @attribute."""
    return bool(re.search(rb"^\s*@(relation|attribute)\b", head, re.IGNORECASE | re.MULTILINE))


def read(source: Source, options: Any) -> Dataset:
    """Nominal attributes are text, numeric ones numbers, ``?`` is a gap."""
    raw = source.read()
    text = raw.decode(options.encoding or find_encoding(raw[: 1 << 18]), errors="replace")
    attributes: list[tuple[str, str]] = []
    rows: list[list[str | None]] = []
    dropped: list[tuple[int, str]] = []
    in_data = False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            with long_fields():
                fields = _fields(line, attributes, number, source.name)
            if len(fields) != len(attributes):
                place = len(rows) + len(dropped) + 1
                dropped.append((place, f"{len(fields)} fields instead of {len(attributes)}"))
            else:
                rows.append(fields)
        elif line.lower().startswith("@data"):
            in_data = True
        elif line.lower().startswith("@attribute"):
            attributes.append(_attribute(line, number, source.name))
        elif not line.lower().startswith("@relation"):
            raise DataError(f"line {number} of {source.name} is not ARFF: {line[:60]!r}")
    if not attributes or not in_data:
        raise DataError(f"{source.name} has no {'@data' if attributes else '@attribute'} line.")
    if len(dropped) > 0.05 * (len(rows) + len(dropped)) and len(dropped) > 1:
        raise DataError(
            f"{len(dropped)} rows of {source.name} have the wrong number of fields; the first is "
            f"row {dropped[0][0]}: {dropped[0][1]}."
        )
    notes: list[str] = []
    columns = [
        _column(name, kind, [row[j] for row in rows], notes)
        for j, (name, kind) in enumerate(attributes)
    ]
    return Dataset("table", "arff", columns=columns, dropped=dropped, notes=notes)


def _attribute(line: str, number: int, name: str) -> tuple[str, str]:
    found = _ATTRIBUTE.match(line)
    if found is None:
        raise DataError(f"line {number} of {name}: an attribute needs a name and a type.")
    kind = found[2].strip()
    return found[1].strip("'\""), "nominal" if kind.startswith("{") else kind.split()[0].lower()


def _fields(
    line: str, attributes: list[tuple[str, str]], number: int, name: str
) -> list[str | None]:
    quote = "'" if "'" in line else '"'
    if not line.startswith("{"):
        found = next(csv.reader([line], quotechar=quote, skipinitialspace=True, escapechar="\\"))
        return [None if f.strip() == "?" else f.strip() for f in found]
    row: list[str | None] = ["0" if k in _NUMERIC else None for _, k in attributes]
    inside = line.strip("{} \t")
    for part in (
        next(csv.reader([inside], quotechar=quote, skipinitialspace=True)) if inside else ()
    ):
        place, _, value = part.strip().partition(" ")
        if not place.isdigit() or int(place) >= len(row):
            raise DataError(f"line {number} of {name}: {part!r} does not name an attribute.")
        row[int(place)] = None if value.strip() == "?" else value.strip(" '\"")
    return row


_NUMERIC = ("numeric", "real", "integer")


def _column(name: str, kind: str, values: list[str | None], notes: list[str]) -> Column:
    if kind in _NUMERIC:
        try:
            return Column(
                name, NUMBER, np.array([np.nan if v is None else float(v) for v in values])
            )
        except ValueError as problem:
            raise DataError(f"attribute '{name}' is numeric, but {problem}.") from None
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return Column(name, TEXT, texts) if kind == "nominal" else text_column(name, texts, ".", notes)
