"""The record of a sum of distance functions in a box that was declared before the data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mercer.bounds._records import Record

NORMS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": math.inf}


@dataclass(frozen=True, eq=False)
class DistanceSums(Record):
    """f = Σ a_k g_k(d(p_k, ·)) + b on a box, with Σ |a_k| L(g_k) at most ``constant``.

    ``sides`` are the lengths of the box, which holds every input and every centre p_k; d is the
    distance of ``norm``. Without ``widths`` every g_k is the distance itself, otherwise
    exp(-t²/s²) with one of the widths s. ``fixed=False``: they were read off the rows.
    """

    constant: float = 0.0
    sides: tuple[float, ...] = ()
    norm: str = "euclidean"
    widths: tuple[float, ...] = ()
    fixed: bool = True

    _lengths = ("constant",)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("sides", "widths"):
            object.__setattr__(self, name, tuple(float(v) for v in getattr(self, name)))
            if not all(0.0 < v < math.inf for v in getattr(self, name)):
                raise ValueError(f"DistanceSums.{name} must be positive and finite")
        if not self.sides:
            raise ValueError("DistanceSums.sides needs the length of at least one side")
        if self.norm not in NORMS:
            raise ValueError(f"DistanceSums.norm must be one of {[*NORMS]}, got {self.norm!r}")
        if not (self.half_range() > 0.0 and 2.0 * self.radius() < math.inf):
            raise ValueError("DistanceSums: the box or the widths are too large or too small")

    def radius(self) -> float:
        """Half the diameter of the box: the norm of its half sides."""
        half = [0.5 * side for side in self.sides]
        if self.norm == "euclidean":
            return math.hypot(*half)
        return sum(half) if self.norm == "manhattan" else max(half)

    def half_range(self) -> float:
        """Half of the range of g(t) / L(g) over 0 <= t <= diameter, the largest of all profiles."""
        diameter = 2.0 * self.radius()
        if not self.widths:
            return 0.5 * diameter
        drops = [-math.expm1(-(min(diameter / s, 100.0) ** 2)) for s in self.widths]
        return max(
            0.5 * s * math.sqrt(math.e / 2.0) * drop
            for s, drop in zip(self.widths, drops, strict=True)
        )
