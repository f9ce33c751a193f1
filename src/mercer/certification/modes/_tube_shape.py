"""Tubes: how far two functions are apart, and how wide that is at a row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WIDER = 1.0 + 1e-9  # of a distance: its rounding
THINNEST = 1e-12  # of a squared width


@dataclass(frozen=True)
class Shape:
    """A positive definite form Q of functions, as a matrix on their coordinates."""

    form: Floats
    inverse: Floats

    @classmethod
    def of(cls, form: Floats) -> Shape:
        """The form, and its inverse for widths."""
        return cls(form, np.asarray(np.linalg.inv(form), dtype=np.float64))

    def distance(self, f: Floats, g: Floats) -> float:
        """Q-length of t·f − g with the t > 0 that makes it orthogonal to g; ∞ if there is none."""
        own, shared = float(g @ self.form @ g), float(f @ self.form @ g)
        if not (own > 0 and shared > 0):
            return math.inf
        gap = f * (own / shared) - g
        return math.sqrt(max(float(gap @ self.form @ gap), 0.0)) * WIDER

    def width(self, rows: Floats, g: Floats) -> Floats:
        """The largest |u(x)| of any u of Q-length 1 orthogonal to g, at every row."""
        squared = ((rows @ self.inverse) * rows).sum(axis=1)
        squared = squared - (rows @ g) ** 2 / float(g @ self.form @ g)
        return np.asarray(np.sqrt(np.maximum(squared, THINNEST)), dtype=np.float64)
