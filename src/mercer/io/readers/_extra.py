"""Packages that only some formats need."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from mercer.errors import DataError
from mercer.io.readers._arrow import unique_names
from mercer.tables.dataset import Dataset
from mercer.tables.frames import column_of


def needs(module: str, what: str) -> Any:
    """A module of the extra ``formats``, or an error that names it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise DataError(
            f"reading {what} needs {module.replace('_', '-')}.",
            "Install mercer[formats], or save the table as CSV.",
        ) from None


def from_cells(
    names: list[str], columns: list[list[Any]], kind: str, notes: list[str], options: Any
) -> Dataset:
    """Columns of Python values as the table they are, read as a frame would be."""
    known = dict(options.stored)
    made = []
    for name, values in zip(unique_names(names, notes), columns, strict=True):
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        for word in options.missing:
            cells[cells == word] = None
        made.append(column_of(name, cells, notes, known.get(name, "")))
    return Dataset("table", kind, columns=made, notes=notes)
