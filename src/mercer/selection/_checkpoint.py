"""Finished candidates on disk, one line each: an interrupted search loses nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mercer.selection._outcome import LATE, Outcome
from mercer.selection._space import Candidate

FORMAT = "mercer-search-1"


class Checkpoint:
    """A file of JSON lines: first what the search is about, then one line per candidate.

    Lines are written whole and flushed to the disk after every unit of work; a last line cut off
    by a crash is dropped when the file is read again.
    """

    def __init__(self, path: Path | None, known: dict[str, Outcome]) -> None:
        self.path = path
        self.known = known

    @classmethod
    def open(cls, path: Any, run: Any) -> Checkpoint:
        """Read what a former run finished, or start a new file."""
        if path is None:
            return cls(None, {})
        path = Path(path)
        mark = fingerprint(run)
        if not path.exists() or path.stat().st_size == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, "w", [{"format": FORMAT, "search": mark}])
            return cls(path, {})
        return cls(path, _read(path, mark))

    def get(self, key: str) -> Outcome | None:
        """The outcome of a candidate finished before."""
        return self.known.get(key)

    def add(self, unit: Sequence[Candidate], outcomes: Sequence[Outcome]) -> None:
        """Append finished candidates; those the clock cut off are not finished."""
        if self.path is None:
            return
        lines = [
            {"key": candidate.key, **outcome.to_dict()}
            for candidate, outcome in zip(unit, outcomes, strict=True)
            if outcome.status != LATE
        ]
        _write(self.path, "a", lines)


def _write(path: Path, how: str, lines: Sequence[Any]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with path.open(how, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path, mark: str) -> dict[str, Outcome]:
    lines = path.read_text(encoding="utf-8").split("\n")
    whole, rest = lines[:-1], lines[-1]
    try:
        head = json.loads(whole[0]) if whole else {}
        entries = [json.loads(line) for line in whole[1:]]
    except (json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise ValueError(
            f"checkpoint {path} is damaged ({problem}); delete it to start again"
        ) from problem
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ValueError(f"{path} is not a checkpoint of KernelSearch; choose another file name")
    if head.get("search") != mark:
        raise ValueError(
            f"checkpoint {path} belongs to another search (other data, estimator, folds or "
            "criterion); delete it or choose another file name"
        )
    if rest:  # a line that a crash cut off: remove it, so that the next one starts afresh
        path.write_text("".join(line + "\n" for line in whole), encoding="utf-8")
    return {entry.pop("key"): Outcome.from_dict(entry) for entry in entries}


def fingerprint(run: Any) -> str:
    """A hash of everything that an outcome depends on, apart from the candidate."""
    task = run.task
    digest = hashlib.sha256()
    for part in (_bytes(task.X), _bytes(task.y), _bytes(task.weight)):
        digest.update(part)
    for train, test in task.folds:
        digest.update(_bytes(train) + b"|" + _bytes(test))
    words = (repr(task.estimator), task.criterion.code, repr(task.scoring), repr(task.delta))
    digest.update("\n".join(words).encode())
    return digest.hexdigest()


def _bytes(values: Any) -> bytes:
    if values is None:
        return b"none"
    if sparse.issparse(values):
        csr = values.tocsr()
        return _bytes(csr.data) + _bytes(csr.indices) + _bytes(csr.indptr)
    array = np.asarray(values)
    if array.dtype == object:
        return repr(array.tolist()).encode()
    return f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()
