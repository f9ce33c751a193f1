"""The squared error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, ResidualLoss


@dataclass(frozen=True)
class Square(ResidualLoss):
    """(f − y)²; for labels −1 and +1 it is (1 − y·f)², which also punishes confident answers."""

    smooth = True
    calibrated = True

    def _value(self, t: Floats) -> Floats:
        return t**2

    def _slope(self, t: Floats) -> Floats:
        return 2.0 * t

    def _bend(self, t: Floats) -> Floats:
        return np.full_like(t, 2.0)

    def _conjugate(self, s: Floats) -> Floats:
        return s**2 / 4.0
