"""The record of hold-outs that were drawn among the rows that look easy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mercer.bounds._records import Record, check_count
from mercer.bounds.numerics.easy import check_bets


@dataclass(frozen=True, eq=False)
class EasyHoldOuts(Record):
    """J times, ``rows`` of the ``easy`` ones among ``total`` rows were held out.

    ``sums`` are the errors of every model on its own hold-out (or sums of losses between 0 and 1,
    ``losses=True``), ``shares`` whole numbers in proportion to which a hash of the input chooses
    the models, ``bets`` the constants with their weights, fixed in advance as ``rows`` is. For
    ``inputs``, ``repeated`` and ``equal_pairs`` see `Progressive`. The draws came from ``seed``.
    """

    total: int = 0
    easy: int = 0
    sums: tuple[float, ...] = ()
    shares: tuple[int, ...] = (1,)
    bets: tuple[tuple[float, float], ...] = ((math.inf, 1.0),)
    losses: bool = False
    inputs: int = 0
    repeated: int = 0
    equal_pairs: int = 0
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        put, name = object.__setattr__, type(self).__name__
        put(self, "sums", tuple(float(s) for s in self.sums))
        put(self, "shares", tuple(check_count(s, f"{name}.shares") for s in self.shares))
        bets: Any = self.bets
        if bets and not hasattr(bets[0], "__len__"):  # typed one after the other
            bets = tuple(zip(bets[::2], bets[1::2], strict=True))
        put(self, "bets", check_bets(bets))
        if not self.rows <= self.easy <= self.total:
            raise ValueError(
                f"{name} needs rows <= easy <= total, got {self.rows}, {self.easy}, {self.total}"
            )
        if not self.sums or len(self.shares) != len(self.sums) or not sum(self.shares):
            raise ValueError(f"{name} needs one sum and one share for every hold-out")
        if not all(0.0 <= s <= self.rows for s in self.sums):
            raise ValueError(f"{name}.sums must lie between 0 and {self.rows}")

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """Everything that counts rows; a table of another size repeats as often."""
        new = super()._scaled_fields(factor)
        new["easy"] = max(new["rows"], math.floor(self.easy * factor + 1e-9))
        new["total"] = max(new["easy"], round(self.total * factor))
        whole = math.ceil if not self.losses else float
        new["sums"] = tuple(min(new["rows"], whole(s * factor - 1e-9)) for s in self.sums)
        if self.losses:
            new["sums"] = tuple(max(0.0, s) for s in new["sums"])
        return new
