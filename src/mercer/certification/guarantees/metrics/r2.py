"""R²: the share of the variance that is explained, for targets in a declared range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.bounds.numerics.mixed_bets import mean_lower, mean_upper, ratio_upper
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Floats, Unseen
from mercer.certification.guarantees.statement import Statement

_MEAN = 0.1  # of δ
_MEANS = 12  # pieces of the interval of the mean


@dataclass(frozen=True)
class RSquared(CertifiedMetric):
    """1 − E(y − f)²/Var y, f clipped to ``target_range``, which no target can leave.

    If μ were the mean of the targets, "the ratio is at least r" would be that the mean of
    r·(y − μ)² − (y − f)² is at most 0, which bets on every row test, with shares fixed in advance.
    μ lies in an interval by other bets (a tenth of δ); r is excluded if it is for every such μ.
    """

    target_range: Any = None

    name, quantity = "r2", "R²"
    reads = "targets"
    title = "mixture of bets on a ratio of means, for every mean that may be"
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
        lost = np.square(y - np.clip(f, low, high))
        unexplained = _unexplained(y, lost, delta, low, high)
        seen = 1 - float(lost.mean() / max(y.var(), np.finfo(float).tiny))
        told = f"R² {seen:.4g} on {rows.n} unseen rows"
        paid = {"the mean of the targets": _MEAN, "unexplained share": 1 - _MEAN}
        return Statement(min(seen, 1 - unexplained), rows.n, seen, told, paid=paid)


def _unexplained(y: Floats, lost: Floats, delta: float, low: float, high: float) -> float:
    """Upper limit of E lost / Var y."""
    part = _MEAN / 2 * delta
    ends = mean_lower(y, part, low=low, high=high), mean_upper(y, part, low=low, high=high)
    edges = np.linspace(*ends, _MEANS + 1)
    half = (edges[1] - edges[0]) / 2
    rest, found = (1 - _MEAN) * delta, 0.0
    # pieces near the mean that was seen have the smallest spread: the first nearly always decides
    for edge in sorted(edges[:-1].tolist(), key=lambda edge: abs(edge + half - y.mean())):
        # the smallest (y - μ)² over a piece of the interval: valid for every μ in it
        spread = np.square(np.maximum(np.abs(y - edge - half) - half, 0.0))
        found = ratio_upper(lost, spread, rest, worst=(high - low) ** 2, least=found)
    return found
