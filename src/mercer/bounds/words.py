"""Certificates in plain words and in HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from mercer.bounds.numerics.checks import as_level

if TYPE_CHECKING:
    from mercer.bounds._certificate import Certificate

_FEW = 1e-4  # failure probabilities below this are written out
_WHO = {
    "deterministic": "{learner}",
    "gibbs": "the randomised (Gibbs) classifier around {learner}",
    "vote": "the majority vote of {learner}",
    "mixture": "the mixture of several models of {learner}",
    "one-of": "at least one (unnamed) of the progressive models of {learner}",
}

_SIGNS = {"upper": ("<=", "≤"), "interval": ("<=", "≤"), "lower": (">=", "≥")}
_COLOURS = {
    "bound": "#008060",
    "conditional": "#b36b00",
    "estimate": "#b36b00",
    "printed": "#b36b00",
    "vacuous": "#888888",
}


ABSOLUTE_ERROR = "absolute error"  # in the unit of the target
_NO_RATES = ("mean loss", "mean of ", ABSOLUTE_ERROR, "mean cost", "lift", "R²")


def names_a_rate(quantity: str) -> bool:
    """Whether a quantity is a share of rows, not the mean of a loss ("mean of min(|y-f|, 5)")."""
    return not quantity.startswith(_NO_RATES)


def number(value: float, certificate: Certificate) -> str:
    """Rates in per cent, other losses as they are."""
    return f"{100 * value:.3g} %" if names_a_rate(certificate.quantity) else f"{value:.4g}"


def first_line(c: Certificate) -> str:
    """One sentence; what speaks against the number is said before it."""
    who = _WHO[c.classifier].format(learner=c.learner)
    what = f"{c.quantity} of {who}"
    value = number(c.value, c)
    if c.phrase:
        sure = "no confidence statement" if c.delta is None else _confidence(c)
        line = f"{c.phrase.format(who=who, value=value)} ({sure})"
    elif c.kind == "estimate":
        line = f"estimate (no guarantee): {what} is about {value}"
    elif c.vacuous:
        line = f"{what} {_SIGNS[c.side][0]} {value}: says nothing (vacuous at n = {c.n})"
    elif c.lower is not None and c.lower > 0:
        line = f"{number(c.lower, c)} <= {what} <= {value} ({_confidence(c)})"
    else:
        line = f"{what} {_SIGNS[c.side][0]} {value} ({_confidence(c)})"
    if c.kind == "conditional":
        line = f"only if {c.assumptions[-1]}: {line}"
    if c.kind == "printed":
        line = f"NOT A GUARANTEE, the formula as printed in the text: {line}"
    return "; ".join([*c.caveats, line, *([c.advice] if c.advice else [])])


def caveats(found: Iterable[str], uncovered: Iterable[str]) -> tuple[str, ...]:
    """What the checks found, in their own words, then the choices that are not covered."""
    everything = list(dict.fromkeys(uncovered))
    fitted = [name for name in everything if name.startswith("what ")]  # not a choice by itself
    chosen = ", ".join(name for name in everything if name not in fitted)
    parts = [*fitted, *([f"the choice of {chosen} from the data"] if chosen else [])]
    return (*found, *(["DOES NOT COVER " + " and ".join(parts)] if parts else []))


def explain(c: Certificate) -> str:
    """Statement, theorem, counts, assumptions, ledger."""
    lines = [first_line(c) + "."]
    if c.kind == "bound":
        names = ", ".join(choice.what for choice in c.uncovered)
        had = f"{names} had been fixed before the data and " if names else ""
        had = "what was found were not so and " * bool(c.found) + had
        lines.append(
            f"If {had}such data were drawn again and again, the statement would be wrong in at "
            f"most {_share(c.delta)} of the draws."
        )
    elif c.kind == "estimate":
        lines.append("Nothing is promised about how far the truth is from this number.")
    elif c.kind == "printed":
        lines.append(f"The text's formula is not used because: {c.bound().erratum}")
    lines.append(f"Theorem: {c.title} ({c.reference}).")
    if c.counted:
        lines.append(f"Counted: {c.counted}.")
    if c.spent:
        lines.append(f"Data spent: {c.spent}.")
    lines.append("Assumes that " + "; that ".join(c.assumptions) + ".")
    lines += [
        f"Not covered: {choice.what} was chosen from the {choice.rows} rows"
        + (f" ({choice.how})" if choice.how else "")
        + "."
        for choice in c.uncovered
    ]
    if len(c.ledger) > 1:
        paid = "; ".join(f"{as_level(e.delta)} for {e.what}" for e in c.ledger)
        lines.append(f"Failure probability {c.ledger.total} was divided: {paid}.")
    if c.vacuous:
        lines.append(
            f"The computed value {c.unclipped:.4g} is not "
            f"{'above the smallest' if c.side == 'lower' else 'below the largest'} possible "
            f"{'value' if c.side == 'lower' else 'loss'} "
            f"{c.loss_range[c.side != 'lower']:.4g}, so this theorem says nothing here."
        )
    return "\n".join(lines)


def html(c: Certificate) -> str:
    """The number, the sentence, and the rest folded away, for notebooks."""
    rows = {
        "value": number(c.value, c) + (" (vacuous)" if c.vacuous else ""),
        "kind": c.kind,
        "about": _WHO[c.classifier].format(learner=c.learner),
        "confidence": "none: an estimate" if c.delta is None else _confidence(c),
        "theorem": f"{c.title} ({c.reference})",
        "counted": c.counted or f"{c.n} rows",
        "assumes": "; ".join(c.assumptions),
    }
    if c.found:
        rows["found"] = "; ".join(c.found)
    if c.uncovered:
        rows["not covered"] = ", ".join(choice.what for choice in c.uncovered)
    if len(c.ledger) > 1:
        rows["ledger"] = "; ".join(f"{as_level(e.delta)}: {e.what}" for e in c.ledger)
    body = "".join(
        "<tr><th style='text-align:left;vertical-align:top;padding-right:1em'>"
        f"{escape(k)}</th><td style='text-align:left'>{escape(v)}</td></tr>"
        for k, v in rows.items()
    )
    shade = "conditional" if c.caveats and c.kind == "bound" else c.kind
    colour = _COLOURS["vacuous" if c.vacuous else shade]
    sign = {"estimate": "≈ ", "printed": "as printed: "}.get(c.kind, f"{_SIGNS[c.side][1]} ")
    shown = "says nothing" if c.vacuous else sign + number(c.value, c)
    return (
        f"<div style='border-left:4px solid {colour};padding:.3em 1em;margin:.3em 0'>"
        f"<div style='font-size:1.6em;font-weight:bold;line-height:1.3'>{escape(shown)}</div>"
        f"<div>{escape(first_line(c))}</div>"
        "<details><summary>what was counted, and what it assumes</summary>"
        f"<table>{body}</table></details></div>"
    )


def _confidence(c: Certificate) -> str:
    return f"{confidence(c.delta)} confidence, n = {c.n}"


def confidence(delta: float | None) -> str:
    """``0.05`` as ``95 %``; in per cent, unless that would be rounded to certainty."""
    level = as_level(delta)
    return f"{100 * (1 - level):.4g} %" if level >= _FEW else f"1 − {level}"


def _share(delta: float | None) -> str:
    level = as_level(delta)
    return f"{100 * level:.3g} %" if level >= _FEW else f"a share {level}"
