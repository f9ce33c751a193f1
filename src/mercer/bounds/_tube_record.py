"""The record of margin tubes: a model of all rows, and how far it lies from models of fewer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mercer.bounds._records import Record, check_count
from mercer.bounds.numerics.easy import check_bets


@dataclass(frozen=True, eq=False)
class MarginTubes(Record):
    """J times, ``rows`` of the ``easy`` ones among ``total`` rows were held out from an anchor.

    ``widths`` are the prior weights of the L half-widths of its tube, narrowest first. ``inside``
    has, for every hold-out and half-width, how many of its rows the anchor gets wrong or lie in the
    tube; ``first`` the place of the first half-width that reaches from the anchor to the model of
    all rows (L: none does). ``bets`` as in `EasyHoldOuts`; the draws came from ``seed``.
    """

    total: int = 0
    easy: int = 0
    widths: tuple[float, ...] = ()
    inside: tuple[tuple[int, ...], ...] = ()
    first: tuple[int, ...] = ()
    bets: tuple[tuple[float, float], ...] = ((math.inf, 1.0),)
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        put, name = object.__setattr__, type(self).__name__
        put(self, "widths", tuple(float(w) for w in self.widths))
        inside, bets, several = self.inside, self.bets, len(self.widths)
        if several and inside and not hasattr(inside[0], "__len__"):  # typed one after the other
            flat: Any = inside
            inside = tuple(tuple(flat[i : i + several]) for i in range(0, len(flat), several))
        if bets and not hasattr(bets[0], "__len__"):
            flat = bets
            bets = tuple(zip(flat[::2], flat[1::2], strict=True))
        counts = tuple(tuple(check_count(c, f"{name}.inside", self.rows) for c in line)
                       for line in inside)  # fmt: skip
        put(self, "inside", counts)
        put(self, "bets", check_bets(bets))
        put(self, "first", tuple(check_count(f, f"{name}.first", several) for f in self.first))
        if not self.rows <= self.easy <= self.total:
            raise ValueError(
                f"{name} needs rows <= easy <= total, got {self.rows}, {self.easy}, {self.total}"
            )
        weights = self.widths
        if not weights or min(weights) <= 0 or not math.fsum(weights) <= 1.0 + 1e-9:
            raise ValueError(f"{name}.widths are positive weights with a sum of at most 1")
        if not counts or len(self.first) != len(counts):
            raise ValueError(f"{name} needs counts and a first half-width for every hold-out")
        if any(len(line) != several or sorted(line) != list(line) for line in counts):
            raise ValueError(f"{name}.inside: {several} counts that grow with the half-width")

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """Everything that counts rows; a table of another size repeats as often."""
        new = super()._scaled_fields(factor)
        new["easy"] = max(new["rows"], math.floor(self.easy * factor + 1e-9))
        new["total"] = max(new["easy"], round(self.total * factor))
        new["inside"] = tuple(
            tuple(min(new["rows"], math.ceil(c * factor - 1e-9)) for c in line)
            for line in self.inside
        )
        return new
