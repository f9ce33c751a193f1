"""The loss that counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, MarginLoss


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """1 if y·f ≤ 0, else 0: an output of zero is an error."""

    convex = False
    calibrated = True

    @property
    def upper(self) -> float:
        """One."""
        return 1.0

    def _value(self, t: Floats) -> Floats:
        return (t <= 0).astype(np.float64)

    def _slope(self, t: Floats) -> Floats:
        return np.zeros_like(t)
