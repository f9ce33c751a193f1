"""A bar for the search, and what Ctrl-C does to it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

Watch = Callable[[float, str], None]  # share of the search, and a word on it
STAGES = ("trial fits for the split", "trial fits for the split", "search")


class Progress:
    """Called by the search; draws a bar on standard error if there is a terminal.

    The first Ctrl-C asks the search to end with the best so far; while the last model is trained
    it asks that training to hurry; the next one aborts.
    """

    def __init__(
        self,
        quiet: bool = False,
        stages: int = 1,
        deadline: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._watch = watch
        self.deadline = deadline
        self.stopped = False
        self.presses = 0
        self.stages = max(1, stages)
        self.stage = 0
        self.tried = 0
        self._last = -1
        self._training = False
        self._bar: Any = None
        self._job: Any = None
        self._started = time.monotonic()
        self._quiet = quiet
        self._before: Any = None

    def __deepcopy__(self, memo: Any) -> Progress:
        """Clones of the estimator share the one bar."""
        return self

    def __enter__(self) -> Progress:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description:24}"), BarColumn(28),
                       TextColumn("{task.percentage:3.0f} %  {task.fields[note]}"),
                       TimeRemainingColumn(compact=True))  # fmt: skip
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.__enter__()
            self._job = self._bar.add_task("search", total=1.0, note="")
        try:
            self._before = signal.signal(signal.SIGINT, self._pressed)
        except ValueError:  # not the main thread: somebody else minds the signals
            self._before = None
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._bar is not None:
            self._bar.__exit__(*error)

    def __call__(self, state: Mapping[str, Any]) -> bool:
        """Take the state of a search; true ends it."""
        finished, count = int(state["finished"]), max(1, int(state["candidates"]))
        if finished <= self._last:
            self.stage += 1
        self._last, self.tried = finished, finished
        self._training = finished >= count
        if self._bar is not None or self._watch is not None:
            share = (min(self.stage, self.stages - 1) + finished / count) / self.stages
            best = state.get("best_value")
            note = f"{finished} settings" + ("" if best is None else f", best {best:.3g}")
            names = STAGES[-self.stages :] if self.stages <= len(STAGES) else STAGES[-1:]
            title = names[min(self.stage, len(names) - 1)]
            if self._watch is not None:
                self._watch(share, f"{title}: {note}")
            if self._bar is not None:
                self._bar.update(self._job, completed=share, note=note, description=title)
        return self.stopped

    def time_left(self) -> float | None:
        """Seconds for searches and trainings; None if there is no limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def hurry(self) -> bool:
        """Asked after Ctrl-C in the last training: whether to go on with a short one."""
        return self.presses < 2

    def _pressed(self, number: int, frame: FrameType | None) -> None:
        self.presses += 1
        self.stopped = True
        if self.presses > 1:
            raise KeyboardInterrupt
        sys.stderr.write("\nstopping with the best so far; Ctrl-C again aborts without a model\n")
        sys.stderr.flush()
        if self._training:
            raise KeyboardInterrupt
