"""The loss whose minimiser has probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from mercer.losses._base import Floats, MarginLoss, inside, positive


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """ln(1 + exp(−rate·y·f)), divided by ln 2 if ``base_two``.

    P(y = +1) = 1/(1 + exp(−rate·f)) is the model behind it. The book's sigmoidal loss at noise β
    is rate = 2/β (Herbrich 2002, remark 3.13). With base two it lies above the zero-one loss.
    """

    rate: float = 1.0
    base_two: bool = False

    smooth = True
    calibrated = True

    def __post_init__(self) -> None:
        positive("rate", self.rate)

    @property
    def _scale(self) -> float:
        return 1.0 / math.log(2.0) if self.base_two else 1.0

    @property
    def lipschitz(self) -> float:
        """The rate, divided by ln 2 in base two."""
        return self.rate * self._scale

    def _value(self, t: Floats) -> Floats:
        return self._scale * np.logaddexp(0.0, -self.rate * t)

    def _slope(self, t: Floats) -> Floats:
        return -self._scale * self.rate * expit(-self.rate * t)

    def _bend(self, t: Floats) -> Floats:
        return self._scale * self.rate**2 * expit(self.rate * t) * expit(-self.rate * t)

    def _conjugate(self, s: Floats) -> Floats:
        share = -s / self.lipschitz
        clipped = np.clip(share, 0.0, 1.0)
        entropy = xlogy(clipped, clipped) + xlogy(1.0 - clipped, 1.0 - clipped)
        return inside(share, 0.0, 1.0, self._scale * entropy)

    @classmethod
    def examples(cls) -> Iterator[Logistic]:
        """Natural, base two, and a steep one."""
        yield cls()
        yield cls(base_two=True)
        yield cls(rate=4.0)
