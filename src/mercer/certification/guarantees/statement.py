"""What a guarantee found, as a certificate: one place that fills in what all of them share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mercer.bounds import Certificate, Entry, Ledger
from mercer.bounds.numerics.checks import as_level

ASSUMED = (
    "the unseen rows are independent draws from the law of future data",
    "nothing about the model was decided by looking at them",
)


@dataclass(frozen=True)
class Statement:
    """A number and where it comes from; ``paid`` says which share of δ went where."""

    value: float
    n: int
    observed: float | None = None
    counted: str = ""
    paid: Mapping[str, float] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    quantity: str | None = None
    lower: float | None = None


def certificate(
    found: Statement,
    *,
    code: str,
    title: str,
    reference: str,
    quantity: str,
    delta: float | None,
    side: str = "upper",
    limits: tuple[float, float] = (0.0, 1.0),
    phrase: str = "",
    learner: str = "the model",
    kind: str = "bound",
    assumed: tuple[str, ...] = ASSUMED,
    spent: str = "",
    provenance: str = "literature",
) -> Certificate:
    """The statement with its ledger, its range and its words."""
    if math.isnan(found.value):
        raise ArithmeticError(f"{code} evaluated to NaN; this is a bug in the guarantee")
    low, high = limits
    value = min(high, max(low, found.value))
    empty = found.value <= low if side == "lower" else found.value >= high
    level = None if delta is None else as_level(delta)
    shares = found.paid or {title: 1.0}
    ledger = Ledger()
    if level is not None:
        why = "the only statement" if len(shares) == 1 else "one of several statements"
        ledger = Ledger(tuple(Entry(what, level * part, why) for what, part in shares.items()))
    return Certificate(
        code=code,
        value=value,
        unclipped=found.value,
        kind=kind,
        side=side,
        classifier="deterministic",
        quantity=found.quantity or quantity,
        delta=level,
        n=found.n,
        title=title,
        reference=reference,
        provenance=provenance,
        assumptions=(*assumed, *found.assumptions),
        vacuous=bool(empty) and kind != "estimate",
        learner=learner,
        loss_range=(low, high),
        lower=found.lower,
        observed=found.observed,
        counted=found.counted,
        spent=spent or f"{found.n} rows for counting only",
        ledger=ledger,
        details=dict(found.details),
        phrase="" if empty else phrase,
    )
