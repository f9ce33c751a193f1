"""Files of rows, read in batches: one format per file here, each with ``pieces`` and ``batches``.

A stream keeps text as text: what a column is must not depend on which batch is looked at, so
numbers with thousands signs and local dates are left as they are written.
"""

from __future__ import annotations

import glob
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from mercer.errors import DataError
from mercer.io.readers import Options
from mercer.io.source import Source
from mercer.rows.partition import Partition, names_of
from mercer.tables.dataset import Dataset

BATCH = 16_384  # rows that are held at a time
Ear = Callable[[Partition, int], None] | None
_ear: ContextVar[Ear] = ContextVar("ear", default=None)


def formats() -> dict[str, ModuleType]:
    """Every format that can be streamed, by name."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_"]
    return {name: importlib.import_module(f"{__name__}.{name}") for name in sorted(names)}


def files_meant(patterns: Iterable[str | Path]) -> list[Path]:
    """Files by names, patterns such as ``big/*.parquet``, or folders, sorted and each once."""
    endings = {ending for kind in formats().values() for ending in kind.SUFFIXES}
    found: dict[Path, None] = {}
    for pattern in map(str, patterns):
        path = Path(pattern)
        if path.is_dir():
            inside = [
                p for p in path.rglob("*") if p.is_file() and not p.name.startswith((".", "_"))
            ]
            matched = [p for p in inside if Source(p).suffix in endings]
        else:
            matched = [path] if path.exists() else [Path(p) for p in glob.glob(pattern)]
        if not matched:
            raise DataError(f"there are no files {pattern}.", "Check the pattern and the folder.")
        found |= dict.fromkeys(sorted(matched))
    return list(found)


def partitions_of(
    patterns: Iterable[str | Path], options: Options | None = None
) -> tuple[list[Partition], list[tuple[str, str]]]:
    """The partitions of all files, and the files that cannot be read with the reason."""
    options = options or Options()
    paths = files_meant(patterns)
    found: list[Partition] = []
    bad: list[tuple[str, str]] = []
    for path, name in zip(paths, names_of(paths), strict=True):
        try:
            stamp = path.stat()
            about = Partition(
                name, _format(path), str(path), size=stamp.st_size, changed=stamp.st_mtime_ns
            )
            if not stamp.st_size:
                raise DataError(f"{path} is empty.")
            found += formats()[about.format].pieces(about, options)
        except (DataError, OSError) as problem:
            bad.append((str(path), str(problem)))
    same: list[Partition] = []
    for part in found:
        try:
            same.append(_like(found[0], part))
        except DataError as problem:
            bad.append((part.path, str(problem)))
    return same, list(dict.fromkeys(bad))


def _format(path: Path) -> str:
    ending = Source(path).suffix
    for name, kind in formats().items():
        if ending in kind.SUFFIXES:
            return name
    known = sorted(e for kind in formats().values() for e in kind.SUFFIXES)
    raise DataError(f"{path} is of no format that can be streamed.", f"There are {known}.")


def _like(first: Partition, part: Partition) -> Partition:
    """The partition, if its columns are those of the first; the first's types hold for text."""
    here, there = [name for name, _ in part.columns], [name for name, _ in first.columns]
    if sorted(here) != sorted(there):
        missing = sorted(set(there) - set(here))
        more = sorted(set(here) - set(there))
        told = "; ".join(
            f"{words} {', '.join(names[:5])}"
            for words, names in (("it lacks", missing), ("it also has", more))
            if names
        )
        raise DataError(f"{part.path} has other columns than {first.path}: {told}.")
    return part


def batches(
    part: Partition,
    options: Options | None = None,
    columns: Iterable[str] | None = None,
    size: int | None = None,
) -> Iterator[Dataset]:
    """Rows of a partition with their numbers in the file, a batch (of ``size`` rows) at a time.

    Raises
    ------
    DataError
        If the file was changed since it was first looked at, or cannot be read to its end.
    """
    part.check()
    wanted = None if columns is None else list(columns)
    seen = part.first
    if part.make is not None:
        from mercer.io.streams._made import made

        source: Iterable[Dataset] = made(part, wanted)
    else:
        source = formats()[part.format].batches(part, options or Options(), wanted, size or BATCH)
    for data in source:
        yield replace(data, rows=_numbers(seen, data.n))
        seen += data.n
        if (ear := _ear.get()) is not None:
            ear(part, data.n)
    part.check()
    if part.rows is not None and seen - part.first != part.rows:
        raise DataError(f"{part.words} ended after {seen - part.first} of {part.rows} rows.")


@contextmanager
def heard_by(ear: Ear) -> Iterator[None]:
    """In the block, ``ear`` is told the rows of each batch that this process has worked on."""
    token = _ear.set(ear)
    try:
        yield
    finally:
        _ear.reset(token)


def parts_of(
    data: Any, options: Options | None = None
) -> tuple[list[Partition], list[tuple[str, str]]]:
    """The partitions of files, of a Dask collection, or of functions that make frames."""
    if isinstance(data, str | Path):
        return partitions_of([data], options)
    if isinstance(data, list | tuple) and data and all(isinstance(d, str | Path) for d in data):
        return partitions_of(data, options)
    from mercer.io.streams._made import made_partitions

    return made_partitions(data), []


def is_many(data: Any) -> bool:
    """Whether the rows come in partitions: a pattern, a folder, several paths, Dask, functions."""
    from mercer.io.source import is_pattern

    if isinstance(data, str | Path):
        return is_pattern(str(data))
    if isinstance(data, list | tuple) and data:
        return all(isinstance(d, Path) for d in data) or all(callable(d) for d in data)
    return callable(data) or hasattr(data, "to_delayed")


def _numbers(before: int, n: int) -> Any:
    import numpy as np

    return np.arange(before + 1, before + n + 1)
