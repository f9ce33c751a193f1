"""A bar for the search, and the ear of the search for Ctrl-C."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from mercer._notebook_bar import NotebookBar, in_notebook
from mercer._stopping import Stopping

Watch = Callable[[float, str], None]  # share of the search, and a word on it
STAGES = ("trial fits for the split", "trial fits for the split", "search")


class Progress:
    """Called by the search; draws a bar if there is a terminal or a notebook.

    It tells the state of the run (`Stopping`) when something is found, and the machine that is
    being trained what a signal has asked for.
    """

    def __init__(
        self,
        quiet: bool = False,
        stages: int = 1,
        deadline: float | None = None,
        watch: Watch | None = None,
        state: Stopping | None = None,
    ) -> None:
        self._watch = watch
        self.deadline = deadline
        self.known: Any = None  # parameters of the best candidate so far
        self._state = state or Stopping()
        self.stages = max(1, stages)
        self.stage = 0
        self.tried = 0
        self._last = -1
        self._bar: Any = None
        self._job: Any = None
        self._page: NotebookBar | None = None
        self._started = time.monotonic()
        self._quiet = quiet

    def __deepcopy__(self, memo: Any) -> Progress:
        """Clones of the estimator share the one bar."""
        return self

    def __enter__(self) -> Progress:
        if not self._quiet and in_notebook():
            self._page = NotebookBar()
        elif not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description:24}"), BarColumn(28),
                       TextColumn("{task.percentage:3.0f} %  {task.fields[note]}"),
                       TimeRemainingColumn(compact=True))  # fmt: skip
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.__enter__()
            self._job = self._bar.add_task("search", total=1.0, note="")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(*error)
        if self._page is not None:
            self._page.close()

    def __call__(self, state: Mapping[str, Any]) -> bool:
        """Take the state of a search; true ends it."""
        finished, count = int(state["finished"]), max(1, int(state["candidates"]))
        if finished <= self._last:
            self.stage += 1
        self._last, self.tried = finished, finished
        if state.get("best_params") is not None:
            self.known = state["best_params"]
            self.found()
        if self._bar is not None or self._watch is not None or self._page is not None:
            share = (min(self.stage, self.stages - 1) + finished / count) / self.stages
            best = state.get("best_value")
            note = f"{finished} settings" + ("" if best is None else f", best {best:.3g}")
            names = STAGES[-self.stages :] if self.stages <= len(STAGES) else STAGES[-1:]
            title = names[min(self.stage, len(names) - 1)]
            if self._watch is not None:
                self._watch(share, f"{title}: {note}")
            if self._page is not None:
                self._page.show(share, title, note)
            if self._bar is not None:
                self._bar.update(self._job, completed=share, note=note, description=title)
        return self.stopped

    def time_left(self) -> float | None:
        """Seconds for searches and trainings; None if there is no limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    @property
    def stopped(self) -> bool:
        """Whether a signal has asked for the best so far."""
        return self._state.asked

    def found(self) -> None:
        """Something can be trained now: from here on a signal ends in a model."""
        self._state.found = True

    def promised(self) -> bool:
        """Whether a model was promised, and nobody has asked again."""
        return self._state.going_on

    def may_be_cut(self) -> AbstractContextManager[None]:
        """Work that a signal ends by KeyboardInterrupt."""
        return self._state.may_be_cut()

    def with_patience(self) -> AbstractContextManager[None]:
        """The last training, which ends by OutOfPatience."""
        return self._state.with_patience()
