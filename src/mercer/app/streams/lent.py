"""Large things that tasks need: never sent along with each of them.

In this process they are there. A worker elsewhere gets the name of a file, reads it once, and keeps
what it read for the next task.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mercer.io.model_file import ModelFile, open_model, save

_lock = threading.Lock()
_last: dict[Any, ModelFile] = {}


def opened(path: str) -> ModelFile:
    """The model in a file, read once as long as the file stays what it is."""
    found = os.stat(path)
    key = (path, found.st_mtime_ns, found.st_size)
    with _lock:  # threads would each read it, and hold it as often
        if key not in _last:
            _last.clear()
            _last[key] = open_model(path)
        return _last[key]


def forget() -> None:
    """Hold no model any longer."""
    with _lock:
        _last.clear()


class Lent:
    """Models that tasks ask for; see `lend`."""

    def __init__(self, value: Any, path: Path) -> None:
        self._value, self._path = value, path

    def get(self) -> Any:
        """What was lent."""
        return opened(str(self._path)).model if self._value is None else self._value

    def __getstate__(self) -> dict[str, Any]:
        with _lock:
            if not self._path.exists():
                save(self._value, self._path)
        return {"_value": None, "_path": self._path}


@contextmanager
def lend(value: Any, folder: str) -> Iterator[Lent]:
    """For the tasks of the block; the file, if there had to be one, goes at its end."""
    path = Path(folder) / f"lent-{uuid.uuid4().hex}.mercer"
    try:
        yield Lent(value, path)
    finally:
        path.unlink(missing_ok=True)
        forget()
