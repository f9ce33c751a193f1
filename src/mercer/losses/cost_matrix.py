"""Errors of the two classes at different prices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.losses._base import Floats, Loss, positive


@dataclass(frozen=True)
class CostMatrix(Loss):
    """``missed`` if y = +1 and f < 0, ``alarm`` if y = −1 and f > 0, else nothing.

    With missed = P(y = −1) and alarm = P(y = +1) both constant classifiers cost the same.
    Reference: Herbrich 2002, exercise 2.7.
    """

    missed: float = 1.0
    alarm: float = 1.0

    convex = False

    def __post_init__(self) -> None:
        positive("missed", self.missed, zero=True)
        positive("alarm", self.alarm, zero=True)

    @property
    def upper(self) -> float:
        """The larger price."""
        return max(self.missed, self.alarm)

    def _variable(self, f: Floats, y: Floats) -> tuple[Floats, Any]:
        wrong = np.where(f * y < 0, y, 0.0)  # the sign says which class was got wrong
        return wrong, 0.0

    def _value(self, t: Floats) -> Floats:
        return np.where(t > 0, self.missed, np.where(t < 0, self.alarm, 0.0))

    def _slope(self, t: Floats) -> Floats:
        return np.zeros_like(t)

    def _conjugate_in_f(self, u: Floats, y: Floats) -> Floats:
        return self._conjugate(u)

    @classmethod
    def examples(cls) -> Iterator[CostMatrix]:
        """The book's rare class."""
        yield cls(0.9, 0.1)
