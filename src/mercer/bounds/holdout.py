"""Hold-out: count what one fixed model does on rows it never saw. The yardstick of all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._class_names import BY_CLASS, class_quantity
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import Floats, HoldOut
from mercer.bounds.numerics import (
    clopper_lower,
    clopper_upper,
    empirical_bernstein_radius,
    mixed_upper,
)

ALL_TASKS = ("classification", "regression", "novelty")


class _HoldOut(Bound):
    """What the bounds on unseen rows have in common."""

    needs: ClassVar[tuple[str, ...]] = ("holdout",)
    covers = frozenset({"train"})
    assumptions = (
        "the unseen rows are independent draws from the law of future data",
        "nothing about the model was decided by looking at them",
    )

    @staticmethod
    def _spent(part: HoldOut) -> str:
        trained = "" if part.trained_on is None else f"; the model was trained on {part.trained_on}"
        return f"{part.rows} rows for counting only{trained}"


class HoldOutBinomial(_HoldOut):
    """R ≤ max{p : P(Bin(m, p) ≤ k) ≥ δ} after k errors on m unseen rows (Clopper–Pearson).

    Exact: no smaller limit that is a function of k alone is right for every law.
    """

    code = "holdout"
    title = "exact binomial hold-out limit"
    reference = "Clopper and Pearson 1934; Langford 2005, theorem 3.3"
    tasks = ALL_TASKS

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part = evidence.need("holdout")
        if part.errors is None:
            raise NotApplicable("the hold-out rows carry losses, not errors", structural=True)
        return Outcome(
            value=clopper_upper(part.errors, part.rows, delta),
            n=part.rows,
            observed=part.errors / part.rows,
            counted=f"{part.errors} errors on {part.rows} unseen rows",
            spent=self._spent(part),
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """From none to all wrong."""
        for errors, rows in ((0, 50), (11, 400), (400, 400)):
            yield Evidence(600, holdout=HoldOut(rows, errors, trained_on=600))
        yield Evidence(900, task="regression", holdout=HoldOut(100, 7))


class HoldOutClasses(_HoldOut):
    """The error rate within each class, k errors on m rows of it: the largest of the limits.

    Every class has its own exact limit max{p : P(Bin(m, p) ≤ k) ≥ δ/K} at its share of δ.
    """

    code = "holdout-classes"
    title = "exact binomial hold-out limit within every class"
    reference = "Clopper and Pearson 1934, one limit per class, union bound"
    quantity = BY_CLASS["classes"]

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, limits, ledger = _class_limits(evidence, delta)
        worst = max(limits, key=lambda label: limits[label])
        return Outcome(
            value=limits[worst],
            n=part.rows,
            observed=max(e / r for r, e in part.classes.values()),
            ledger=ledger,
            counted=_table(part),
            spent=self._spent(part),
            quantity=class_quantity("classes", limits),
            details={"classes": limits, "worst": worst},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Balanced, and one to fifty."""
        yield _two_classes((200, 10), (200, 4))
        yield _two_classes((500, 3), (10, 2))


