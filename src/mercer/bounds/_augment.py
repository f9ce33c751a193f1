"""Classifiers with an offset as classifiers through the origin of a larger space.

A constant feature t turns f(x) = <w,x> + b into <(w, b/t), (x, t)>. The bound must hold for a t
fixed in advance, so a small grid of t is declared and paid for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.bounds._evidence import Evidence
from mercer.bounds._records import Floats

SCALES = tuple(4.0**j for j in range(-4, 5))


@dataclass(frozen=True)
class Homogeneous:
    """The classifier in the augmented space; ``share`` of δ is left for a statement about it."""

    norm: float
    share: float
    feature: float  # the constant feature t, 0 if there is no offset

    def point_norms(self, evidence: Evidence) -> Floats:
        """Norms of the augmented training points."""
        return np.sqrt(np.square(evidence.need("point_norms")) + self.feature**2)

    def radius(self, evidence: Evidence) -> float:
        """Radius of the augmented points."""
        return math.hypot(evidence.need("radius"), self.feature)

    def trace(self, evidence: Evidence) -> float:
        """Trace of the augmented Gram matrix."""
        return evidence.need("trace") + evidence.n * self.feature**2


def scales_paid(evidence: Evidence) -> str:
    """What the ledger says about the grid."""
    if evidence.offset is None:
        return "the only statement"
    return f"divided over {len(SCALES)} declared scales of the constant feature for the offset"


def homogeneous(evidence: Evidence) -> Iterator[Homogeneous]:
    """One view per declared t, or a single one for a classifier through the origin."""
    norm = evidence.need("norm")
    if evidence.offset is None:
        yield Homogeneous(norm, 1.0, 0.0)
        return
    for t in SCALES:
        yield Homogeneous(math.hypot(norm, evidence.offset / t), 1.0 / len(SCALES), t)
