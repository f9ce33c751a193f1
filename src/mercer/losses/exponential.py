"""AdaBoost's loss."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from mercer.losses._base import Floats, MarginLoss, inside

LARGEST = 700.0  # exponents beyond this overflow; a loss of 1e304 is as good as any


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """exp(−y·f)."""

    smooth = True
    calibrated = True

    def _value(self, t: Floats) -> Floats:
        return np.exp(np.minimum(-t, LARGEST))

    def _slope(self, t: Floats) -> Floats:
        return -self._value(t)

    def _bend(self, t: Floats) -> Floats:
        return self._value(t)

    def _conjugate(self, s: Floats) -> Floats:
        v = np.maximum(-s, 0.0)
        return inside(s, -math.inf, 0.0, xlogy(v, v) - v)
