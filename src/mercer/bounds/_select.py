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
from mercer.bounds.numerics.checks import as_level, level_or_default


def assess(
    evidence: Evidence,
    delta: float | None = None,
    bounds: Iterable[str | Bound] | None = None,
    *,
    log_delta: float | None = None,
) -> tuple[dict[str, Certificate], dict[str, str]]:
    """Every applicable certificate, each at its own full δ, and the reasons of the others.

    Each statement holds with probability 1−δ by itself; reporting the smallest of them needs
    :func:`best_of`.
    """
    delta = level_or_default(delta, log_delta)
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
    delta: float | None,
    bounds: Sequence[str | Bound],
    weights: Mapping[str, float] | None = None,
    *,
    log_delta: float | None = None,
) -> Certificate:
    """The smallest value of a set of bounds declared in advance, δ divided over them.

    Bounds that do not apply for reasons known before the data (`NotApplicable.structural`) leave
    their share to the others; all other shares are spent whether or not they helped.
    """
    delta = as_level(delta, log_delta)
    declared = [_instance(b) for b in bounds]
    if not declared:
        raise ValueError("declare at least one bound")
    if any(b.statement != "bound" for b in declared):
        wrong = next(b.code for b in declared if b.statement != "bound")
        raise ValueError(f"{wrong} is not a bound; only bounds can be selected from")
    raw = {b.code: 1.0 if weights is None else float(weights[b.code]) for b in declared}
    if any(w <= 0 for w in raw.values()):
        raise ValueError("weights must be positive")
    able = [b for b in declared if not _missing(b, evidence)]
    while able:
        share = delta / sum(raw[b.code] for b in able)
        shares = {b.code: share * raw[b.code] for b in able}
        found, refused = _evaluate(able, evidence, shares)
        left_out = [b for b in able if b.code in refused and refused[b.code].structural]
        if not left_out:
            entries = [Entry(b.title, shares[b.code], "one of the declared bounds") for b in able]
            if found:
                _check_same_subject(found)
                return _settle(min(found, key=lambda c: c.unclipped), entries, delta)
            break
        able = [b for b in able if b not in left_out]
    raise NotApplicable("none of the declared bounds applies: " + _reasons(declared, evidence))


def _missing(bound: Bound, evidence: Evidence) -> bool:
    """Whether the evidence lacks a field the bound cannot do without; costs nothing to ask."""
    try:
        bound._check(evidence)
    except NotApplicable as no:
        return no.structural
    return False


def _evaluate(
    bounds: Sequence[Bound], evidence: Evidence, shares: Mapping[str, float]
) -> tuple[list[Certificate], dict[str, NotApplicable]]:
    found, refused = [], {}
    for bound in bounds:
        try:
            found.append(bound.evaluate(evidence, shares[bound.code]))
        except NotApplicable as no:
            refused[bound.code] = no
    return found, refused


def _check_same_subject(found: Sequence[Certificate]) -> None:
    """The smallest of an error rate and an excess would be neither."""
    about = {c.quantity: c.code for c in found}
    if len(about) > 1:
        told = ", ".join(f"{code} about the {quantity}" for quantity, code in about.items())
        raise ValueError(f"the declared bounds speak about different things: {told}")


def _reasons(bounds: Sequence[Bound], evidence: Evidence) -> str:
    refused = _evaluate(bounds, evidence, dict.fromkeys((b.code for b in bounds), 0.5))[1]
    return "; ".join(f"{code}: {no.reason}" for code, no in refused.items())


def _settle(best: Certificate, entries: list[Entry], delta: float) -> Certificate:
    """The winner's own ledger in place of its entry, the losers' payments beside it."""
    others = list(entries)  # two settings of one bound have one title: only one of them won
    del others[[e.what for e in entries].index(best.title)]
    details = {**best.details, "own_delta": best.delta, "compared": [e.what for e in entries]}
    return replace(best, delta=delta, ledger=best.ledger + Ledger(tuple(others)), details=details)


def _instance(bound: str | Bound) -> Bound:
    return get(bound)() if isinstance(bound, str) else bound


def charge_candidates(
    certificate: Certificate, delta: float, own: float, count: int, how: str
) -> Certificate:
    """``certificate``, made at its share ``own``, with what the other candidates have spent."""
    others = Entry(f"the other {count - 1} candidates", delta - own, how)
    ledger = certificate.ledger + (Ledger((others,)) if count > 1 else Ledger())
    details = {**certificate.details, "candidates": count, "own_delta": own}
    return replace(certificate, delta=delta, ledger=ledger, details=details)
