"""Stability with the leave-one-out error, for ridge machines and for nearest neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._evidence import Evidence
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._radius import KNOWN
from mercer.bounds.numerics.checks import log_level
from mercer.bounds.stability import stability_width

_SPENT = "all rows, for training and for the certificate"


def loo_width(m: int, beta: float, b: float, delta: float, *, constant: str = "sharp") -> float:
    """β + (4mβ + b)·√(ln(1/δ)/(2m)); ``"book"`` doubles the deviation."""
    return stability_width(m, beta, b, delta, constant=constant) - beta


def ridge_beta(loss_range: float, kappa2: float, lam: float, m: int) -> float:
    """2·b·κ²/(λm): on losses (f − t)² ≤ b the square loss is 2√b-Lipschitz."""
    return 2.0 * loss_range * kappa2 / (lam * m)


def hypothesis_width(m: int, delta: float, b: float, beta: float, *, loo: bool = True) -> float:
    """√((b² + 6bmβ)/(2mδ)) around the leave-one-out error; 12 for 6 around the training error.

    β bounds the mean change of the loss at a new point when a row is left out. Around the training
    error it must bound the mean change at the row left out as well; the source asks for that one
    only, which does not suffice (``docs/theory/own-proofs.md``).
    """
    spread = (b * b + (6.0 if loo else 12.0) * b * m * beta) / (2.0 * m)
    log_width = 0.5 * (math.log(spread) - log_level(delta))
    return math.exp(log_width) if log_width < 700.0 else math.inf


@dataclass(frozen=True)
class StabilityRidge(Bound):
    """Mean squared loss of kernel ridge regression without offset, from the training error.

    R ≤ R_emp + 2β + (4mβ + b)√(ln(1/δ)/(2m)), β = 2bκ²/(λm) for losses that cannot exceed b.
    """

    constant: str = "sharp"

    code = "stability-ridge"
    title = "stability bound for kernel ridge regression"
    reference = "Bousquet and Elisseeff 2002, example 3 and theorem 12"
    tasks = ("regression",)
    quantity = "mean loss"
    needs = ("C", "radius", "loss_range", "risks")
    assumptions = (
        *Bound.assumptions,
        "the learner minimises (1/n)·Σ(f − t)² + λ‖f‖² exactly, with λ fixed before the data",
        KNOWN,
        "no squared loss can leave the declared range, whatever n rows the learner is given",
    )

    def _facts(self, evidence: Evidence) -> tuple[float, float]:
        if evidence.loss != "squared" or evidence.offset is not None:
            raise NotApplicable("is proved for the squared loss without offset", structural=True)
        low, high = evidence.need("loss_range")
        if low < 0:
            raise ValueError("a squared loss is never negative: loss_range is wrong")
        return high, ridge_beta(high, evidence.need("radius") ** 2, evidence.lam, evidence.n)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        b, beta = self._facts(evidence)
        if "squared" not in evidence.risks:
            raise NotApplicable("the mean squared training loss was not published", structural=True)
        seen = float(evidence.risks["squared"])
        value = seen + stability_width(evidence.n, beta, b, delta, constant=self.constant)
        return self._finish(evidence, value, seen, beta, "training")

    def _finish(
        self, evidence: Evidence, value: float, seen: float, beta: float, what: str
    ) -> Outcome:
        return Outcome(
            value=value,
            n=evidence.n,
            observed=seen,
            counted=f"mean squared {what} loss {seen:.4g}, λ = {evidence.lam:.3g}",
            spent=_SPENT,
            details={"beta": beta, "lam": evidence.lam},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """λ = 10."""
        yield Evidence(
            1000,
            task="regression",
            loss="squared",
            radius=1.0,
            C=1.0 / 20000,
            risks={"squared": 0.1},
            loo={"exact": 0.11},
            loss_range=(0.0, 1.0),
        )


class StabilityRidgeLoo(StabilityRidge):
    """Mean squared loss of kernel ridge regression from its closed-form leave-one-out error.

    R ≤ R_loo + β + (4mβ + b)√(ln(1/δ)/(2m)), β = 2bκ²/(λm): one β less than with training errors.
    """

    code = "stability-ridge-loo"
    title = "stability bound for kernel ridge regression, leave-one-out form"
    needs = ("C", "radius", "loss_range", "loo")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        b, beta = self._facts(evidence)
        if "exact" not in evidence.loo:
            raise NotApplicable("the exact leave-one-out error was not computed", structural=True)
        seen = float(evidence.loo["exact"])
        value = seen + loo_width(evidence.n, beta, b, delta, constant=self.constant)
        return self._finish(evidence, value, seen, beta, "leave-one-out")


class NeighborStability(Bound):
    """k nearest neighbours: R ≤ R_loo + √((1 + 6k)/(2mδ)), by hypothesis stability.

    Leaving a row out changes the answer only near points that count it among their k nearest: on
    average a share k/m. The width falls like 1/√δ, not like √ln(1/δ).
    """

    _tag: ClassVar[str] = "bound:neighbour-stability"
    code = "neighbour-stability"
    title = "hypothesis-stability bound for nearest neighbours"
    reference = "Devroye and Wagner 1979; Bousquet and Elisseeff 2002; proof in the documentation"
    needs = ("neighbours", "loo")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        if "exact" not in evidence.loo:
            raise NotApplicable("the exact leave-one-out error was not computed", structural=True)
        k, m, seen = evidence.need("neighbours"), evidence.n, float(evidence.loo["exact"])
        if k > m:
            raise NotApplicable(f"{k} neighbours out of {m} rows")
        return Outcome(
            value=seen + hypothesis_width(m, delta, 1.0, k / m),
            n=m,
            observed=seen,
            counted=f"leave-one-out error {seen:.4g} with {k} neighbours on {m} rows",
            spent=_SPENT,
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Five neighbours."""
        yield Evidence(100_000, neighbours=5, loo={"exact": 0.1})
