"""What may still be asked of a model when its training is over and there is a time limit."""

from __future__ import annotations

import time
from dataclasses import dataclass

SHARE = 0.3  # of the time left, for one kind of questions: several follow, and the page


@dataclass
class Afterwards:
    """How many answers of the model fit into the time that is left.

    ``ends`` is when the run should end, on the monotonic clock; None if there is no limit.
    ``each`` are the seconds that one answer has taken so far.
    """

    ends: float | None = None
    each: float = 0.0

    @property
    def left(self) -> float:
        """Seconds."""
        return float("inf") if self.ends is None else self.ends - time.monotonic()

    def answers(self, most: int) -> int:
        """At most so many, fewer if time is short."""
        if self.ends is None:
            return most
        return int(min(most, max(0.0, SHARE * self.left) / max(self.each, 1e-9)))
