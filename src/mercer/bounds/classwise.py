"""The worst class, or the mean over the classes, from any bound that counts single rows.

Given the labels, the rows of one class are independent draws from the law of that class. A theorem
about independent rows therefore holds within every class, with the rows of the other classes kept
fixed; one statement per class, δ divided over them. For Pick-to-Learn this works because a row that
was never picked could be left out without changing anything, whatever its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.bounds._bound import Bound, Outcome
from mercer.bounds._certificate import Certificate
from mercer.bounds._class_names import BY_CLASS, class_quantity
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._records import HoldOut, Pick, Pool, Posterior, Progressive, Vote
from mercer.bounds.numerics import clopper_lower, clopper_upper, fixed_c_upper

Table = Mapping[str, float]


def combined(values: Table, error: str) -> float:
    """The largest value, or the mean."""
    if error not in BY_CLASS:
        raise ValueError(f"error must be one of {sorted(BY_CLASS)}, got {error!r}")
    return max(values.values()) if error == "classes" else float(np.mean([*values.values()]))


def class_ledger(labels: Mapping[str, object], delta: float) -> Ledger:
    """The same share of δ for every class."""
    shares = {f"class {label}": 1 / len(labels) for label in labels}
    return Ledger.split(delta, shares, "one limit per class")


class _Classwise(Bound):
    covers = frozenset({"train"})
    provenance = "derived"
    quantity = "error rates within the classes"
    assumptions: ClassVar[tuple[str, ...]] = (
        *Bound.assumptions,
        "nothing was decided by looking at the counted rows but what the theorem allows",
    )


@dataclass(frozen=True)
class ByClass(_Classwise):
    """The bound ``base`` on the rows of every class by themselves, each with its share of δ.

    Given the labels, the rows of a class are independent draws from its law, so with K classes
    P(wrong | class) ≤ B(rows of the class, δ/K) for all of them; the largest, or the mean, is told.
    """

    base: str = "compress"
    error: str = "classes"

    code = "by-class"
    title = "one limit per class, given the labels"
    reference = "the theorem named in the details, conditionally on the labels; union bound"
    needs = ("classes",)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        parts: Mapping[str, Evidence] = evidence.need("classes")
        ledger = class_ledger(parts, delta)
        found = {
            label: self._within(part, label, ledger[f"class {label}"])
            for label, part in parts.items()
        }
        limits = {label: c.unclipped for label, c in found.items()}
        seen = {label: c.observed for label, c in found.items() if c.observed is not None}
        details: dict[str, Any] = {"classes": limits, "theorem": next(iter(found.values())).title}
        accepted = [
            c.details["coverage_at_least"]
            for c in found.values()
            if "coverage_at_least" in c.details
        ]
        if accepted:  # the rate of acceptance is a mean over the classes
            details["coverage_at_least"] = min(accepted)
        return Outcome(
            value=combined(limits, self.error),
            n=sum(c.n for c in found.values()),
            observed=combined(seen, self.error) if len(seen) == len(found) else None,
            ledger=ledger,
            counted="; ".join(f"class {label}: {c.counted}" for label, c in found.items()),
            spent=next(iter(found.values())).spent,
            quantity=class_quantity(self.error, limits, " of accepted rows" * bool(accepted)),
            details=details,
        )

    def _within(self, part: Evidence, label: str, delta: float) -> Certificate:
        from mercer.bounds._registry import get

        try:
            return get(self.base)().evaluate(part, delta)
        except NotApplicable as no:
            raise NotApplicable(f"class {label!r}: {no.reason}", structural=no.structural) from no

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Picks of a common and of a rare class."""
        common = Evidence(400, pick=Pick(400, 8, (350, 310, 250), (0.25, 0.5, 0.25)))
        rare = Evidence(60, pick=Pick(60, 5, (50, 40, 30), (0.25, 0.5, 0.25)))
        yield Evidence(1000, classes={"common": common, "rare": rare})


@dataclass(frozen=True)
class ByClassGibbs(ByClass):
    """One PAC-Bayesian limit per class for a classifier that draws its weights.

    kl(r̂‖r) ≤ (KL + ln(Kξ(m)/δ))/m for the mean error r̂ on the m rows of each of K classes.
    """

    base: str = "pac-bayes-prior"

    code = "by-class-gibbs"
    title = "one limit per class, given the labels, randomised classifier"
    classifier = "gibbs"

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """One posterior, counted in two classes."""
        yield _two_classes(lambda rows, g: {"posterior": Posterior(rows, gibbs=g, kl=3.0)})


@dataclass(frozen=True)
class ByClassVote(ByClass):
    """One limit per class for a weighted majority vote: four times the tandem loss.

    Within each of K classes kl(t̂‖t) ≤ (2KL + ln(Kξ(m)/δ))/m, t the chance that two are both wrong.
    """

    base: str = "vote-tandem"

    code = "by-class-vote"
    title = "one limit per class, given the labels, majority vote"
    classifier = "vote"

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """One vote, counted in two classes."""
        yield _two_classes(lambda rows, g: {"vote": Vote(rows, gibbs=g, tandem=0.5 * g, kl=1.0)})


