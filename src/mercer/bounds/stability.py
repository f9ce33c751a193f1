"""Algorithmic stability: one row more or less hardly moves a strongly regularised machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._radius import KNOWN, MEASURED, with_radius
from mercer.bounds.numerics.checks import check_choice, log_level

_LEARNER = "the learner minimises (1/n)·Σ loss + λ‖w‖² exactly, with λ fixed before the data"


def stability_width(m: int, beta: float, b: float, delta: float, *, constant: str) -> float:
    """2β + (4mβ + b)·√(ln(1/δ)/(2m)); ``"book"`` doubles the deviation (McDiarmid as printed)."""
    factor = check_choice(constant, {"sharp": math.sqrt(0.5), "book": math.sqrt(2.0)}, "constant")
    return 2.0 * beta + (4.0 * m * beta + b) * factor * math.sqrt(-log_level(delta) / m)


def svc_corollary_as_printed(slack_sum: float, m: int, lam: float, delta: float) -> float:
    """(1/m)(Σξ + 1/λ) + (2(1+λ)/λ)√(ln(1/δ)/m): the book's last display, NOT a guarantee.

    It does not follow from its theorem, which gives √2(2+λ)/λ, and is too small for λ < √2.
    """
    deviation = 2.0 * (1.0 + lam) / lam * math.sqrt(-log_level(delta) / m)
    return (slack_sum + 1.0 / lam) / m + deviation


def _refuse(evidence: Evidence, *losses: str) -> None:
    if evidence.loss not in losses:
        names = " or ".join(losses)
        raise NotApplicable(
            f"is proved for the {names} loss, not for {evidence.loss or 'an unnamed loss'}",
            structural=True,
        )
    if evidence.offset is not None:
        raise NotApplicable(
            "the offset is not penalised, so the machine is not stable", structural=True
        )


@dataclass(frozen=True)
class StabilityClassification(Bound):
    """Hinge-loss machine without offset, clipped margin loss at scale τ.

    R ≤ R_τ + κ²/(λmτ) + (1 + 2κ²/(λτ))√(ln(1/δ)/(2m)), κ² = sup k(x,x). The book applies its
    stability theorem to a non-convex loss and prints 1/τ²; here the function moves by κ²/(2λm) and
    the clipped loss is 1/τ-Lipschitz. ``as_printed=True`` gives the book's number.
    """

    tau: float = 1.0
    constant: str = "sharp"
    as_printed: bool = False

    code = "stability"
    title = "stability bound for the clipped margin loss"
    reference = "Bousquet and Elisseeff 2002; Herbrich 2002, theorem 5.34 corrected"
    provenance = "corrected"
    erratum = (
        "theorem 5.34 applies the stability of convex losses to a loss that is not convex and so "
        "arrives at 1/τ²; the learner it speaks of is the one trained with the hinge loss"
    )
    needs = ("margins", "C", "radius")
    reads = ("point_norms",)
    instead = MEASURED
    assumptions = (*Bound.assumptions, _LEARNER)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _refuse(evidence, "hinge", "logistic")  # convex, and neither is steeper than one
        if evidence.n_classes > 2:
            raise NotApplicable("is stated for two classes", structural=True)
        if not 0 < self.tau < math.inf:
            raise ValueError(f"tau must be positive and finite, got {self.tau!r}")
        evidence, left, paid, assumed = with_radius(evidence)
        # as printed, κ is sup k(x,x) where its proof needs √sup k(x,x)
        m, kappa2 = evidence.n, evidence.need("radius") ** (4 if self.as_printed else 2)
        clipped = float(np.mean(np.clip(1.0 - evidence.need("margins") / self.tau, 0.0, 1.0)))
        power, constant = (2.0, "book") if self.as_printed else (1.0, self.constant)
        beta = kappa2 / (2.0 * evidence.lam * m * self.tau**power)
        return Outcome(
            value=clipped + stability_width(m, beta, 1.0, delta * left, constant=constant),
            n=m,
            observed=clipped,
            ledger=Ledger((Entry(self.title, delta, paid or "the only statement"),)),
            assumptions=assumed,
            counted=f"clipped margin loss {clipped:.4g} on {m} rows, λ = {evidence.lam:.3g}",
            spent="all rows, for training and for the certificate",
            details={"beta": beta, "lam": evidence.lam},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """λ = 1 and λ = 0.01."""
        for lam in (1.0, 0.01):
            yield Evidence(
                1000,
                loss="hinge",
                margins=np.linspace(-0.2, 2, 50),
                radius=1.0,
                C=1.0 / (2.0 * lam * 1000),
                errors=91,
            )
        yield Evidence(
            1000,
            loss="hinge",
            margins=np.linspace(-0.2, 2, 50),
            point_norms=np.linspace(0.2, 0.9, 50),
            C=1.0 / 2000,
        )


_SCALES = (0.125, 0.25, 0.5, 1.0, 2.0)


class StabilityScales(Bound):
    """The smallest of five stability bounds, at scales τ from ⅛ to 2, each at δ/5.

    R ≤ R_τ + κ²/(λmτ) + (1 + 2κ²/(λτ))√(ln(5/δ)/(2m)) for all five τ at once, R_τ the mean of
    clip(1 − y f/τ, 0, 1). Hinge-loss machines without offset; `stability` is the one at a fixed τ.
    """

    code = "stability-scales"
    title = "stability bound at the best declared scale of the clipped loss"
    reference = StabilityClassification.reference
    provenance = "corrected"
    needs = StabilityClassification.needs
    reads = StabilityClassification.reads
    instead = MEASURED
    assumptions = StabilityClassification.assumptions

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        share = delta / len(_SCALES)
        found = {t: StabilityClassification(t)._outcome(evidence, share) for t in _SCALES}
        best = min(found, key=lambda t: found[t].value)
        paid = next(iter(found[best].ledger or ())).why
        why = f"one scale; {paid}" if evidence.radius is None else "one scale"
        ledger = Ledger.split(delta, {f"τ = {t}": 1 / len(_SCALES) for t in _SCALES}, why)
        return replace(found[best], ledger=ledger, details={**found[best].details, "tau": best})

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Those of one scale."""
        yield from StabilityClassification.examples()


