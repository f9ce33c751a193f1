"""How far a stream is: rows of each pass, and when it is likely to end.

A terminal gets a bar, a notebook too; anything else a line now and then. What is counted are rows
where they are known, bytes where they are not. Batches tell in this process, finished partitions
wherever they are worked on.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mercer._notebook_bar import NotebookBar, in_notebook
from mercer.app.plan import clock
from mercer.io.streams import heard_by
from mercer.rows import Partition

LINE = 15.0  # seconds between two lines where there is no terminal
EARLY = 0.02  # share of a pass below which nobody can say when it ends


class Follow:
    """``say`` prints a line; ``a_pass`` follows one pass over the rows."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.rows = 0  # of all partitions, once they are known
        self._bar: Any = None
        self._job: Any = None
        self._page: NotebookBar | None = None
        self._lock = threading.Lock()
        self._words, self._total, self._finished = "", 1.0, 0.0
        self._inside: dict[Any, float] = {}
        self._known: dict[Any, int] = {}  # rows of partitions whose files do not say
        self._begun = self._said = time.monotonic()

    def __enter__(self) -> Follow:
        if self.quiet:
            return self
        if in_notebook():
            self._page = NotebookBar()
        elif sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns = (TextColumn("{task.description:24}"), BarColumn(28),
                       TextColumn("{task.percentage:3.0f} %  {task.fields[note]}"))  # fmt: skip
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.__enter__()
            self._job = self._bar.add_task("", total=1.0, note="")
        return self

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(*problem)
        if self._page is not None:
            self._page.close()

    def say(self, words: str) -> None:
        """A line that stays."""
        if self.quiet:
            return
        if self._bar is not None:
            self._bar.console.print(words, highlight=False, markup=False)
            return
        sys.stderr.write(words + "\n")
        sys.stderr.flush()

    def search(self, share: float, note: str) -> None:
        """How far the search on the pilot is."""
        self._words = "pilot"
        self._show(share, note)

    @contextmanager
    def a_pass(
        self, words: str, items: Sequence[Any], weight: Callable[[Any], float] | None = None
    ) -> Iterator[Callable[[Any], None]]:
        """Follow a pass over partitions, or over items with the weights given."""
        weigh = weight or self._weights(items)
        self._words, self._finished = words, 0.0
        self._total = sum(map(weigh, items)) or 1.0
        self._inside.clear()
        self._begun = time.monotonic()

        def done(item: Any) -> None:
            with self._lock:
                self._inside.pop(_place(item), None)
                self._finished += weigh(item)
            self._now()

        seen: dict[Any, int] = {}

        def heard(part: Partition, rows: int) -> None:
            place = _place(part)
            with self._lock:
                seen[place] = seen.get(place, 0) + rows
                whole = part.rows or self._known.get(place)
                if whole:
                    self._inside[place] = weigh(part) * min(1.0, seen[place] / whole)
            self._now()

        with heard_by(None if weight or self.quiet else heard):
            yield done
        self._known |= seen

    def _weights(self, parts: Sequence[Partition]) -> Callable[[Partition], float]:
        if all(part.rows is not None for part in parts):
            return lambda part: float(part.rows or 0)
        return lambda part: float(part.size or 1)

    def _now(self) -> None:
        share = min(1.0, (self._finished + sum(self._inside.values())) / self._total)
        note = f"{share * self.rows:,.0f} of {self.rows:,} rows" if self.rows else ""
        spent = time.monotonic() - self._begun
        if EARLY < share < 1.0:
            note += f", about {clock(spent * (1.0 - share) / share)} left"
        self._show(share, note.removeprefix(", "))

    def _show(self, share: float, note: str) -> None:
        if self.quiet:
            return
        if self._bar is not None:
            self._bar.update(self._job, completed=share, description=self._words, note=note)
        elif self._page is not None:
            self._page.show(share, self._words, note)
        else:
            now = time.monotonic()
            if now - max(self._said, self._begun) >= LINE:
                self._said = now
                self.say(f"{self._words}: {100 * share:.0f} %{', ' * bool(note)}{note}")


def _place(item: Any) -> Any:
    return (item.name, item.piece) if isinstance(item, Partition) else id(item)
