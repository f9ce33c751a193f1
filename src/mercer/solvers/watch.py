"""How long a search may take, and who is told about it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any


class Watch:
    """Asked once per step: whether the time is over.

    Parameters
    ----------
    seconds : float, optional
        From now on; None for no limit.
    show : callable, optional
        Called with ``gap``, ``n_iter`` and ``seconds`` at every step.
    """

    def __init__(
        self, seconds: float | None = None, show: Callable[[Mapping[str, Any]], None] | None = None
    ) -> None:
        self.began = time.perf_counter()
        self.seconds = math.inf if seconds is None else float(seconds)
        self.show = show

    @property
    def left(self) -> float:
        """Seconds that are left, at least a few microseconds."""
        return max(self.seconds - (time.perf_counter() - self.began), 1e-6)

    @property
    def spent(self) -> bool:
        """Whether the time is over, asked between steps."""
        return time.perf_counter() - self.began > self.seconds

    def over(self, n_iter: int, gap: float) -> bool:
        """Tell how far it is; True if the time is over."""
        spent = time.perf_counter() - self.began
        if self.show is not None:
            self.show({"gap": gap, "n_iter": n_iter, "seconds": spent})
        return spent > self.seconds