@dataclass(frozen=True)
class StabilityRegression(Bound):
    """Mean ε-insensitive loss of a support-vector regression without offset.

    R ≤ R_emp + κ²/(λm) + (2κ²/λ + b)√(ln(1/δ)/(2m)) for losses that cannot exceed b;
    `mercer.theory.stability.loss_ceiling` derives b from a limit of the targets.
    """

    constant: str = "sharp"

    code = "stability-regression"
    title = "stability bound for support-vector regression"
    reference = "Bousquet and Elisseeff 2002, theorem 12; Herbrich 2002, example 5.33 corrected"
    provenance = "corrected"
    erratum = "example 5.33 takes the range of the targets for b, which must bound the loss"
    tasks = ("regression",)
    quantity = "mean loss"
    needs = ("slacks", "C", "radius", "loss_range")
    assumptions = (*Bound.assumptions, _LEARNER, KNOWN, "no loss can leave the declared range")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        _refuse(evidence, "epsilon-insensitive")
        low, high = evidence.need("loss_range")
        if low < 0:
            raise ValueError("the epsilon-insensitive loss is never negative: loss_range is wrong")
        m, beta = evidence.n, evidence.need("radius") ** 2 / (2.0 * evidence.lam * evidence.n)
        empirical = float(np.mean(evidence.need("slacks")))
        return Outcome(
            value=empirical + stability_width(m, beta, high, delta, constant=self.constant),
            n=m,
            observed=empirical,
            counted=f"mean loss {empirical:.4g} on {m} training rows, λ = {evidence.lam:.3g}",
            spent="all rows, for training and for the certificate",
            details={"beta": beta, "lam": evidence.lam},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """λ = 1."""
        yield Evidence(
            1000,
            task="regression",
            loss="epsilon-insensitive",
            slacks=np.linspace(0, 0.5, 40),
            radius=1.0,
            C=1.0 / 2000,
            loss_range=(0.0, 1.0),
        )
