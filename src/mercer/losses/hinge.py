"""The support vector machine's loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, MarginLoss, inside


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """max(1 − y·f, 0)."""

    calibrated = True

    @property
    def lipschitz(self) -> float:
        """One."""
        return 1.0

    def _value(self, t: Floats) -> Floats:
        return np.maximum(1.0 - t, 0.0)

    def _slope(self, t: Floats) -> Floats:
        return -(t < 1.0).astype(np.float64)

    def _conjugate(self, s: Floats) -> Floats:
        return inside(s, -1.0, 0.0, s)
