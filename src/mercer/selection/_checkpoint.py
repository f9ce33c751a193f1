"""Finished candidates on disk, one line each: an interrupted search loses nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mercer._versions import version
from mercer.selection._fingerprint import digest, identity
from mercer.selection._outcome import LATE, PRUNED, SKIPPED, Outcome
from mercer.selection.space import Candidate

KIND = "mercer-search-"
FORMAT = f"{KIND}4"  # 1 did not say by which criterion; 2 and 3 name arguments of former days


class Checkpoint:
    """A file of JSON lines: first what the search is about, then one line per candidate.

    Lines are written whole and flushed to the disk after every unit of work; a last line cut off
    by a crash is dropped when the file is read again. Candidates finished for another grid serve as
    well, but not those that were dropped there: what they were compared with may be missing here.
    """

    def __init__(self, path: Path | None, known: dict[str, Outcome], grid: str = "") -> None:
        self.path = path
        self.known = known
        self.grid = grid

    @classmethod
    def open(cls, path: Any, run: Any) -> Checkpoint:
        """Read what a former run finished, or start a new file."""
        if path is None:
            return cls(None, {})
        path = Path(path)
        head, grid = about(run), grid_of(run.search_)
        first = _line(head)
        if path.exists() and not first.startswith(path.read_bytes()):
            return cls(path, _read(path, head, grid), grid)
        path.parent.mkdir(parents=True, exist_ok=True)  # nothing there, or a first line cut off
        _write(path, "wb", first)
        return cls(path, {}, grid)

    def get(self, key: str) -> Outcome | None:
        """The outcome of a candidate finished before."""
        return self.known.get(key)

    def add(self, unit: Sequence[Candidate], outcomes: Sequence[Outcome]) -> None:
        """Append finished candidates; those the clock cut off are not finished."""
        if self.path is None:
            return
        lines = [
            _line({"key": candidate.key, "grid": self.grid, **outcome.to_dict()})
            for candidate, outcome in zip(unit, outcomes, strict=True)
            if outcome.status != LATE
        ]
        _write(self.path, "ab", b"".join(lines))


def about(run: Any) -> dict[str, str]:
    """Everything that an outcome depends on, apart from the candidate."""
    task = run.task
    return {
        "format": FORMAT,
        "mercer": version(),
        "criterion": identity(task.criterion.code),
        "scoring": identity(task.scoring),
        "delta": identity(task.delta),
        "estimator": digest(identity(task.estimator)),
        "data": digest(task.X, task.y, task.weight),
        "folds": digest(*(part for fold in task.folds for part in fold)),
    }


def grid_of(search: Any) -> str:
    """Which candidates are tried."""
    return digest(identity(search.kernels), identity(search.param_grid))[:12]


def _line(entry: Mapping[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


def _write(path: Path, how: str, text: bytes) -> None:
    with path.open(how) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path, head: Mapping[str, str], grid: str) -> dict[str, Outcome]:
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    lines = whole.splitlines()
    try:
        _check(path, json.loads(lines[0]) if lines else None, head)
        found = {}
        for line in lines[1:]:
            entry = json.loads(line)
            key, own = entry.pop("key"), entry.pop("grid") == grid
            outcome = Outcome.from_dict(entry)
            if own or outcome.status not in (PRUNED, SKIPPED):
                found[key] = outcome
    except (json.JSONDecodeError, UnicodeDecodeError, AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            f"checkpoint {path} is damaged ({error}); delete it to start again"
        ) from error
    if len(whole) < len(text):  # a line that a crash cut off: the next one starts afresh
        os.truncate(path, len(whole))
    return found


def _check(path: Path, there: Any, here: Mapping[str, str]) -> None:
    kind = there.get("format") if isinstance(there, dict) else None
    if not isinstance(kind, str) or not kind.startswith(KIND):
        raise ValueError(f"{path} is not a checkpoint of KernelSearch; choose another file name")
    if kind != FORMAT or there.get("mercer") != here["mercer"]:
        raise ValueError(
            f"checkpoint {path} was written by another version of Mercer "
            f"({there.get('mercer', 'an older one')}, this is {here['mercer']}), which may "
            "compute other values; delete it or choose another file name"
        )
    other = [name for name in here if there.get(name) != here[name]]
    if not other:
        return
    shown = ("criterion", "scoring", "delta")
    says = [f"{n} {there.get(n)} instead of {here[n]}" if n in shown else n for n in other]
    raise ValueError(
        f"checkpoint {path} belongs to another search: it differs in {', '.join(says)}; delete it "
        "or choose another file name"
    )
