"""The quadratic soft margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, MarginLoss, inside


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """max(1 − y·f, 0)²."""

    smooth = True
    calibrated = True

    def _value(self, t: Floats) -> Floats:
        return np.maximum(1.0 - t, 0.0) ** 2

    def _slope(self, t: Floats) -> Floats:
        return -2.0 * np.maximum(1.0 - t, 0.0)

    def _bend(self, t: Floats) -> Floats:
        return np.where(t < 1.0, 2.0, 0.0)

    def _conjugate(self, s: Floats) -> Floats:
        return inside(s, -math.inf, 0.0, s + s**2 / 4.0)
