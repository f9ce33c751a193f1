"""A bar in a notebook: one line of HTML that is drawn again, nothing to install."""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any

SHORTEST = 0.2  # seconds between two drawings


def in_notebook() -> bool:
    """Whether this process answers a notebook; nothing is imported to find out."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


class NotebookBar:
    """Drawn by ``show``; ``close`` takes it away."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._drawn = 0.0

    def show(self, share: float, title: str, note: str) -> None:
        """Share of the work, what it is, and a word on it."""
        now = time.monotonic()
        if self._handle is not None and now - self._drawn < SHORTEST:
            return
        self._drawn = now
        self._draw(
            f'<progress max="1" value="{min(max(share, 0.0), 1.0):.3f}"></progress> '
            f"{escape(title)}: {100 * share:.0f} %, {escape(note)}"
        )

    def close(self) -> None:
        """Leave nothing behind."""
        if self._handle is not None:
            self._draw("")

    def _draw(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(html), display_id=True)
        else:
            self._handle.update(HTML(html))
