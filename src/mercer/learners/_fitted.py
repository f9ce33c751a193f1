"""What a fit leaves: one frozen record, from which attributes, answers and evidence are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from mercer.bounds import Choice
from mercer.learners._door import Kind, TrainingSample


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """Facts about the rows; a family adds what it has learned from them in a subclass.

    The name of a subclass is what model files call it.
    """

    n: int
    kind: Kind
    dropped: int = 0
    kept: NDArray[Any] | None = None
    classes: Any = None

    def choices(self) -> tuple[Choice, ...]:
        """What was chosen by looking at the rows, besides the coefficients."""
        if not self.dropped:
            return ()
        return (Choice("the rows of weight zero", f"{self.dropped} rows left out"),)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and skops; the latter knows no enumerations."""
        return self.__dict__ | {"kind": self.kind.value}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"kind": Kind(state["kind"])})


def rows_of(sample: TrainingSample) -> dict[str, Any]:
    """The facts of a sample, as arguments of a record."""
    return {
        "n": sample.n,
        "kind": sample.kind,
        "dropped": sample.dropped,
        "kept": sample.kept,
    }
