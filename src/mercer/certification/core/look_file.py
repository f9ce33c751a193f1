"""A file of looks, shared by processes: one line each, appended under a lock.

It holds no names, values or times of day: marks of rows, salted for this file alone, and numbers.
Trouble with the file never makes a number of looks smaller: it is said instead.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mercer.certification.core.looks import Look, Seen, count

VERSION = 1
WAIT = 10.0  # seconds for another process to let go


class LookFile:
    """The looks in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, seen: Callable[[bytes], Seen | None], budget: float | None) -> Look:
        """Count a look; ``seen`` makes it from the salt of this file."""
        try:
            with self._locked() as file:
                salt, past = _read(file)
                look = seen(salt)
                assert look is not None, "rows that have marks have them with any salt"
                before = [p for p in past if p.same_rows(look)]
                found = count(before, look, budget)
                if all(p.key != look.key for p in before):
                    _append(file, _line(look, found))
            return found
        except (OSError, ValueError, KeyError, TypeError) as problem:
            if budget is not None:
                raise ValueError(
                    f"the ledger {self.path} cannot be used ({problem}), and a budget cannot be "
                    "shared without it"
                ) from problem
            return Look(1, 1.0, 1.0, trouble=f"the ledger cannot be used: {problem}")

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """The file, nobody else's until the end; a new one gets its salt."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "r+b") as file:
            _lock(file)
            if not file.read(1):
                _append(file, {"v": VERSION, "salt": os.urandom(16).hex()})
            file.seek(0)
            yield file  # closing it lets go


def _lock(file: BinaryIO) -> None:
    until = time.monotonic() + WAIT
    while True:
        try:
            _try_lock(file)
            return
        except OSError:
            if time.monotonic() > until:
                raise TimeoutError("another process holds it") from None
            time.sleep(0.02)


def _try_lock(file: BinaryIO) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _read(file: BinaryIO) -> tuple[bytes, list[Seen]]:
    head, *lines = [json.loads(line) for line in file.read().splitlines()]
    if head.get("v") != VERSION:
        raise ValueError("it is no ledger of looks of this version")
    return bytes.fromhex(head["salt"]), [_seen(line) for line in lines]


def _seen(line: dict[str, Any]) -> Seen:
    sketch = np.frombuffer(base64.b64decode(line["sketch"]), dtype="<u8").astype(np.uint64)
    return Seen(
        int(line["n"]), line["digest"], sketch, bool(line["continuous"]), line["key"],
        float(line["cost"]), frozenset(line.get("columns", ())),
    )  # fmt: skip


def _line(look: Seen, found: Look) -> dict[str, Any]:
    return {
        "v": VERSION,
        "day": datetime.now(UTC).date().isoformat(),
        "n": look.n,
        "digest": look.digest,
        "sketch": base64.b64encode(look.sketch.astype("<u8").tobytes()).decode(),
        "continuous": look.continuous,
        "columns": sorted(look.columns),
        "key": look.key,
        "k": found.k,
        "cost": found.cost,
    }


def _append(file: BinaryIO, line: dict[str, Any]) -> None:
    file.seek(0, os.SEEK_END)
    file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
