"""Matthews correlation: a box of exact limits, and its worst corner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement


@dataclass(frozen=True)
class Matthews(CertifiedMetric):
    """√(π(1−π)/(q(1−q)))·(T − F), T and F the rates of positives and negatives called positive.

    It rises with T and falls with F (q = πT + (1−π)F), and over an interval of the prevalence π it
    is smallest at an end: the set where its square is at least c is an interval. So the smallest
    value over the box of exact limits, each at δ/4, stands at one of two corners.
    """

    positive: Any = None

    name, quantity = "mcc", "Matthews correlation"
    title = "smallest value over a box of exact binomial limits"
    reference = "Clopper and Pearson 1934, union bound over the box"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """Labels stay text."""
        return text

    def state(self, rows: Unseen, delta: float) -> Statement:
        """Both rates and the prevalence, from one table."""
        positive = rows.positive(self.positive)
        truth, called = rows.hits(positive)
        m, hits = int(truth.sum()), int((truth & called).sum())
        alarms = int((~truth & called).sum())
        if m in (0, rows.n):
            raise Refused("mcc: the counted rows are all of one class.")
        part = delta / 4
        true_rate = clopper_lower(hits, m, part)
        false_rate = clopper_upper(alarms, rows.n - m, part)
        ends = clopper_lower(m, rows.n, part), clopper_upper(m, rows.n, part)
        value = -1.0  # the corner argument needs answers that are better than chance
        if true_rate > false_rate:
            value = min(correlation(true_rate, false_rate, end) for end in ends)
        seen = correlation(hits / m, alarms / (rows.n - m), m / rows.n)
        told = f"{hits} of {m} positive rows found, {alarms} false alarms on {rows.n - m} others"
        paid = dict.fromkeys(("recall", "false alarms", "prevalence, below", "above"), 0.25)
        return Statement(value, rows.n, seen, told, paid=paid)


def correlation(true_rate: float, false_rate: float, prevalence: float) -> float:
    """Matthews correlation from the two rates and the share of positives."""
    called = prevalence * true_rate + (1 - prevalence) * false_rate
    spread = called * (1 - called)
    if spread <= 0:
        return 0.0
    return (true_rate - false_rate) * math.sqrt(prevalence * (1 - prevalence) / spread)
