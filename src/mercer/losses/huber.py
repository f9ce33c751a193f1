"""Quadratic near zero, linear far out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, ResidualLoss, inside, positive


@dataclass(frozen=True)
class Huber(ResidualLoss):
    """½(f − y)² up to |f − y| = delta, then delta·|f − y| − ½delta²."""

    delta: float = 1.0

    smooth = True

    def __post_init__(self) -> None:
        positive("delta", self.delta)

    @property
    def lipschitz(self) -> float:
        """Delta."""
        return self.delta

    def _value(self, t: Floats) -> Floats:
        near = np.minimum(np.abs(t), self.delta)
        return near * (np.abs(t) - 0.5 * near)

    def _slope(self, t: Floats) -> Floats:
        return np.clip(t, -self.delta, self.delta)

    def _bend(self, t: Floats) -> Floats:
        return (np.abs(t) < self.delta).astype(np.float64)

    def _conjugate(self, s: Floats) -> Floats:
        return inside(s, -self.delta, self.delta, 0.5 * s**2)

    @classmethod
    def examples(cls) -> Iterator[Huber]:
        """A wide and a narrow one."""
        yield cls()
        yield cls(0.3)
