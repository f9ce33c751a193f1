"""Evidence from numbers typed on the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from mercer.bounds import (
    Bound,
    Compression,
    Evidence,
    HoldOut,
    Pick,
    Pool,
    Posterior,
    Progressive,
    Record,
    Stage,
    Vote,
)
from mercer.bounds.fields import ARRAYS, RECORDS
from mercer.errors import UserError

# Which options a field of the evidence is made from.
OPTIONS = {
    "errors": ("error",),
    "dimension": ("vc",),
    "margins": ("margin", "error"),
    "slacks": ("margin", "error"),
    "norm": ("norm",),
    "point_norms": ("radius",),
    "radius": ("radius",),
    "rank": ("rank",),
    "C": ("c",),
    "compression": ("size", "error"),
    "pick": ("size",),
    "holdout": ("error",),
    "progressive": ("error",),
    "pool": ("pool", "disagreements"),
    "posterior": ("error", "kl"),
    "vote": ("error", "tandem"),
    "loss_range": ("range",),
    "loo": ("error",),
    "alphas": ("alpha",),
    "log_class_size": ("class-size",),
    "code_length": ("bits",),
    "risks": ("error",),
}
NUMBERS = {"dimension": "vc", "norm": "norm", "radius": "radius", "rank": "rank", "C": "c"}
DEFAULTS = {"norm": 1.0, "radius": 1.0}  # a unit vector and normalised points


def make_evidence(bound: type[Bound], given: Mapping[str, Any]) -> Evidence:
    """What the bound needs, from the options; says which one is missing.

    ``--set`` wins over the other options, and they win over the file of ``--evidence``.
    """
    file, settings = given.get("evidence") or {}, given.get("more") or {}
    for source in (file, settings):
        _check_names("evidence", source, Evidence)
    n = settings.get("n", given.get("n") or file.get("n"))
    if n is None:
        raise UserError(f"how many rows? '{bound.code}' needs --n.")
    facts: dict[str, Any] = {"task": bound.tasks[0]} | dict(file) | {"n": n}
    facts = _merged(facts, _from_options(bound, int(n), given, file, settings))
    facts = _merged(facts, settings)
    _check_fields(facts, int(n))
    try:
        return Evidence.from_dict(facts)
    except (TypeError, ValueError) as problem:
        raise UserError(f"these numbers do not fit together: {problem}") from None


def _from_options(
    bound: type[Bound],
    n: int,
    given: Mapping[str, Any],
    file: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields that short options stand for."""
    found: dict[str, Any] = {
        name: given[option] for name, option in NUMBERS.items() if given.get(option) is not None
    }
    missing: list[str] = []
    by_machine = bound.by_machine and "machines" in {*file, *settings}
    for need in bound.needs:
        names = {need, bound.instead.get(need, need)}
        elsewhere = by_machine or names & {*settings, *file}
        defaults = {} if elsewhere else DEFAULTS
        values = defaults | {k: v for k, v in given.items() if v is not None}
        lacking = [o for o in OPTIONS.get(need, ()) if o.replace("-", "_") not in values]
        if need in MAKERS and not lacking:
            found[need] = _as_tree(MAKERS[need](n, values))
        elif not elsewhere:
            missing += [f"--{o}" for o in lacking] or [f"--set {_place(need)}=VALUE"]
    if missing:
        raise UserError(
            f"'{bound.code}' ({bound.title}) needs {', '.join(dict.fromkeys(missing))}.",
            f"`mercer bound show {bound.code}` explains them and has an example.",
        )
    return found


def _as_tree(value: object) -> Any:
    """A record as its fields, so that ``--set`` can change one of them."""
    if not isinstance(value, Record):
        return value
    return {f.name: getattr(value, f.name) for f in fields(value)}


def _place(need: str) -> str:
    """How ``--set`` names a fact."""
    if need == "stages":
        return "stages.0.FIELD"
    return f"{need}.FIELD" if need in RECORDS else need


