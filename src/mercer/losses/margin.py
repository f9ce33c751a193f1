"""The margin itself as a loss."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mercer.losses._base import Floats, MarginLoss


@dataclass(frozen=True)
class Margin(MarginLoss):
    """−y·f, unbounded below: only sensible with a bound on the weight vector."""

    smooth = True
    calibrated = True
    lower = -math.inf

    @property
    def lipschitz(self) -> float:
        """One."""
        return 1.0

    def _value(self, t: Floats) -> Floats:
        return -t

    def _slope(self, t: Floats) -> Floats:
        return np.full_like(t, -1.0)

    def _conjugate(self, s: Floats) -> Floats:
        return np.where(np.abs(s + 1.0) <= 1e-12, 0.0, math.inf)
