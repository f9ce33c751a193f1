"""``mercer bound show CODE``: a bound explained, with a command that runs."""

from __future__ import annotations

import inspect
import json
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any

from mercer.bounds import Bound, Evidence, NotApplicable, Stage
from mercer.bounds.fields import MEANINGS, RECORDS
from mercer.cli._bound_evidence import NUMBERS, OPTIONS
from mercer.cli._bound_run import find_bound
from mercer.cli._bound_set import written
from mercer.cli._echo import echo
from mercer.errors import UserError

WIDTH = 78
KINDS = {
    "bound": "holds with the confidence asked for",
    "estimate": "an estimate: no confidence is attached",
    "conditional": "holds if a further assumption does",
}
# Tables of numbers: what they are, and what --set names.
MORE = {
    "loo": ("leave-one-out error rates or losses", "loo.exact"),
    "risks": ("mean losses on the training rows", "risks.squared"),
}


def show(code: str | None, delta: float, as_json: bool) -> None:
    """Print everything about one bound."""
    if code is None:
        raise UserError("which bound?", "`mercer bound list` has them all.")
    bound = find_bound(code)
    evidence, certificate = shortest_example(bound, delta)
    facts = {
        "code": bound.code,
        "title": bound.title,
        "kind": bound.kind,
        "about": bound.quantity,
        "formula": inspect.cleandoc(bound.__doc__ or ""),
        "reference": bound.reference,
        "provenance": bound.provenance,
        "erratum": bound.erratum,
        "assumptions": list(bound.assumptions),
        "tasks": list(bound.tasks),
        "needs": {need: _how(need) for need in bound.needs},
        "instead": dict(bound.instead),
        "reads": list(bound.reads),
        "params": bound().params,
        "example": shlex.join(["mercer", "bound", code, *arguments(evidence)]),
        "value": certificate.value,
        "informative_from": _rows_until(certificate, 1.0),
        "half_from": _rows_until(certificate, 0.5),
    }
    echo(json.dumps(facts, indent=1, default=str) if as_json else "\n".join(_lines(facts)))


def _rows_until(certificate: Any, share: float) -> int | None:
    """Rows at which the value would be below that share of its range, at the rates shown."""
    if certificate.kind == "estimate":
        return None
    return certificate.sample_size(share * certificate.loss_range[1] * (1.0 - 1e-9))


def shortest_example(bound: type[Bound], delta: float) -> tuple[Evidence, Any]:
    """The example of a bound that is quickest to type, and its certificate."""
    best: tuple[int, Evidence, Any] | None = None
    for evidence in bound.examples():
        length = sum(map(len, arguments(evidence)))
        if best is not None and length >= best[0]:
            continue
        try:
            best = length, evidence, bound().evaluate(evidence, delta)
        except NotApplicable:
            continue
    if best is None:
        raise UserError(f"no example of '{bound.code}' applies with --delta {delta}.")
    return best[1], best[2]


def arguments(evidence: Evidence) -> list[str]:
    """Options of ``mercer bound CODE`` that give exactly this evidence."""
    tree = evidence.to_dict()
    n = tree.pop("n")
    found = ["--n", str(n)]
    for record in (tree.get(name) for name in RECORDS):
        if record is not None and len(record) > 1 and record["rows"] == n:  # goes without saying
            del record["rows"]
    for name, option in NUMBERS.items():
        if name in tree:
            found += [f"--{option}", str(tree.pop(name))]
    for setting in written(tree):
        found += ["--set", setting]
    return found


def _how(need: str) -> dict[str, Any]:
    """What a fact is and how to give it."""
    record = Stage if need == "stages" else RECORDS.get(need)
    path = "stages.0" if need == "stages" else need
    known = MORE.get(need, (MEANINGS.get(need, need), need))
    return {
        "meaning": known[0],
        "options": [f"--{option}" for option in OPTIONS.get(need, ())],
        "set": [f"{path}.{f.name}{_default(f)}" for f in fields(record)] if record else [known[1]],
    }


def _default(field: Any) -> str:
    if field.name == "rows":
        return " (n)"
    value = field.default
    empty = value is MISSING or value is None or value == ()
    return "" if empty else f" ({str(value).lower() if isinstance(value, bool) else value})"


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    """The facts as a page for people."""
    yield f"{facts['code']}: {facts['title']}"
    yield f"limits the {facts['about']}; {KINDS[facts['kind']]}"
    yield ""
    yield from facts["formula"].splitlines()
    yield ""
    yield from _wrapped("source", f"{facts['reference']} ({facts['provenance']})")
    if facts["erratum"]:
        yield from _wrapped("erratum", facts["erratum"])
    for i, assumption in enumerate(facts["assumptions"]):
        yield from _wrapped("" if i else "assumes", assumption)
    for i, how in enumerate(facts["needs"].values()):
        yield from _wrapped("" if i else "needs", how["meaning"])
        if how["options"]:
            yield from _wrapped("", f"  {' '.join(how['options'])}, or")
        yield from _wrapped("", f"  --set {', '.join(how['set'])}")
    for missing, other in facts["instead"].items():
        yield from _wrapped("", f"without {missing}: --set {other}, at a price paid out of δ")
    if facts["params"]:
        shown = ", ".join(f"{name}={str(value).lower()}" for name, value in facts["params"].items())
        yield from _wrapped("constants", f"--param {shown}")
    yield ""
    yield f"example   {facts['example']}"
    yield f"          gives {facts['value']:.6g}"
    yield _means_something(facts)


def _means_something(facts: dict[str, Any]) -> str:
    """From how many rows on."""
    rows = facts["informative_from"]
    if facts["kind"] == "estimate":
        return "          an estimate promises nothing at any number of rows"
    if rows is None:
        return "          at these rates it says nothing at any number of rows"
    half = "" if facts["half_from"] is None else f", half of it from {facts['half_from']:,} on"
    return f"          below the trivial limit from {rows:,} rows on{half}, at these rates"


def _wrapped(label: str, text: str) -> list[str]:
    """A label and a paragraph beside it."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"{label:<10}",
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )
