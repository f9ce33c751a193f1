"""Evaluating several bounds: all of them side by side, or the best of a declared set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mercer.bounds._bound import Bound
from mercer.bounds._certificate import Certificate
from mercer.bounds._evidence import Evidence
from mercer.bounds._ledger import Entry, Ledger
from mercer.bounds._not_applicable import NotApplicable
from mercer.bounds._registry import available, get
from mercer.bounds.numerics._check import check_delta


def assess(
    evidence: Evidence, delta: float = 0.05, bounds: Iterable[str | Bound] | None = None
) -> tuple[dict[str, Certificate], dict[str, str]]:
    """Every applicable certificate, each at its own full δ, and the reasons of the others.

    Each statement holds with probability 1−δ by itself; reporting the smallest of them needs
    :func:`best_of`.
    """
    check_delta(delta)
    certificates, refused = {}, {}
    for bound in map(_instance, available() if bounds is None else bounds):
        try:
            certificates[bound.code] = bound.evaluate(
                evidence, delta, why="shown side by side: holds by itself, not jointly"
            )
        except NotApplicable as no:
            refused[bound.code] = no.reason
    return certificates, refused


def best_of(
    evidence: Evidence,
    delta: float,
    bounds: Sequence[str | Bound],
    weights: Mapping[str, float] | None = None,
) -> Certificate:
    """The smallest value of a set of bounds declared in advance, δ divided over them.

    Bounds that do not apply for reasons known before the data (`NotApplicable.structural`) leave
    their share to the others; all other shares are spent whether or not they helped.
    """
    delta = check_delta(delta)
    declared = [_instance(b) for b in bounds]
    if not declared:
        raise ValueError("declare at least one bound")
    if any(b.kind != "bound" for b in declared):
        wrong = next(b.code for b in declared if b.kind != "bound")
        raise ValueError(f"{wrong} is not a bound; only bounds can be selected from")
    share = _shares(evidence, delta, declared, weights)
    certificates, entries, reasons = [], [], []
    for bound in (b for b in declared if b.code in share):
        entries.append(Entry(bound.title, share[bound.code], "one of the declared bounds"))
        try:
            certificates.append(bound.evaluate(evidence, share[bound.code]))
        except NotApplicable as no:
            reasons.append(f"{bound.code}: {no.reason}")
    if not certificates:
        raise NotApplicable("none of the declared bounds applies: " + "; ".join(reasons))
    return _settle(min(certificates, key=lambda c: c.unclipped), entries, delta)


def _settle(best: Certificate, entries: list[Entry], delta: float) -> Certificate:
    """The winner's own ledger in place of its entry, the losers' payments beside it."""
    others = tuple(e for e in entries if e.what != best.title)
    details = {**best.details, "own_delta": best.delta, "compared": [e.what for e in entries]}
    return replace(best, delta=delta, ledger=best.ledger + Ledger(others), details=details)


def _shares(
    evidence: Evidence,
    delta: float,
    declared: Sequence[Bound],
    weights: Mapping[str, float] | None,
) -> dict[str, float]:
    raw = {b.code: 1.0 if weights is None else float(weights[b.code]) for b in declared}
    if any(w <= 0 for w in raw.values()):
        raise ValueError("weights must be positive")
    reasons = []
    for bound in declared:
        try:
            bound.evaluate(evidence, delta)
        except NotApplicable as no:
            reasons.append(f"{bound.code}: {no.reason}")
            if no.structural:
                raw.pop(bound.code)
    if not raw:
        raise NotApplicable("none of the declared bounds applies: " + "; ".join(reasons))
    total = sum(raw.values())
    return {code: delta * w / total for code, w in raw.items()}


def _instance(bound: str | Bound) -> Bound:
    return get(bound)() if isinstance(bound, str) else bound
