"""A progress line for long fits: how far the optimality gap has come, and how long it may take.

It goes to standard error, never to standard output. ``rich`` draws it if installed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

BAR_WIDTH = 24


def fraction_done(first_gap: float, gap: float, tol: float) -> float:
    """Share of the way from the first gap to the tolerance, on a logarithmic scale."""
    if gap <= tol:
        return 1.0
    tol = max(tol, 1e-12)  # a run that goes on until nothing changes
    if not first_gap > gap > 0:
        return 0.0
    return math.log(first_gap / gap) / math.log(first_gap / tol)


def seconds_left(done: float, seconds: float) -> float | None:
    """Linear extrapolation of the time still needed; None while there is nothing to go by."""
    return seconds * (1.0 - done) / done if 0.02 < done < 1.0 else None


class ProgressLine:
    """A context manager whose instances are called with the solver's progress.

    Parameters
    ----------
    title : str
        What is being fitted.
    tol : float
        The gap at which the solver stops.
    """

    def __init__(self, title: str, tol: float) -> None:
        self.title = title
        self.tol = tol
        self._first_gap = 0.0
        self._done = 0.0
        self._live: Any = None

    def __enter__(self) -> ProgressLine:
        try:
            from rich.console import Console
            from rich.live import Live
        except ImportError:
            return self
        self._live = Live("", console=Console(stderr=True), transient=False, refresh_per_second=4)
        self._live.__enter__()
        return self

    def __call__(self, progress: Mapping[str, Any]) -> None:
        """Draw the state the solver reports."""
        gap = float(progress.get("gap", math.inf))
        if math.isfinite(gap):
            self._first_gap = max(self._first_gap, gap)
            # A working-set gap goes up and down; a bar that runs backwards helps nobody.
            self._done = max(self._done, fraction_done(self._first_gap, gap, self.tol))
        self._show(self.text(progress))

    def text(self, progress: Mapping[str, Any]) -> str:
        """One line: bar, gap and tolerance, iterations, time spent and time left."""
        filled = round(self._done * BAR_WIDTH)
        seconds = float(progress.get("seconds", 0.0))
        left = seconds_left(self._done, seconds)
        estimate = "" if left is None else f", about {left:.0f} s left"
        return (
            f"{self.title} [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] "
            f"gap {progress.get('gap', math.nan):.2e} -> {self.tol:.0e}, "
            f"{progress.get('n_iter', 0):,} iterations, {seconds:.1f} s{estimate}"
        )

    def finish(self, gap: float, n_iter: int, seconds: float) -> None:
        """Draw the state at the end, also for fits too short to have reported anything."""
        self({"gap": gap, "n_iter": n_iter, "seconds": seconds})

    def _show(self, line: str) -> None:
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
        else:
            sys.stderr.write("\r" + line)
            sys.stderr.flush()

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.__exit__(*error)
        else:
            sys.stderr.write("\n")
