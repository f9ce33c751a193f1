"""What may be asked of a stream, what is refused, and the folder it works in."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mercer.app.options import FitOptions
from mercer.errors import UserError
from mercer.io.atomic import check_folder
from mercer.rows import Partition


@dataclass
class StreamOptions:
    """What may be asked of a stream beside the options of a fit."""

    cluster: Any = None
    work: str | None = None
    skip_bad: bool = False
    quiet: bool = False


def refuse(options: FitOptions) -> None:
    """What needs all rows in memory is refused before anything is read."""
    if options.order is not None or options.strings is not None:
        raise UserError("--order and --strings need all rows in memory.", "Give one smaller file.")
    if options.target is None:
        raise UserError("a stream of files needs --target NAME.")
    if options.error != "overall" or options.metric is not None:
        raise UserError(
            "--error and --metric need all rows in memory: a stream counts the error rate.",
            "Give one smaller file, or ask mercer certify with fresh rows.",
        )
    if options.certify not in ("auto", "holdout"):
        raise UserError(
            f"--certify {options.certify} trains again and again, so it is for data in memory.",
            "A stream keeps rows apart by their place and counts errors on them: --certify auto.",
        )


def refuse_made(parts: list[Partition], stream: StreamOptions) -> None:
    """Rows that are in no file cannot be told from others, so nothing of them may be used again."""
    if stream.work is not None and any(part.make is not None for part in parts):
        raise UserError(
            "work= keeps what was done for files, and these rows are in none.",
            "Write them to Parquet files, or leave work= out.",
        )


def named(data: Any) -> str:
    """What the rows are called in the record."""
    if isinstance(data, str | Path):
        return str(data)
    if isinstance(data, list | tuple) and all(isinstance(d, str | Path) for d in data):
        return " ".join(map(str, data))
    return "functions" if callable(data) or isinstance(data, list | tuple) else type(data).__name__


class WorkFolder:
    """The user's folder for what may be needed again, or one that goes at the end."""

    def __init__(self, stream: StreamOptions) -> None:
        self._given = stream.work
        self._own: Any = None

    def __enter__(self) -> str:
        if self._given is not None:
            return str(check_folder(Path(self._given)))
        self._own = tempfile.TemporaryDirectory(prefix="mercer-")
        return str(self._own.__enter__())

    def __exit__(self, *problem: Any) -> None:
        if self._own is not None:
            self._own.__exit__(*problem)
