"""Rademacher complexity of a ball in feature space."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.bounds._augment import homogeneous, scales_paid
from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._radius import with_radius
from mercer.bounds._records import Floats
from mercer.bounds.numerics import integer_weights
from mercer.bounds.numerics.checks import log_level

_BALLS = range(-12, 25)  # radii 2^j of the declared balls


def trace_bound(ramp: float, m: int, ball: float, trace: float, log_delta: float) -> float:
    """Ramp loss + 2B√tr(G)/m + 3√(ln(2/δ)/(2m)), for the ball ‖w‖ ≤ B fixed in advance."""
    noise = 3.0 * math.sqrt((math.log(2.0) - log_delta) / (2.0 * m))
    return ramp + 2.0 * ball * math.sqrt(trace) / m + noise


def radius_bound(ramp: float, m: int, ball: float, radius: float, log_delta: float) -> float:
    """Ramp loss + 2B·rad/√m + √(ln(1/δ)/(2m)), when the radius is known in advance."""
    return ramp + 2.0 * ball * radius / math.sqrt(m) + math.sqrt(-log_delta / (2.0 * m))


class _RampLoss:
    """Mean of clip(1 − s·margin, 0, 1) at any scale s: one sort, then a look-up per scale."""

    def __init__(self, margins: Floats) -> None:
        positive = np.sort(margins[margins > 0])
        self.n, self.errors = len(margins), len(margins) - len(positive)
        self.positive = positive[np.isfinite(positive)]
        self.total = np.concatenate([[0.0], np.cumsum(self.positive)])

    def at(self, scale: float) -> float:
        inside = int(np.searchsorted(self.positive, 1.0 / scale))
        return (self.errors + inside - scale * float(self.total[inside])) / self.n


class RademacherMargin(Bound):
    """Margin bound from the radius where that is known, else from the trace of the Gram matrix.

    For the ball ‖w‖ ≤ B: R ≤ mean of clip(1 − y f, 0, 1) + 2B·rad/√m + √(ln(1/δ)/(2m)), or with
    2B√tr(G)/m + 3√(ln(2/δ)/(2m)) in place of the last two terms.
    Without either, the largest norm of the sample is rounded up to a declared radius.

    The norm of the fitted w is only known afterwards, so balls of radius 2^j are declared and paid
    for with weights ~1/(1+|j|)²; f is rescaled into each of them and the best is reported.
    """

    code = "rademacher"
    title = "Rademacher margin bound"
    reference = "Bartlett and Mendelson 2002; Mohri, Rostamizadeh and Talwalkar 2018, theorem 5.8"
    needs = ("margins", "norm")
    reads = ("radius", "trace", "point_norms", "offset")
    by_machine = True
    assumptions = (*Bound.assumptions, "the kernel and its parameters were fixed before the data")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if evidence.radius is None and evidence.trace is None and evidence.point_norms is None:
            raise NotApplicable("needs the trace of the Gram matrix or a radius", structural=True)
        if evidence.norm == 0.0:
            raise NotApplicable("the weight vector is zero: it has no margin")
        left, paid = 1.0, ""
        assumed: tuple[str, ...] = ()
        if evidence.radius is not None or evidence.trace is None:
            evidence, left, paid, assumed = with_radius(evidence)
        ramps, grid = _RampLoss(evidence.need("margins")), scales_paid(evidence)
        best, which = math.inf, 0
        for view in homogeneous(evidence):
            for j in _BALLS:
                ball = 2.0**j
                ramp = ramps.at(ball / view.norm)
                level = log_level(delta * (left * view.share * integer_weights(j)))
                if evidence.radius is not None:
                    value = radius_bound(ramp, evidence.n, ball, view.radius(evidence), level)
                else:
                    value = trace_bound(ramp, evidence.n, ball, view.trace(evidence), level)
                best, which = min((best, which), (value, j))
        why = ("balls 2^j, weights ~1/(1+|j|)²", grid, paid)
        return Outcome(
            value=best,
            n=evidence.n,
            observed=None if evidence.errors is None else evidence.errors / evidence.n,
            ledger=Ledger((Entry(self.title, delta, "; ".join(filter(None, why))),)),
            counted=f"margins of {evidence.n} rows, ball of radius 2^{which}",
            spent="all rows, for training and for the certificate",
            assumptions=assumed,
            details={"ball": 2.0**which},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Trace, radius, offset."""
        margins = np.linspace(-0.2, 1.5, 100)
        facts: dict[str, Any] = {"margins": margins, "norm": 2.0, "errors": 2353}
        yield Evidence(20000, trace=20000.0, **facts)
        yield Evidence(20000, radius=1.0, **facts)
        yield Evidence(20000, radius=1.0, offset=-0.3, **facts)
        yield Evidence(20000, point_norms=np.linspace(0.1, 1.0, 100), **facts)
