"""Files of Stata, SPSS and SAS; labels of values take the place of their codes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from mercer.io.readers._extra import from_cells, needs
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "statistics"
READERS = {
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
SUFFIXES = tuple(READERS)
_SIGNS = (
    (b"<stata_dta>", ".dta"), (b"$FL2", ".sav"), (b"$FL3", ".zsav"),
    (b"HEADER RECORD***", ".xpt"), (bytes(12) + b"\xc2\xea\x81\x60", ".sas7bdat"),
)  # fmt: skip


def sniff(head: bytes) -> bool:
    """Newer files of all three say what they are."""
    return any(head.startswith(sign) for sign, _ in _SIGNS)


def read(source: Source, options: Any) -> Dataset:
    """All columns; dates are dates, labelled codes are their labels."""
    package = needs("pyreadstat", "files of Stata, SPSS and SAS")
    head = source.head(16)
    suffix = next((end for sign, end in _SIGNS if head.startswith(sign)), source.suffix)
    reader = getattr(package, READERS.get(suffix, "read_dta"))
    wishes: dict[str, Any] = {"output_format": "dict"}
    if options.encoding:
        wishes["encoding"] = options.encoding
    if source.path is not None and not source.compression:
        columns, about = reader(str(source.path), **wishes)
    else:  # the package opens files by name only
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / f"data{suffix}"
            place.write_bytes(source.read())
            columns, about = reader(str(place), **wishes)
    notes: list[str] = []
    labels = getattr(about, "variable_value_labels", None) or {}
    cells = [_labelled(list(values), labels.get(name)) for name, values in columns.items()]
    return from_cells([str(name) for name in columns], cells, "statistics", notes, options)


def _labelled(values: list[Any], labels: dict[Any, str] | None) -> list[Any]:
    """Labels in place of codes, if every code that occurs has one: else the codes are numbers."""
    present = {value for value in values if value is not None and value == value}
    if not labels or not present <= set(labels):
        return values
    return [labels.get(value) for value in values]