class HoldOutBalanced(_HoldOut):
    """The mean over K classes of their error rates: the mean of the K limits at δ/K.

    The limit of one class is max{p : P(Bin(m, p) ≤ k) ≥ δ/K}, k errors on its m unseen rows.
    """

    code = "holdout-balanced"
    title = "balanced error from exact binomial limits of every class"
    reference = "Clopper and Pearson 1934, one limit per class, union bound"
    quantity = BY_CLASS["balanced"]

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, limits, ledger = _class_limits(evidence, delta)
        return Outcome(
            value=sum(limits.values()) / len(limits),
            n=part.rows,
            observed=float(np.mean([e / r for r, e in part.classes.values()])),
            ledger=ledger,
            counted=_table(part),
            spent=self._spent(part),
            quantity=class_quantity("balanced", limits),
            details={"classes": limits},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Balanced, and one to fifty."""
        yield _two_classes((200, 10), (200, 4))
        yield _two_classes((500, 3), (10, 2))


class _Loss(_HoldOut):
    needs = ("holdout", "loss_range")
    tasks = ALL_TASKS
    quantity = "mean loss"

    @staticmethod
    def _losses(evidence: Evidence) -> tuple[HoldOut, Floats, float, float]:
        part = evidence.need("holdout")
        if part.losses is None:
            raise NotApplicable("the hold-out rows carry errors, not losses", structural=True)
        if part.unit != "row":
            raise NotApplicable("whole groups were held out, not single rows", structural=True)
        low, high = evidence.need("loss_range")
        if part.losses.min() < low or part.losses.max() > high:
            raise ValueError(
                f"a hold-out loss of {part.losses.max():.4g} lies outside the declared range "
                f"[{low:.4g}, {high:.4g}]; widen loss_range or clip the loss"
            )
        return part, part.losses, low, high

    def _finish(self, part: HoldOut, value: float, losses: Floats) -> Outcome:
        return Outcome(
            value=value,
            n=part.rows,
            observed=float(losses.mean()),
            counted=f"mean loss {losses.mean():.4g} on {part.rows} unseen rows",
            spent=self._spent(part),
            assumptions=("no loss can leave the declared range",),
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Losses of different spread."""
        rng = np.random.default_rng(0)
        for spread in (0.02, 0.5):
            losses = np.clip(rng.normal(0.3, spread, 300), 0, 2)
            yield Evidence(
                700, task="regression", holdout=HoldOut(300, losses=losses), loss_range=(0, 2)
            )


class HoldOutBetting(_Loss):
    """Mean of a bounded loss by betting against it; adapts to the variance, sharp constants.

    The largest mean μ at which Π(1 + b_i(μ − l_i)) over the unseen losses l_i stays below 1/δ; the
    bets b_i look at earlier rows only, so for the true mean the product rarely gets there (Ville).
    Of up to 300 losses half of the wealth is betted in fixed shares instead (`mixed_upper`).
    The order of the rows must not depend on their losses: shuffle a sorted table.
    """

    code = "holdout-loss"
    title = "betting limit of a bounded mean loss"
    reference = "Waudby-Smith and Ramdas, JRSS-B 86, 2024"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, losses, low, high = self._losses(evidence)
        return self._finish(part, mixed_upper(losses, delta, low=low, high=high), losses)


class HoldOutBernstein(_Loss):
    """Mean of a bounded loss from its sample variance; does not depend on the order of the rows.

    R ≤ mean + √(2V·ln(2/δ)/m) + 7(high − low)·ln(2/δ)/(3(m − 1)), V the sample variance.
    """

    code = "holdout-loss-bernstein"
    title = "empirical Bernstein limit of a bounded mean loss"
    reference = "Maurer and Pontil 2009, theorem 4"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, losses, low, high = self._losses(evidence)
        if part.rows < 2:
            raise NotApplicable("the sample variance needs at least two rows")
        radius = empirical_bernstein_radius(
            part.rows, delta, float(losses.var(ddof=1)), width=high - low
        )
        return self._finish(part, float(losses.mean()) + radius, losses)


@dataclass(frozen=True)
class Selective(_HoldOut):
    """Error rate among the rows the model does not abstain on, with a limit on the coverage.

    Given which rows were accepted their errors are binomial: the exact limit at 0.8·δ. The share of
    rows that is accepted is bounded from below in the same way at 0.2·δ.
    """

    coverage_share: float = 0.2  # of δ, for the statement about the coverage

    code = "selective"
    title = "exact binomial limit among accepted rows"
    reference = "Clopper and Pearson 1934; threshold fixed on the training part"
    quantity = "error rate among accepted rows"

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part = evidence.need("holdout")
        if part.accepted is None or part.accepted_errors is None:
            raise NotApplicable("the model never abstains", structural=True)
        if part.accepted == 0:
            raise NotApplicable("no hold-out row was accepted")
        shares = {"error when accepting": 1 - self.coverage_share, "coverage": self.coverage_share}
        ledger = Ledger.split(delta, shares, "two statements about the same rows")
        coverage = clopper_lower(part.accepted, part.rows, ledger["coverage"])
        return Outcome(
            value=clopper_upper(
                part.accepted_errors, part.accepted, ledger["error when accepting"]
            ),
            n=part.accepted,
            observed=part.accepted_errors / part.accepted,
            ledger=ledger,
            counted=f"{part.accepted_errors} errors, {part.accepted} of {part.rows} rows accepted",
            spent=self._spent(part),
            details={"coverage_at_least": coverage},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Nine tenths accepted."""
        yield Evidence(600, holdout=HoldOut(400, 20, accepted=360, accepted_errors=6))


def _class_limits(evidence: Evidence, delta: float) -> tuple[HoldOut, dict[str, float], Ledger]:
    part = evidence.need("holdout")
    if not part.classes:
        raise NotApplicable("the errors were not counted by class", structural=True)
    missing = [label for label, (rows, _) in part.classes.items() if rows == 0]
    if missing:
        raise NotApplicable(f"no hold-out row of class {missing[0]!r}")
    shares = {f"class {label}": 1 / len(part.classes) for label in part.classes}
    ledger = Ledger.split(delta, shares, "one limit per class")
    limits = {
        label: clopper_upper(errors, rows, ledger[f"class {label}"])
        for label, (rows, errors) in part.classes.items()
    }
    return part, limits, ledger


def _table(part: HoldOut) -> str:
    return ", ".join(f"{e} errors on {r} rows of class {k}" for k, (r, e) in part.classes.items())


def _two_classes(a: tuple[int, int], b: tuple[int, int]) -> Evidence:
    part = HoldOut(a[0] + b[0], a[1] + b[1], classes={"a": a, "b": b})
    return Evidence(600, holdout=part)
