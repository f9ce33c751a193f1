"""Mean cost of the answers, from a table of what each mistake costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.bounds.numerics.mixed_bets import mean_upper
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class MeanCost(CertifiedMetric):
    """Mean of ``costs[true class][answer]``, classes in the order of ``classes_``.

    On the command line ``cost:costs=0/5/1/0``: the table row by row.
    """

    costs: Any = ((0.0, 1.0), (1.0, 0.0))

    name, quantity, side = "cost", "mean cost", "upper"
    title = "mixture of bets on a bounded mean"
    reference = "Waudby-Smith and Ramdas, JRSS-B 86, 2024; fixed stakes, averaged"
    assumptions: ClassVar[tuple[str, ...]] = ("the table of costs was fixed before the rows",)

    def __post_init__(self) -> None:
        table = np.asarray(self.costs, dtype=np.float64)
        square = table.ndim == 2 and table.shape[0] == table.shape[1] > 1
        if not square or not np.isfinite(table).all() or table.min() == table.max():
            raise ValueError(
                f"costs must be a square table of finite numbers, not all equal, got {self.costs!r}"
            )
        object.__setattr__(self, "costs", tuple(map(tuple, table.tolist())))

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """``0/5/1/0`` as two rows of two."""
        numbers = np.array([float(part) for part in text.split("/")])
        side = round(len(numbers) ** 0.5)
        if side * side != len(numbers):
            raise ValueError(f"costs={text}: a square table has 4, 9, 16, ... numbers")
        return numbers.reshape(side, side)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest entry."""
        table = np.asarray(self.costs)
        return float(table.min()), float(table.max())

    def state(self, rows: Unseen, delta: float) -> Statement:
        """The cost of every row, then a limit of the mean."""
        table, labels = np.asarray(self.costs), list(rows.classes)
        if len(labels) != len(table):
            raise Refused(f"costs is for {len(table)} classes, the model has {len(labels)}.")
        places = {label: i for i, label in enumerate(labels)}
        try:
            answers = zip(rows.truth.tolist(), rows.predicted.tolist(), strict=True)
            paid = np.array([table[places[y], places[f]] for y, f in answers])
        except KeyError as problem:
            raise Refused(f"cost: class {problem} has no row in the table of costs.") from None
        low, high = self.range
        told = f"mean cost {paid.mean():.4g} on {rows.n} unseen rows"
        value = mean_upper(paid, delta, low=low, high=high)
        return Statement(value, rows.n, float(paid.mean()), told)
