"""Workbooks: .xlsx, .xlsm, .xlsb, .xls, .ods; one sheet, or all sheets of the same columns."""

from __future__ import annotations

import io
from typing import Any

from mercer.errors import DataError
from mercer.io.readers._dialect import has_header
from mercer.io.readers._extra import from_cells, needs
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "excel"
SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
ALL = "all"
MANY_ROWS = 200  # looked at for the header


def sniff(head: bytes) -> bool:
    """A zip file with a workbook in it, or a compound file of old."""
    book = b"xl/workbook" in head or b"opendocument.spreadsheet" in head[:200]
    return (head[:2] == b"PK" and book) or head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read(source: Source, options: Any) -> Dataset:
    """The first sheet that has rows, the one asked for, or all that have the same columns."""
    calamine = needs("python_calamine", "workbooks")
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(source.read()))
    except Exception as problem:  # the package has many kinds of errors
        raise DataError(f"{source.name} is no workbook that can be read: {problem}") from None
    names = list(book.sheet_names)
    sheets = {name: _rows(book.get_sheet_by_name(name).to_python()) for name in names}
    filled = [name for name in names if sheets[name]]
    if not filled:
        raise DataError(f"{source.name} has no sheet with rows.")
    notes: list[str] = []
    chosen = _chosen(options.sheet, names, filled)
    if len(filled) > 1 and options.sheet is None:
        others = ", ".join(f"'{name}'" for name in filled[1:])
        notes.append(
            f"the sheet '{filled[0]}' was read; there are also {others} (--sheet NAME, or --sheet "
            f"{ALL} for all that have the same columns)"
        )
    return _table(source, [(name, sheets[name]) for name in chosen], notes, options)


def _chosen(wish: str | None, names: list[str], filled: list[str]) -> list[str]:
    if wish is None:
        return filled[:1]
    if wish == ALL:
        return filled
    if wish in names:
        return [wish]
    if wish.isdigit() and 1 <= int(wish) <= len(names):
        return [names[int(wish) - 1]]
    raise DataError(f"there is no sheet '{wish}'.", f"The sheets are: {', '.join(names)}.")


def _rows(cells: list[list[Any]]) -> list[list[Any]]:
    """Rows that hold something, from the first that is as wide as the table: titles stand above."""
    rows = [row for row in cells if any(cell not in ("", None) for cell in row)]
    if not rows:
        return []
    width = max(sum(cell not in ("", None) for cell in row) for row in rows[:MANY_ROWS])
    start = next(
        i for i, row in enumerate(rows) if sum(cell not in ("", None) for cell in row) >= width / 2
    )
    return rows[start:]


def _table(
    source: Source, sheets: list[tuple[str, list[list[Any]]]], notes: list[str], options: Any
) -> Dataset:
    first = sheets[0][1]
    shown = [["" if cell is None else str(cell) for cell in row] for row in first[:MANY_ROWS]]
    header = options.header if options.header is not None else has_header(shown)
    width = max(len(row) for row in first)
    names = [str(cell) for cell in first[0]] if header else []
    names += [f"column {j + 1}" for j in range(len(names), width)]
    body = list(first[1:] if header else first)
    for name, rows in sheets[1:]:
        if header and [str(cell) for cell in rows[0]] != names:
            raise DataError(
                f"the sheets '{sheets[0][0]}' and '{name}' have other columns.",
                "Name one with --sheet.",
            )
        body += rows[1:] if header else rows
    columns = [[row[j] if j < len(row) else None for row in body] for j in range(width)]
    empty = [
        j for j in range(width) if not names[j].strip() and all(c in ("", None) for c in columns[j])
    ]
    kept = [j for j in range(width) if j not in empty]
    data = from_cells(
        [names[j] for j in kept], [columns[j] for j in kept], "workbook", notes, options
    )
    data.dialect = {"sheet": ", ".join(name for name, _ in sheets), "header": header}
    return data
