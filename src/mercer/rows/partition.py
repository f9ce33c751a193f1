"""A part of the rows that one task reads: a file, or a group of rows of one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mercer.errors import DataError


@dataclass(frozen=True)
class Partition:
    """Where some rows are. Files and their groups of rows decide, never who works on them.

    Attributes
    ----------
    name : str
        Of the file below the folder that all files share; part of what decides the role of a row.
    piece : int
        Which group of rows of the file, -1 for all of it.
    first : int
        Rows of the file that come before.
    rows : int or None
        How many there are, if the file says so.
    size, changed : int
        Bytes of the file, and when it was changed last (ns): others mean another file.
    columns : tuple of (name, type)
        The schema, as the format has it.
    make : function or None
        For rows that are in no file: makes the frames, whenever it is called.
    """

    name: str
    format: str
    path: str = ""
    piece: int = -1
    first: int = 0
    rows: int | None = None
    size: int = 0
    changed: int = 0
    columns: tuple[tuple[str, str], ...] = ()
    make: Callable[[], Iterable[Any]] | None = None

    @property
    def words(self) -> str:
        """For messages."""
        place = self.path or self.name
        return place if self.piece < 0 else f"{place}, row group {self.piece}"

    def check(self) -> None:
        """Refuse a file that is not the one that was looked at first."""
        if self.make is not None:
            return
        try:
            now = os.stat(self.path)
        except OSError as problem:
            raise DataError(f"{self.path} cannot be read any more: {problem.strerror}.") from None
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.path} was changed while it was being used.",
                "Start again: what was learned from it and what is in it now do not belong "
                "together.",
            )


def names_of(paths: list[Path]) -> list[str]:
    """Names below the deepest folder that all of them share, with / on every system."""
    whole = [path.resolve() for path in paths]
    top = Path(os.path.commonpath([path.parent for path in whole]))
    return [path.relative_to(top).as_posix() for path in whole]
