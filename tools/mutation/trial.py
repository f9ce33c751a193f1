"""A pytest plugin that runs chosen tests in children, each with one changed function."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from tools.mutation.changes import Change

PATIENCE = 20.0  # seconds of the processor beyond what the tests take unchanged
LOST = "could not be exchanged"
DEADLOCK = 900.0  # seconds by the clock, on a busy machine


class Trial:
    """Takes the place of pytest's loop over the tests."""

    def __init__(
        self,
        chosen: Sequence[Change],
        files: dict[str, str],
        record: Path,
        before: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.chosen, self.files, self.record, self.before = chosen, files, record, before
        self.items: list[pytest.Item] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """First unchanged, then once for each change; the parent itself runs nothing."""
        self.items = session.items
        entered, failed = in_child(self._unchanged)[0] or ({}, ["all"])
        if failed:
            raise pytest.UsageError(f"these fail unchanged: {failed[:5]}")
        told = {_key(row): row for row in self.before}
        for k, change in enumerate(self.chosen):
            tests = sorted(entered.get(f"{change.path}::{change.function}", []), key=lambda t: t[1])
            came, by = self._try(change, tests) if tests else ("not entered", "")
            row = {"path": change.path, "line": change.line, "function": change.function}
            row |= {"before": change.before, "after": change.after, "came": came, "by": by}
            told[_key(row)] = row
            self.record.write_text(json.dumps(list(told.values()), indent=1) + "\n")
            print(f"{k + 1}/{len(self.chosen)} {came}: {change.told}", flush=True)
        return True

    def _try(self, change: Change, tests: list[tuple[int, float]]) -> tuple[str, str]:
        limit = 3.0 * sum(seconds for _, seconds in tests) + PATIENCE
        found, ended = in_child(lambda: self._changed(change, [k for k, _ in tests]), limit)
        if not ended:
            return "killed", "time"
        if found == LOST:
            return "not entered", LOST
        return ("killed", found) if found != "" else ("survived", "")

    def _changed(self, change: Change, tests: list[int]) -> str:
        """The first test that fails, or nothing."""
        if not exchange(change):
            return LOST
        for place, k in enumerate(tests):
            following = self.items[tests[place + 1]] if place + 1 < len(tests) else None
            if not passes(self.items[k], following):
                return self.items[k].nodeid
        return ""

    def _unchanged(self) -> tuple[dict[str, list[tuple[int, float]]], list[str]]:
        """Which tests enter which functions, with their seconds, and which fail already."""
        entered: dict[str, list[tuple[int, float]]] = {}
        failed = []
        for k, item in enumerate(self.items):
            seen: set[CodeType] = set()
            begun = time.process_time()
            sys.setprofile(partial(self._note, seen))
            good = passes(item, self.items[k + 1] if k + 1 < len(self.items) else None)
            sys.setprofile(None)
            seconds = time.process_time() - begun
            if not good:
                failed.append(item.nodeid)
            names = {
                f"{self.files[c.co_filename]}::{c.co_qualname.split('.<locals>')[0]}" for c in seen
            }
            for name in names:
                entered.setdefault(name, []).append((k, seconds))
        return entered, failed

    def _name(self, code: CodeType) -> str:
        return f"{self.files[code.co_filename]}::{code.co_qualname.split('.<locals>')[0]}"

    def _note(self, seen: set[CodeType], frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename in self.files:
            seen.add(frame.f_code)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["path"], row["line"], row["before"], row["after"]


def passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Whether a test passes, its setting up and its cleaning up too; skipped is passed."""
    before = item.session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return item.session.testsfailed == before


def exchange(change: Change) -> bool:
    """Give the function its changed body, wherever it has been handed to."""
    gc.unfreeze()  # what is frozen is not listed
    done = False
    filename = change.code.co_filename
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            code = thing.__code__
            if code.co_filename == filename and code.co_qualname == change.function:
                thing.__code__ = change.code
                done = True
    return done


def in_child(work: Callable[[], Any], limit: float | None = None) -> tuple[Any, bool]:
    """What ``work`` gives in a forked process, and whether it came to its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        try:
            answer = json.dumps(work()).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(answer)
        finally:
            os._exit(0)
    os.close(writing)
    raw, end = b"", time.monotonic() + (DEADLOCK if limit is not None else 1e9)
    while select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        raw += piece
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    os.waitpid(child, 0)
    return (json.loads(raw), True) if raw else (None, False)
