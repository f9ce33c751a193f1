"""What became of one candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mercer._storable import record

DONE, PRUNED, FAILED, LATE = "done", "pruned", "failed", "not reached"
SKIPPED = "skipped"


@record("search-outcome")
@dataclass(frozen=True)
class Outcome:
    """Value of the criterion (smaller is better), its parts, and how it was come by.

    ``status`` is "done", "pruned" (it could not win any more: ``value`` is what it would have at
    best), "failed" (``message`` says why), "not reached" (the time was up) or "skipped" (a smaller
    cost was too dear already; only where the costs were not given by the user).
    """

    value: float
    status: str = DONE
    score: float = math.nan  # greater is better: the scorer's mean, or minus the value
    spread: float = math.nan  # standard deviation over the folds
    folds: tuple[float, ...] = ()
    components: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    message: str = ""
    tie: float = 0.0  # of equal values the smaller wins: how far outputs are on the wrong side

    @property
    def usable(self) -> bool:
        """Whether the candidate can be selected."""
        return self.status == DONE and not math.isnan(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """The inverse of :meth:`to_dict`."""
        return cls(**{**data, "folds": tuple(data.get("folds", ()))})


def failed(error: BaseException, seconds: float = 0.0) -> Outcome:
    """The outcome of a candidate that raised an error."""
    return Outcome(math.nan, FAILED, seconds=seconds, message=f"{type(error).__name__}: {error}")


class EveryCandidateFailed(ValueError):
    """No candidate could be scored; the message lists each failure."""

    def __init__(self, failures: Mapping[str, str]) -> None:
        lines = [f"  {name}: {reason}" for name, reason in list(failures.items())[:20]]
        more = len(failures) - len(lines)
        if more > 0:
            lines.append(f"  and {more} more")
        super().__init__("every candidate failed:\n" + "\n".join(lines))
        self.failures = dict(failures)
