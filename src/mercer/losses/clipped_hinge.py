"""The hinge cut off at one: what margin bounds count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, MarginLoss, positive


@dataclass(frozen=True)
class ClippedHinge(MarginLoss):
    """min(1, max(0, 1 − y·f/tau)), also called the ramp."""

    tau: float = 1.0

    convex = False
    calibrated = True

    def __post_init__(self) -> None:
        positive("tau", self.tau)

    @property
    def lipschitz(self) -> float:
        """One over tau."""
        return 1.0 / self.tau

    @property
    def upper(self) -> float:
        """One."""
        return 1.0

    def _value(self, t: Floats) -> Floats:
        return np.clip(1.0 - t / self.tau, 0.0, 1.0)

    def _slope(self, t: Floats) -> Floats:
        return np.where((t > 0) & (t < self.tau), -1.0 / self.tau, 0.0)

    @classmethod
    def examples(cls) -> Iterator[ClippedHinge]:
        """Two scales."""
        yield cls()
        yield cls(0.5)
