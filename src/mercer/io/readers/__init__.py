"""Readers, one format per file: a new format is a new file here.

A reader's file defines ``NAME``, ``SUFFIXES`` (endings such as ``".csv"``), ``sniff(head) -> bool``
for data without a telling name, and ``read(source, options) -> Dataset``.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mercer.errors import DataError, LimitError, UserError
from mercer.io.readers._foreign import refuse_foreign
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

LAST = "delimited"  # text that nothing else claims


@dataclass(frozen=True)
class Options:
    """What the user may say about a file; None leaves it to the reader to find out."""

    format: str | None = None
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None
    precomputed: str | None = None  # "kernel" or "distance"
    key: str | None = None  # which array of a .npz
    sheet: str | None = None  # of a workbook, by name or number, or "all"
    query: str | None = None  # of a database
    missing: tuple[str, ...] = ()  # further words of a text table for "no value"
    stored: tuple[tuple[str, str], ...] = ()  # columns that a model knows, and as what


def available() -> dict[str, ModuleType]:
    """Every reader by name; the one that takes anything is last."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            module = importlib.import_module(f"{__name__}.{info.name}")
            found[str(module.NAME)] = module
    return dict(sorted(found.items(), key=lambda item: (item[0] == LAST, item[0])))


def read(path: str | Path | Source, options: Options | None = None, **changes: Any) -> Dataset:
    """Read a file, or standard input for ``-``, in whatever format it is.

    Parameters
    ----------
    path : str, Path or Source
        What to read.
    options : Options, optional
        What is known about it; keyword arguments are the same fields.
    """
    options = options or Options(**changes)
    source = path if isinstance(path, Source) else Source.of(path)
    if source.size == 0:
        raise DataError(f"{source.name} is empty.")
    reader = _choose(source, options)
    data = _guarded(reader, source, options)
    if data.n == 0:
        listed = f" ({len(data.dropped)} rows could not be used)" if data.dropped else ""
        raise DataError(f"{source.name} has no rows of data{listed}.")
    return data


def _guarded(reader: ModuleType, source: Source, options: Options) -> Dataset:
    """The reader's answer. Whatever a damaged file makes a parser raise is one kind of error."""
    try:
        data: Dataset = reader.read(source, options)
    except UserError:
        raise
    except MemoryError as problem:
        raise LimitError(
            f"there is not enough memory to read {source.name}.", "Read a part of the file."
        ) from problem
    except Exception as problem:
        words = " ".join(str(problem).split())[:300] or type(problem).__name__
        raise DataError(
            f"{source.name} cannot be read as {reader.NAME}: {words}",
            "Is it whole? Another format is named with --format.",
        ) from problem
    return data


def _choose(source: Source, options: Options) -> ModuleType:
    readers = available()
    if options.format is not None:
        if options.format not in readers:
            raise DataError(
                f"there is no format '{options.format}'.", f"There are {', '.join(readers)}."
            )
        return readers[options.format]
    for reader in readers.values():
        if source.suffix in reader.SUFFIXES:
            return reader
    head = source.head()
    named = [reader for name, reader in readers.items() if name != LAST]
    found = next((reader for reader in named if reader.sniff(head)), None)
    if found is None:
        refuse_foreign(source, head)
    return found or readers[LAST]
