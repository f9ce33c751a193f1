"""Support vector regression's tube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, ResidualLoss, inside, positive


@dataclass(frozen=True)
class EpsilonInsensitive(ResidualLoss):
    """max(|f − y| − epsilon, 0); epsilon = 0 is the absolute error."""

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, zero=True)

    @property
    def lipschitz(self) -> float:
        """One."""
        return 1.0

    def _value(self, t: Floats) -> Floats:
        return np.maximum(np.abs(t) - self.epsilon, 0.0)

    def _slope(self, t: Floats) -> Floats:
        return np.where(np.abs(t) > self.epsilon, np.sign(t), 0.0)

    def _conjugate(self, s: Floats) -> Floats:
        return inside(s, -1.0, 1.0, self.epsilon * np.abs(s))

    @classmethod
    def examples(cls) -> Iterator[EpsilonInsensitive]:
        """A tube, and the absolute error."""
        yield cls(0.25)
        yield cls(0.0)
