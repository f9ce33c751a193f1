"""Matthews correlation: a joint region of exact tests, and its worst corner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Floats, Unseen
from mercer.certification.guarantees.statement import Statement

_PREVALENCE = 0.2  # of δ
_STRIP = 0.01
_STEPS = 240


@dataclass(frozen=True)
class Matthews(CertifiedMetric):
    """√(π(1−π)/(q(1−q)))·(T − F), T and F the rates of positives and negatives called positive.

    Given how many rows are positive, the counts behind T and F are independent: two exact p-values,
    of which a fixed set of area 0.8 δ is excluded, a half plane in normal scores, so that their
    widths add up like standard deviations; the prevalence π has 0.2 δ. MCC rises with T and falls
    with F (q = πT + (1−π)F), and over an interval of π it is smallest at an end: the set where its
    square is at least c is an interval. So the smallest value stands at a corner of the region.
    """

    positive: Any = None

    name, quantity = "mcc", "Matthews correlation"
    title = "smallest value over a joint region of exact binomial tests"
    reference = "Clopper and Pearson 1934; p-values combined as by Stouffer et al. 1949"
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
        part = _PREVALENCE / 2 * delta
        ends = clopper_lower(m, rows.n, part), clopper_upper(m, rows.n, part)
        shares = (1 - _PREVALENCE) * delta
        true, false = rate_pairs((hits, m), (alarms, rows.n - m), shares)
        value = -1.0  # the corner argument needs answers that are better than chance
        if (true > false).all():
            pairs = zip(true.tolist(), false.tolist(), strict=True)
            value = min(correlation(t, f, end) for t, f in pairs for end in ends)
        seen = correlation(hits / m, alarms / (rows.n - m), m / rows.n)
        told = f"{hits} of {m} positive rows found, {alarms} false alarms on {rows.n - m} others"
        paid = {"recall and false alarms": 1 - _PREVALENCE, "prevalence": _PREVALENCE}
        return Statement(value, rows.n, seen, told, paid=paid)


def rate_pairs(
    true: tuple[int, int], false: tuple[int, int], delta: float
) -> tuple[Floats, Floats]:
    """Corners of a region that holds (T, F) but for probability δ: T at least, F at most.

    Two independent p-values lie in the half plane of normal scores w₁z₁ + w₂z₂ ≤ z_δ with
    probability δ, and discrete ones, which are larger, no more often: it is a down-set. Weights are
    the expected standard deviations up to a factor, known before the answers are. Strips along the
    axes are excluded as well, and paid for.
    """
    (hits, m), (alarms, rest) = true, false
    strip = _STRIP * delta
    limit = ndtri(delta - 2 * strip)
    spread = np.sqrt([1 / m, 1 / rest])
    first, second = spread / np.hypot(*spread)
    levels = np.geomspace(strip, 1.0, _STEPS)
    # a first p-value of at least levels[i], at most the next one: the second is above seconds[i]
    seconds = ndtr((limit - first * ndtri(levels[1:])) / second)
    seconds = np.maximum(np.where(levels[1:] >= 1.0, 0.0, seconds), strip)
    lower = beta.ppf(levels[:-1], hits, m - hits + 1) if hits else np.zeros(_STEPS - 1)
    upper = beta.isf(seconds, alarms + 1, rest - alarms) if alarms < rest else np.ones(_STEPS - 1)
    return lower, upper


def correlation(true_rate: float, false_rate: float, prevalence: float) -> float:
    """Matthews correlation from the two rates and the share of positives."""
    called = prevalence * true_rate + (1 - prevalence) * false_rate
    spread = called * (1 - called)
    if spread <= 0:
        return 0.0
    return (true_rate - false_rate) * math.sqrt(prevalence * (1 - prevalence) / spread)
