"""Lift: how much denser positives are among the rows called so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.certification.core.task import Refused
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen
from mercer.certification.guarantees.statement import Statement

_PRECISION = 0.8  # of δ: fewer rows are called positive than there are rows


@dataclass(frozen=True)
class Lift(CertifiedMetric):
    """P(positive | called so)/P(positive): the first from below at 0.8·δ, the second from above."""

    positive: Any = None

    name, quantity = "lift", "lift"
    title = "exact binomial limits of precision and prevalence, union bound"
    reference = "Clopper and Pearson 1934"
    limits: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @classmethod
    def read(cls, option: str, text: str) -> Any:
        """Labels stay text."""
        return text

    def state(self, rows: Unseen, delta: float) -> Statement:
        """A quotient of two limits."""
        positive = rows.positive(self.positive)
        truth, called = rows.hits(positive)
        m, k, base = int(called.sum()), int((truth & called).sum()), int(truth.sum())
        if m == 0 or base == 0:
            raise Refused(f"lift: no counted row is {'called ' if base else ''}{positive!r}.")
        below = clopper_lower(k, m, _PRECISION * delta)
        above = clopper_upper(base, rows.n, (1 - _PRECISION) * delta)
        return Statement(
            below / above,
            rows.n,
            (k / m) / (base / rows.n),
            f"{k} of {m} rows called {positive!r} are, {base} of all {rows.n}",
            paid={"precision": _PRECISION, "prevalence": 1 - _PRECISION},
            quantity=f"lift for class {positive!r}",
            details={"precision": below, "prevalence": above},
        )
