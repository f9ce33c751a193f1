"""The base class of every bound: write ``_outcome`` and the facts, the rest is inherited."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from mercer._storable import record
from mercer.bounds._certificate import Certificate
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds.numerics.checks import level_or_default

KINDS = ("bound", "estimate", "conditional")
SIDES = ("upper", "interval")
MANY_MACHINES = 10
CLASSIFIERS = ("deterministic", "gibbs", "vote", "mixture", "one-of")


@record("bound-outcome")
@dataclass(frozen=True)
class Outcome:
    """What a bound computed, before it becomes a certificate."""

    value: float  # not clipped
    n: int  # rows counted
    lower: float | None = None
    observed: float | None = None  # the empirical quantity that an upper limit must not undercut
    ledger: Ledger | None = None  # None: one payment of all of δ
    counted: str = ""  # "11 errors on 400 unseen rows"
    spent: str = ""  # which rows were spent on what
    quantity: str | None = None  # overrides Bound.quantity
    assumptions: tuple[str, ...] = ()  # added to Bound.assumptions
    details: Mapping[str, Any] = field(default_factory=dict)
    phrase: str = ""  # the statement in words of its own, see Certificate


@dataclass(frozen=True)
class Bound(ABC):
    """A theorem that turns `Evidence` into a `Certificate`.

    Subclasses set the class facts and write ``_outcome(evidence, delta)``, which may raise
    `NotApplicable`. Parameters fixed before seeing the data are dataclass fields. ``examples``
    yields evidence the bound applies to; the contract tests run over it.
    """

    _stored_as: ClassVar[str] = "bound"
    code: ClassVar[str] = ""
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    provenance: ClassVar[str] = "literature"  # "book", "corrected", "derived", "literature"
    assumptions: ClassVar[tuple[str, ...]] = ("the rows are independent draws from one law",)
    needs: ClassVar[tuple[str, ...]] = ()  # fields of Evidence that must be there
    reads: ClassVar[tuple[str, ...]] = ()  # further fields it uses when they are
    instead: ClassVar[Mapping[str, str]] = {}  # fields that stand in for a missing one, at a price
    tasks: ClassVar[tuple[str, ...]] = ("classification",)
    kind: ClassVar[str] = "bound"
    side: ClassVar[str] = "upper"
    classifier: ClassVar[str] = "deterministic"
    quantity: ClassVar[str] = "error rate"
    covers: ClassVar[frozenset[str]] = frozenset()  # whose choices are free: {"train"} for hold-out
    by_machine: ClassVar[bool] = False  # a multi-class error is charged to the binary machines
    erratum: ClassVar[str] = ""  # what the text prints instead, and why it is not used

    def evaluate(
        self,
        evidence: Evidence,
        delta: float | None = None,
        *,
        log_delta: float | None = None,
        why: str = "",
    ) -> Certificate:
        """The certificate at failure probability ``delta`` (0.05) or e^``log_delta``.

        May raise `NotApplicable`. ``log_delta`` takes probabilities far below the smallest double,
        as shares of δ over many strata are.
        """
        delta = level_or_default(delta, log_delta)
        self._check(evidence)
        outcome = self._outcome_by_machine(evidence, delta)
        ledger = outcome.ledger or Ledger((Entry(self.title, delta, why or "the only statement"),))
        return Certificate.build(self, evidence, delta, outcome, ledger)

    def _check(self, evidence: Evidence) -> None:
        if evidence.task not in self.tasks:
            raise NotApplicable(
                f"speaks about {' and '.join(self.tasks)}, not about {evidence.task}",
                structural=True,
            )
        if not (evidence.machines and self.by_machine):
            for name in self.needs:
                missing = getattr(evidence, name) is None
                evidence.need(self.instead.get(name, name) if missing else name)

    def _outcome_by_machine(self, evidence: Evidence, delta: float) -> Outcome:
        """A vote of binary machines errs only if one of those its true class takes part in does."""
        if not (evidence.machines and self.by_machine):
            if evidence.n_classes > 2 and self.by_machine:
                raise NotApplicable("needs the evidence of each binary machine", structural=True)
            return self._outcome(evidence, delta)
        share = delta / len(evidence.machines)
        for machine in evidence.machines:
            self._check(machine)
        parts = self._until_vacuous(evidence.machines, share)
        complete = len(parts) == len(evidence.machines)
        told = f"{len(evidence.machines)} binary machines, their values added"
        if not complete:
            told = f"{told}: given up after {len(parts)} of them, the sum would reach 1"
        seen = [p.observed for p in parts if p.observed is not None]
        return Outcome(
            value=sum(p.value for p in parts) if complete else math.inf,
            n=evidence.n,
            observed=sum(seen) if len(seen) == len(evidence.machines) else None,
            ledger=Ledger(
                tuple(
                    Entry(f"{self.title}, machine {i + 1}", share, "one binary machine of several")
                    for i in range(len(evidence.machines))
                )
            ),
            counted=told,
            spent=parts[0].spent,
            assumptions=parts[0].assumptions,
            details={"machines": [p.value for p in parts]},
        )

    def _until_vacuous(self, machines: tuple[Evidence, ...], share: float) -> list[Outcome]:
        """Outcomes of the machines; of many, only so many as show that the sum will reach 1.

        The easiest machine comes first, then the hard ones. If what has been added up, and the
        smallest value seen for all others, reach 1, the statement is given up: saying nothing is
        never false, and 45 machines hardly ever stay below 1 together.
        """
        if len(machines) <= MANY_MACHINES:
            return [self._outcome(machine, share) for machine in machines]
        order = sorted(range(len(machines)), key=lambda i: _hardness(machines[i]), reverse=True)
        order = [order[-1], *order[:-1]]
        parts: dict[int, Outcome] = {}
        for i in order:
            parts[i] = self._outcome(machines[i], share)
            values = [part.value for part in parts.values()]
            if sum(values) + min(values) * (len(machines) - len(parts)) >= 1.0:
                break
        return [parts[i] for i in sorted(parts)]

    def covered(self, evidence: Evidence) -> frozenset[str]:
        """Whose choices are free for this evidence; ``covers`` unless its records say otherwise."""
        return self.covers

    @classmethod
    def informative_from(cls, delta: float = 0.05, *, share: float = 1.0) -> int | None:
        """Rows from which the bound says anything at the rates of its first example.

        ``share`` asks for a value below that share of the range: an exact tail is below 1 from the
        first row on. None if more rows never help, or for an estimate, which promises nothing.
        """
        certificate = cls().evaluate(next(iter(cls.examples())), delta)
        if certificate.kind == "estimate":
            return None
        return certificate.sample_size(share * certificate.loss_range[1] * (1.0 - 1e-9))

    @property
    def statement(self) -> str:
        """``kind``, or ``"printed"`` for a text's own number that no proof supports."""
        return "printed" if getattr(self, "as_printed", False) else self.kind

    @abstractmethod
    def _outcome(self, evidence: Evidence, delta: float) -> Outcome:
        """Compute the value at failure probability ``delta``."""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters fixed in advance, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    @abstractmethod
    def examples(cls) -> Iterator[Evidence]:
        """Evidence this bound applies to."""


def _hardness(evidence: Evidence) -> tuple[int, int]:
    """Wrong rows, then kept rows."""
    kept = evidence.compression
    return evidence.errors or 0, 0 if kept is None else kept.size
