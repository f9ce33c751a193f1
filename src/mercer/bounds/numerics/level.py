"""A failure probability that keeps its logarithm.

Sums over many strata ask for δ far below the smallest double. ``Level`` is a float wherever δ is
one, and multiplying or dividing it keeps the logarithm, which every tail here reads.
"""

from __future__ import annotations

import math
from typing import Any

_SMALLEST = 1e-300  # below this, the number as a float has lost digits or is zero


class Level(float):
    """δ as a float (0.0 if it underflows) together with ``log``, ln δ."""

    log: float

    def __new__(cls, value: float, log: float | None = None) -> Level:
        """Keep the logarithm beside the value."""
        self = super().__new__(cls, value)
        self.log = math.log(value) if log is None else log
        return self

    @classmethod
    def from_log(cls, log: float) -> Level:
        """The level e^log."""
        return cls(math.exp(log), log)

    @property
    def tiny(self) -> bool:
        """Whether only the logarithm can be trusted."""
        return float(self) < _SMALLEST

    def __mul__(self, factor: Any) -> Any:
        return self._scaled(factor, float.__mul__(self, factor), 1.0)

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> Any:
        return self._scaled(factor, float.__truediv__(self, factor), -1.0)

    def _scaled(self, factor: Any, value: Any, sign: float) -> Any:
        if value is NotImplemented or not factor > 0:
            return value
        return Level(value, self.log + sign * math.log(factor))

    def __reduce__(self) -> tuple[Any, ...]:
        return Level, (float(self), self.log)

    def __str__(self) -> str:
        """``0.05``, or ``1e-10000`` where a float ends."""
        if not self.tiny:
            return f"{float(self):.3g}"
        power = math.floor(self.log / math.log(10.0))
        lead = math.exp(self.log - power * math.log(10.0))
        return f"{lead:.3g}e{power}" if round(lead, 2) < 10 else f"1e{power + 1}"

    __repr__ = __str__

    def to_json(self) -> float | dict[str, float]:
        """A number, or its logarithm where the number would be zero."""
        return {"log": self.log} if self.tiny else float(self)


def read_level(stored: Any) -> Level | None:
    """The inverse of :meth:`Level.to_json`."""
    if stored is None or isinstance(stored, Level):
        return stored
    if isinstance(stored, dict):
        return Level.from_log(float(stored["log"]))
    return Level(float(stored))
