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
    Vote,
)
from mercer.io.errors import UserError

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


def make_evidence(bound: type[Bound], given: Mapping[str, Any]) -> Evidence:
    """What the bound needs, from the options; says which one is missing."""
    n = given.get("n")
    if n is None:
        raise UserError(f"how many rows? '{bound.code}' needs --n.")
    missing = [f"--{o}" for need in bound.needs for o in OPTIONS.get(need, ())
               if given.get(o.replace("-", "_")) is None]  # fmt: skip
    if missing:
        raise UserError(
            f"'{bound.code}' ({bound.title}) needs {', '.join(dict.fromkeys(missing))}."
        )
    facts: dict[str, Any] = {"task": bound.tasks[0], "learner": "the model"}
    for name in bound.needs:
        if name in MAKERS:
            facts[name] = MAKERS[name](int(n), given)
    known = {f.name for f in fields(Evidence)}
    for name, value in (given.get("more") or {}).items():
        if name not in known:
            raise UserError(
                f"evidence has no field '{name}'.", f"It has {', '.join(sorted(known))}."
            )
        facts[name] = value
    try:
        return Evidence(int(n), **facts)
    except (TypeError, ValueError) as problem:
        raise UserError(f"these numbers do not fit together: {problem}") from None


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
                              disagreement=g.get("disagreement"), kl=float(g.get("kl") or 0.0)),
    "loss_range": lambda n, g: tuple(g["range"]),
    "loo": lambda n, g: {"exact": float(g["error"]), "span": float(g["error"])},
    "risks": lambda n, g: {"squared": float(g["error"])},
    "log_class_size": lambda n, g: math.log(float(g["class_size"])),
    "code_length": lambda n, g: float(g["bits"]),
}  # fmt: skip
