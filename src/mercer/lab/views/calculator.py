"""The calculator: every bound of `mercer.bounds` with a slider for every number that it reads."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from mercer import bounds
from mercer.bounds import Bound, Evidence, NotApplicable
from mercer.errors import UserError
from mercer.lab.questions import facts, number, one_of, word
from mercer.lab.view import Answer, Call, View

NUMBERS = ("C", "norm", "radius", "rank", "dimension", "errors", "trace", "log_class_size",
           "code_length", "neighbours")  # fmt: skip
FIXED = ("rows", "trained_on", "kl_risk")  # follow n, or are part of the set-up
SHARES = ("gibbs", "tandem", "disagreement", "pairs", "c")
FAR = 30.0  # a slider goes from a thirtieth to thirty times the example
POINTS = 32


@dataclass(frozen=True)
class Asked:
    """A bound and the numbers that were moved away from its example."""

    code: str = word(80)
    moved: dict[str, Any] = facts()
    delta: float = number(1e-12, 0.5, 0.05)


@dataclass(frozen=True)
class Aimed(Asked):
    """The same, and the value that is wanted."""

    target: float = number(1e-6, 1e6, 0.1)


@dataclass(frozen=True)
class Swept(Asked):
    """The same, while one number changes."""

    over: str = word(80, "n")
    scale: str = one_of("all", "informative")


class Calculator(View):
    """Starts from each bound's own example; nothing here knows a bound by name."""

    name, title, group, place = "calculator", "Calculator", "Calculate", 1
    about = "Any bound with a slider for each number it reads; rows for a target; curves."

    def calls(self) -> Mapping[str, Call]:
        """Value, rows for a target, curve."""
        return {"value": self.value, "target": self.target, "curve": self.curve}

    def start(self) -> Answer:
        """All bounds, with what is to be read beside the number."""
        return {"bounds": [{"code": code, "title": b.title, "kind": b.kind} for code, b in
                           bounds.available().items()]}  # fmt: skip

    def value(self, asked: Asked) -> Answer:
        """The certificate at these numbers, its parts, and where every slider stands."""
        bound, evidence = _set_up(asked)
        try:
            certificate = bound.evaluate(evidence, asked.delta)
        except NotApplicable as no:
            raise UserError(f"does not apply to these numbers: {no.reason}.") from None
        return {
            "title": bound.title,
            "kind": bound.kind,
            "about": bound.quantity,
            "reference": bound.reference,
            "formula": inspect.cleandoc(bound.__doc__ or ""),
            "assumptions": certificate.assumptions,
            "value": certificate.value,
            "unclipped": certificate.unclipped,
            "ceiling": certificate.loss_range[1],
            "words": certificate.explain(),
            "ledger": [{"what": e.what, "delta": float(e.delta), "why": e.why}
                       for e in certificate.ledger],
            "knobs": list(_knobs(evidence)),
            "follow": dict(_followers(evidence)),
            "python": _python(asked),
            "command": f"mercer bound show {asked.code}",
        }  # fmt: skip

    def target(self, asked: Aimed) -> Answer:
        """Rows at which the value would be the one wanted, at the same rates.

        They are of the rows that the certificate counts, which may be a part of all.
        """
        bound, evidence = _set_up(asked)
        try:
            certificate = bound.evaluate(evidence, asked.delta)
            return {"rows": certificate.sample_size(asked.target), "counted": certificate.n}
        except NotApplicable as no:
            raise UserError(f"does not apply to these numbers: {no.reason}.") from None

    def curve(self, asked: Swept) -> Answer:
        """Values while one number changes, from a thirtieth to thirty times what it is."""
        bound, evidence = _set_up(asked)
        if asked.over == "delta":
            at = np.geomspace(1e-9, 0.5, POINTS)
        else:
            known = {knob["name"]: knob for knob in _knobs(evidence)}
            if asked.over not in known:
                raise UserError(f"{asked.over} is not a number of this bound.")
            knob = known[asked.over]
            at = np.geomspace(max(knob["low"], 1e-3 * knob["high"]), knob["high"], POINTS)
            at = np.unique(np.round(at)) if knob["whole"] else at
        try:
            found = bounds.curve(bound, evidence, asked.over, at.tolist(), asked.delta)
        except ValueError as problem:
            raise UserError(f"{problem}") from None
        return {"at": found.at, "values": np.where(np.isfinite(found.values), found.values, np.nan),
                "ceiling": found.ceiling, "informative_from": found.informative_from}  # fmt: skip


def _set_up(asked: Asked) -> tuple[Bound, Evidence]:
    """The bound, and its first example with what was moved; n first, because it scales counts."""
    if asked.code not in bounds.available():
        raise UserError(f"there is no bound {asked.code[:80]!r}.")
    bound = bounds.get(asked.code)()
    evidence = next(iter(bound.examples()))
    for name in sorted(asked.moved, key=lambda name: name != "n"):
        knob = {k["name"]: k for k in _knobs(evidence)}.get(name)
        value = asked.moved[name]
        if knob is None or isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{str(name)[:80]} is not a number of this bound.")
        if not (math.isfinite(value) and 0 <= value <= 1e12):
            raise UserError(f"{name} must lie between 0 and 10^12.")
        evidence = evidence.vary(name, round(value) if knob["whole"] else float(value))
    return bound, evidence


def _knobs(evidence: Evidence) -> Iterator[Answer]:
    """Every number that can be moved, with a range around where it is."""
    yield _knob("n", evidence.n, evidence.n)
    if evidence.margins is not None and float(evidence.margins.min()) > 0:
        yield _knob("margin", float(evidence.margins.min()), evidence.n)
    for name in NUMBERS:
        if getattr(evidence, name, None) is not None:
            yield _knob(name, getattr(evidence, name), evidence.n)
    for field in fields(evidence):
        record = getattr(evidence, field.name)
        if is_dataclass(record):
            for part in fields(record):
                value = getattr(record, part.name)
                number_ = isinstance(value, int | float) and not isinstance(value, bool)
                if number_ and part.name not in FIXED:
                    yield _knob(f"{field.name}.{part.name}", value, evidence.n)


def _followers(evidence: Evidence) -> Iterator[tuple[str, int]]:
    """Counts that have no slider, because they are a share of n."""
    for field in fields(evidence):
        record = getattr(evidence, field.name)
        for part in fields(record) if is_dataclass(record) else ():
            value = getattr(record, part.name)
            if part.name in FIXED and isinstance(value, int) and value:
                yield f"{field.name}.{part.name}", value


def _knob(name: str, value: float, n: int) -> Answer:
    last, whole = name.rpartition(".")[2], isinstance(value, int)
    low, high = float(value) / FAR, float(value) * FAR
    if last in SHARES:
        low, high = 0.0, 1.0
    elif whole and name != "n":
        low, high = 0.0, max(10.0, min(float(n), max(high, 0.2 * n)))
    elif value == 0:
        high = 10.0
    if name == "n":
        low, high = max(2.0, math.floor(n / 100.0)), 100.0 * n
    return {"name": name, "value": value, "low": low, "high": high, "whole": whole,
            "log": low > 0 and high / low > 20}  # fmt: skip


def _python(asked: Asked) -> str:
    moves = "".join(f"\nevidence = evidence.vary({name!r}, {value!r})" for name, value in
                    sorted(asked.moved.items(), key=lambda item: item[0] != "n"))  # fmt: skip
    return (
        f"from mercer import bounds\n\nbound = bounds.get({asked.code!r})()\n"
        f"evidence = next(iter(bound.examples())){moves}\n"
        f"print(bound.evaluate(evidence, {asked.delta!r}).explain())\n"
    )