@dataclass(frozen=True)
class ProgressiveClasses(_Classwise):
    """Mean over the models of P(wrong | class) = P(wrong and class)/P(class).

    The numerator by the fixed-c martingale, which counts wrong rows of the class among all rows;
    the denominator from below by the exact binomial limit.
    """

    error: str = "classes"
    class_share: float = 0.2  # of a class's δ, for its frequency

    code = "progressive-classes"
    title = "progressive validation within every class"
    reference = "fixed-c martingale over the joint events, exact binomial for the class; union"
    classifier = "mixture"
    needs = ("progressive",)

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        run: Progressive = evidence.need("progressive")
        if not run.classes:
            raise NotApplicable("the errors were not counted by class", structural=True)
        ledger, limits, seen = class_ledger(run.classes, delta), {}, {}
        for label, (rows, errors) in run.classes.items():
            mine = ledger[f"class {label}"]
            share = clopper_lower(rows, run.rows, self.class_share * mine)
            if share == 0.0:
                raise NotApplicable(f"no row of class {label!r} was counted")
            joint = fixed_c_upper(
                errors / run.rows, run.rows, (1 - self.class_share) * mine, c=run.c
            )
            limits[label], seen[label] = joint / share, errors / rows
        return Outcome(
            value=combined(limits, self.error),
            n=run.rows,
            observed=combined(seen, self.error),
            ledger=ledger,
            counted=_table(run.classes),
            spent="every later row first tested, then trained on",
            quantity=class_quantity(self.error, limits),
            assumptions=(f"c = {run.c:.4g} was fixed before the first block",),
            details={"classes": limits},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Twenty models on 500 rows of two classes."""
        table = {"a": (300, 8), "b": (200, 12)}
        run = Progressive(500, 20, models=20, c=0.4, trained_on=500, classes=table)
        yield Evidence(1000, progressive=run)


@dataclass(frozen=True)
class TransferClasses(_Classwise):
    """P(f ≠ y | y) ≤ P(h ≠ y | y) + P(h = y, f ≠ y)/P(y), for every class y.

    The first term by the exact binomial on held-out rows of the class; of the pool only rows that h
    calls y and f does not can be new errors; the frequency of the class from below.
    """

    error: str = "classes"
    shares: tuple[float, float, float] = (0.7, 0.2, 0.1)  # hold-out, pool, frequency of the class

    code = "transfer-classes"
    title = "hold-out limit plus lost rows of a pool, within every class"
    reference = "triangle inequality for the 0-1 loss within a class, exact binomial; union"
    needs = ("holdout", "pool")

    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        part, pool = evidence.need("holdout"), evidence.need("pool")
        if not (part.classes and pool.lost):
            raise NotApplicable("errors and lost rows were not counted by class", structural=True)
        ledger, limits, seen = class_ledger(part.classes, delta), {}, {}
        for label, (rows, errors) in part.classes.items():
            if rows == 0:
                raise NotApplicable(f"no hold-out row of class {label!r}")
            first, second, third = (s * ledger[f"class {label}"] for s in self.shares)
            lost = clopper_upper(pool.lost.get(label, 0), pool.rows, second)
            limits[label] = clopper_upper(errors, rows, first)
            limits[label] += lost / clopper_lower(rows, part.rows, third)
            seen[label] = errors / rows
        return Outcome(
            value=combined(limits, self.error),
            n=part.rows,
            observed=combined(seen, self.error),
            ledger=ledger,
            counted=f"{_table(part.classes)}; lost in a pool of {pool.rows}: {dict(pool.lost)}",
            spent=f"{part.rows} labelled rows first held out, then trained on; {pool.rows} "
            "unlabelled rows",
            quantity=class_quantity(self.error, limits),
            assumptions=("no model was trained on the pool, which follows the law of future data",),
            details={"classes": limits},
        )

    @classmethod
    def examples(cls) -> Iterator[Evidence]:
        """Two classes, a large pool."""
        part = HoldOut(400, 12, classes={"a": (240, 4), "b": (160, 8)})
        yield Evidence(1000, holdout=part, pool=Pool(5000, 40, lost={"a": 15, "b": 25}))


def _two_classes(counted: Callable[[int, float], dict[str, Any]]) -> Evidence:
    """Something counted on the rows of two classes with different rates of error."""
    of = {"a": (300, 0.05), "b": (100, 0.1)}
    parts = {label: Evidence(rows, **counted(rows, rate)) for label, (rows, rate) in of.items()}
    return Evidence(1000, classes=parts)


def _table(classes: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(f"{e} errors on {r} rows of class {k}" for k, (r, e) in classes.items())
