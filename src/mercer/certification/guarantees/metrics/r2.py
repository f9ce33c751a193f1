"""R²: the share of the variance that is explained, for targets in a declared range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.bounds.numerics.mixed_bets import ratio_upper
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class RSquared(CertifiedMetric):
    """1 − E(y − f)²/Var y, f clipped to ``target_range``, which no target can leave.

    Two rows give half their squared difference, with mean Var y, and the mean of their squared
    errors. That the ratio is at least r makes the mean of r·difference − error at most 0: bets on
    disjoint pairs, with shares fixed in advance, test it.
    """

    target_range: Any = None

    name, quantity = "r2", "R²"
    title = "mixture of bets on a ratio of means, disjoint pairs of rows"
    reference = "Waudby-Smith and Ramdas, JRSS-B 86, 2024; fixed stakes, averaged"
    tasks: ClassVar[tuple[str, ...]] = ("regression",)
    limits: ClassVar[tuple[float, float]] = (-math.inf, 1.0)
    assumptions: ClassVar[tuple[str, ...]] = (
        "no target can leave the declared range; predictions are clipped to it",
    )

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """``0/50`` as two numbers."""
        return tuple(float(part) for part in text.split("/"))

    def state(self, rows: Unseen, delta: float) -> Statement:
        """One limit of the unexplained share."""
        try:
            low, high = (float(end) for end in self.target_range)
        except TypeError:
            raise Refused(
                "r2: a limit of a variance needs target_range=(low, high), the range that no "
                "target can leave ('r2:target_range=0/50' on the command line)."
            ) from None
        y, f = rows.numbers()
        if not low < high or y.min() < low or y.max() > high:
            raise Refused(f"r2: the targets lie in [{y.min():g}, {y.max():g}], not inside "
                          f"target_range=({low:g}, {high:g}).")  # fmt: skip
        if rows.n < 2:
            raise Refused("r2: at least two counted rows are needed.")
        mixed = np.random.default_rng(0).permutation(rows.n)
        one, two = mixed[: rows.n // 2], mixed[rows.n // 2 : 2 * (rows.n // 2)]
        lost = np.square(y - np.clip(f, low, high))
        losses, spread = (lost[one] + lost[two]) / 2, np.square(y[one] - y[two]) / 2
        unexplained = ratio_upper(losses, spread, delta, worst=(high - low) ** 2)
        seen = 1 - float(lost.mean() / max(y.var(), np.finfo(float).tiny))
        told = f"R² {seen:.4g} on {rows.n} unseen rows"
        return Statement(min(seen, 1 - unexplained), rows.n, seen, told)
