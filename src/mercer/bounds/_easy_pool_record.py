"""The record of a model of all rows beside models that were kept from easy rows, and of a pool."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mercer.bounds._records import Record, check_count


@dataclass(frozen=True, eq=False)
class EasyPool(Record):
    """J times, ``rows`` of the ``easy`` ones among ``total`` rows were held out of a model.

    ``sums`` are the errors of every model on its own hold-out, ``c`` the constant of their weights
    e^{−c·S}, fixed in advance as ``rows`` is. ``moved`` adds up, over ``pool_rows`` inputs without
    labels, the weight of the models that contradict the model of all rows there. The draws came
    from ``seed``.
    """

    total: int = 0
    easy: int = 0
    sums: tuple[int, ...] = ()
    c: float = 5.0
    pool_rows: int = 0
    moved: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        put, name = object.__setattr__, type(self).__name__
        sums = tuple(check_count(s, f"{name}.sums", self.rows) for s in self.sums)
        put(self, "sums", sums)
        if not self.rows <= self.easy <= self.total:
            raise ValueError(
                f"{name} needs rows <= easy <= total, got {self.rows}, {self.easy}, {self.total}"
            )
        if not sums:
            raise ValueError(f"{name} needs one sum for every hold-out")
        if not (math.isfinite(self.c) and self.c > 0):
            raise ValueError(f"{name}.c must be positive and finite, got {self.c!r}")
        put(self, "pool_rows", check_count(self.pool_rows, f"{name}.pool_rows"))
        if not self.pool_rows or not 0.0 <= self.moved <= self.pool_rows * (1.0 + 1e-9):
            raise ValueError(f"{name}.moved must lie between 0 and pool_rows, which is at least 1")

    def _scaled_fields(self, factor: float) -> dict[str, Any]:
        """Everything that counts rows, the pool's too."""
        new = super()._scaled_fields(factor)
        new["easy"] = max(new["rows"], math.floor(self.easy * factor + 1e-9))
        new["total"] = max(new["easy"], round(self.total * factor))
        new["sums"] = tuple(min(new["rows"], math.ceil(s * factor - 1e-9)) for s in self.sums)
        new["pool_rows"] = max(1, round(self.pool_rows * factor))
        new["moved"] = min(float(new["pool_rows"]), self.moved * factor)
        return new
