"""How far the search has come: a line, a bar in a notebook, or a call of the user's function."""

from __future__ import annotations

import sys
import time
from typing import Any

from mercer._notebook_bar import NotebookBar, in_notebook


class _Silent:
    def __enter__(self) -> Any:
        self.started = time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, run: Any) -> bool:
        """Report the state; True asks the search to stop."""
        return False

    def state(self, run: Any) -> dict[str, Any]:
        """The dict that functions receive."""
        best = run._best_or_none()
        return {
            "finished": len(run.outcomes),
            "candidates": len(run.order),
            "best_value": None if best is None else run.outcomes[best.key].value,
            "best_params": None if best is None else run.outer_params(best),
            "seconds": time.monotonic() - self.started,
        }


class _Call(_Silent):
    def __init__(self, function: Any) -> None:
        self.function = function

    def update(self, run: Any) -> bool:
        return bool(self.function(self.state(run)))


class _Line(_Silent):
    def update(self, run: Any) -> bool:
        state = self.state(run)
        best = state["best_value"]
        sys.stderr.write(
            f"\rKernelSearch: {state['finished']} of {state['candidates']} candidates, "
            f"best {run.task.criterion.code} {'-' if best is None else format(best, '.4g')}, "
            f"{state['seconds']:.1f} s "
        )
        sys.stderr.flush()
        return False

    def __exit__(self, *error: object) -> None:
        sys.stderr.write("\n")


class _Page(_Silent):
    """A bar in a notebook, which the end of the search takes away."""

    def __enter__(self) -> Any:
        self._bar = NotebookBar()
        return super().__enter__()

    def update(self, run: Any) -> bool:
        state = self.state(run)
        best = state["best_value"]
        value = "" if best is None else f", best {run.task.criterion.code} {best:.4g}"
        note = f"{state['finished']} of {state['candidates']} candidates{value}"
        self._bar.show(state["finished"] / max(1, state["candidates"]), "KernelSearch", note)
        return False

    def __exit__(self, *error: object) -> None:
        self._bar.close()


def reporter(progress: Any) -> Any:
    """What ``progress=`` means."""
    if progress is not False and not callable(progress) and in_notebook():
        return _Page()
    if progress is None or progress is False:
        return _Silent()
    if progress is True:
        return _Line()
    if callable(progress):
        return _Call(progress)
    raise TypeError(f"progress must be True, False, None or a function, got {progress!r}")
