"""F-beta: a ratio of means, so "at least c" is a statement about one bounded mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mercer.bounds.numerics.mixed_bets import ratio_lower
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class FBeta(CertifiedMetric):
    """(1 + β²)TP/((1 + β²)TP + β²FN + FP); β above 1 weighs recall more.

    F ≤ c says that the mean of (1 + β²)(1 − c)TP − cβ²FN − cFP is at most 0. Bets against that
    with shares fixed in advance give the limit; rows that are neither add nothing. ``beta=1`` is
    better asked for as ``"f1"``, whose limit is exact.
    """

    beta: float = 2.0
    positive: Any = None

    name, quantity = "f_beta", "F-beta"
    title = "mixture of bets on a ratio of means"
    reference = "Waudby-Smith and Ramdas, JRSS-B 86, 2024; fixed stakes, averaged"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.beta) and self.beta > 0):
            raise ValueError(f"beta must be a positive number, got {self.beta!r}")

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """Beta is a number, a label is text."""
        return float(text) if option == "beta" else text

    def state(self, rows: Unseen, delta: float) -> Statement:
        """From the counts of hits, misses and false alarms."""
        positive, squared = rows.positive(self.positive), self.beta**2
        truth, called = rows.hits(positive)
        counts = [int((a & b).sum()) for a, b in ((truth, called), (truth, ~called),
                                                  (~truth, called))]  # fmt: skip
        if sum(counts) == 0:
            raise Refused("f_beta: no counted row is positive or called so.")
        value = ratio_lower(
            [1 + squared, 0.0, 0.0],
            [1 + squared, squared, 1.0],
            delta,
            worst=max(1.0, squared),
            counts=counts,
        )
        tp, fn, fp = counts
        seen = (1 + squared) * tp / ((1 + squared) * tp + squared * fn + fp)
        told = f"{tp} hits, {fn} missed, {fp} false alarms on {rows.n} unseen rows"
        return Statement(value, rows.n, seen, told, quantity=f"F-{self.beta:g} for {positive!r}")