def _merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Records field by field, everything else replaced."""
    found = dict(base)
    for name, value in more.items():
        both = isinstance(value, dict) and isinstance(found.get(name), dict)
        found[name] = {**found[name], **value} if both else value
    return found


def _check_fields(facts: dict[str, Any], n: int) -> None:
    """Name what does not exist; a record counts all rows unless it says how many."""
    for name, record in RECORDS.items():
        if facts.get(name) is not None:
            _check_record(facts, name, record, n)
    for i, _ in enumerate(facts.get("stages") or ()):
        _check_record(facts["stages"], i, Stage, n, f"stages.{i}")
    for i, machine in enumerate(facts.get("machines") or ()):
        if not isinstance(machine, dict):
            raise UserError(f"machines.{i} is a record; set its fields.")
        _check_names(f"machines.{i}", machine, Evidence)
        machine.setdefault("n", n)
        _check_fields(machine, int(machine["n"]))
    for name in ARRAYS:
        if isinstance(facts.get(name), int | float):
            facts[name] = [facts[name]]


def _check_record(place: Any, key: Any, record: Any, n: int, called: str = "") -> None:
    called = called or str(key)
    if not isinstance(place[key], dict):
        names = ", ".join(f"{called}.{f.name}" for f in fields(record))
        raise UserError(f"'{called}' is a record; set its fields {names}.")
    _check_names(called, place[key], record)
    place[key] = {"rows": n} | place[key]


def _check_names(called: str, given: Mapping[str, Any], kind: Any) -> None:
    known = [f.name for f in fields(kind)]
    for name in given:
        if name not in known:
            raise UserError(f"{called} has no field '{name}'.", f"It has {', '.join(known)}.")


def _errors(n: int, given: Mapping[str, Any]) -> int:
    return math.ceil(float(given["error"]) * n - 1e-9)


def _margins(n: int, given: Mapping[str, Any]) -> Any:
    """The same margin for every row that is right, its negative for the others."""
    margins = np.full(n, float(given["margin"]))
    margins[: _errors(n, given)] *= -1.0
    return margins


def _holdout(n: int, given: Mapping[str, Any]) -> HoldOut:
    limits = given.get("range")
    errors = _errors(n, given)
    if limits is None:
        classes = {"0": (n - n // 2, errors - errors // 2), "1": (n // 2, errors // 2)}
        accepted = given.get("accepted")
        if accepted is not None:
            part = math.ceil(accepted * n)
            return HoldOut(n, errors, classes=classes, accepted=part,
                           accepted_errors=min(part, math.ceil(given["error"] * part)))  # fmt: skip
        return HoldOut(n, errors, classes=classes)
    low, high = limits
    return HoldOut(n, losses=np.full(n, min(high, max(low, float(given["error"])))))


MAKERS: dict[str, Any] = {
    "errors": _errors,
    "dimension": lambda n, g: float(g["vc"]),
    "margins": _margins,
    "slacks": lambda n, g: np.maximum(0.0, 1.0 - _margins(n, g)),
    "norm": lambda n, g: float(g["norm"]),
    "point_norms": lambda n, g: np.full(n, float(g["radius"])),
    "radius": lambda n, g: float(g["radius"]),
    "rank": lambda n, g: int(g["rank"]),
    "C": lambda n, g: float(g["c"]),
    "alphas": lambda n, g: np.full(n, float(g["alpha"])),
    "compression": lambda n, g: Compression(n, size=int(g["size"]), errors=_errors(n, g)),
    "pick": lambda n, g: Pick(n, kept=int(g["size"])),
    "holdout": _holdout,
    "progressive": lambda n, g: Progressive(n, _errors(n, g)),
    "pool": lambda n, g: Pool(int(g["pool"]), disagreements=int(g["disagreements"])),
    "posterior": lambda n, g: Posterior(n, gibbs=float(g["error"]), kl=float(g["kl"])),
    "vote": lambda n, g: Vote(n, gibbs=float(g["error"]), tandem=float(g["tandem"]),
                              disagreement=g.get("disagreement"), kl=float(g.get("kl", 0.0))),
    "loss_range": lambda n, g: tuple(g["range"]),
    "loo": lambda n, g: {"exact": float(g["error"]), "span": float(g["error"])},
    "risks": lambda n, g: {"squared": float(g["error"])},
    "log_class_size": lambda n, g: math.log(float(g["class_size"])),
    "code_length": lambda n, g: float(g["bits"]) * math.log(2.0),  # the bounds count in nats
}  # fmt: skip
