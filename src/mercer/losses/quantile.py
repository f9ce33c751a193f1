"""The pinball loss, whose minimiser is a conditional quantile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, ResidualLoss, inside


@dataclass(frozen=True)
class Quantile(ResidualLoss):
    """level·(y − f) for targets above the output, (1 − level)·(f − y) for those below."""

    level: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"level must lie strictly between 0 and 1, got {self.level!r}")

    @property
    def lipschitz(self) -> float:
        """The larger slope."""
        return max(self.level, 1.0 - self.level)

    def _value(self, t: Floats) -> Floats:
        return np.maximum(-self.level * t, (1.0 - self.level) * t)

    def _slope(self, t: Floats) -> Floats:
        return np.where(t > 0, 1.0 - self.level, -self.level)

    def _conjugate(self, s: Floats) -> Floats:
        return inside(s, -self.level, 1.0 - self.level, np.zeros_like(s))

    @classmethod
    def examples(cls) -> Iterator[Quantile]:
        """The median and a high quantile."""
        yield cls()
        yield cls(0.9)
