"""The work behind ``mercer bound``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click
import numpy as np

from mercer.bounds.words import confidence
from mercer.cli._bound_evidence import OPTIONS, make_evidence
from mercer.cli._bound_set import read_settings
from mercer.cli._echo import echo
from mercer.errors import UserError
from mercer.io.atomic import write_bytes
from mercer.io.jsonable import jsonable

POINTS = 13
BAR = 40


def list_bounds(as_json: bool) -> None:
    """Code, kind, title, reference and options of every bound."""
    from mercer.bounds import available

    found = available()
    if as_json:
        facts = {
            code: {"title": b.title, "kind": b.kind, "reference": b.reference,
                   "classifier": b.classifier, "needs": list(b.needs)}
            for code, b in found.items()
        }  # fmt: skip
        echo(json.dumps(facts, indent=1))
        return
    width = max(map(len, found))
    for code, bound in found.items():
        options = dict.fromkeys(
            o for need in bound.needs for o in OPTIONS.get(need, (f"set {need}",))
        )
        sign = "≈" if bound.kind == "estimate" else "≤"
        echo(f"{code:<{width}}  {sign} {bound.title}")
        echo(f"{'':<{width}}    --n {' '.join('--' + o for o in options)}")
    echo("\n`mercer bound show CODE` explains one of them and has an example.")


def failure_probability(delta: float, log_delta: float | None) -> float:
    """What ``--delta`` and ``--log-delta`` say; the latter wins over a default."""
    from mercer.bounds.numerics.checks import as_level

    if log_delta is None:
        return as_level(delta)
    source = click.get_current_context().get_parameter_source("delta")
    if source is not click.core.ParameterSource.DEFAULT:
        raise UserError("--delta and --log-delta say the same thing; give one of them.")
    try:
        return as_level(None, log_delta)
    except ValueError as problem:
        raise UserError(f"{problem}.") from None


def calculate(code: str, values: dict[str, Any]) -> None:
    """Evaluate, invert, draw."""
    from mercer.bounds import NotApplicable

    kind = find_bound(code)
    values = values | {"more": read_settings(values["more"]), "evidence": _read_file(values)}
    bound, evidence = _with_params(kind, values["params"]), make_evidence(kind, values)
    try:
        certificate = bound.evaluate(evidence, values["delta"])
    except NotApplicable as no:
        raise UserError(f"'{code}' does not apply to these numbers: {no.reason}.") from None
    document: dict[str, Any] = {"certificate": certificate.to_dict(inputs=False)}
    lines = [certificate.explain()]
    if values["target"] is not None:
        document |= _inverted(certificate, values["target"], lines)
    if values["curve"]:
        document["curve"] = _curve(bound, evidence, values, lines)
    echo(json.dumps(jsonable(document)) if values["as_json"] else "\n".join(lines))


def find_bound(code: str) -> Any:
    """The bound with this code; suggests the closest."""
    from mercer.bounds import available

    known = available()
    if code not in known:
        from difflib import get_close_matches

        near = get_close_matches(code, known, 3, 0.4)
        hint = f"Did you mean {' or '.join(near)}?" if near else "`mercer bound list` has them all."
        raise UserError(f"there is no bound '{code}'.", hint)
    return known[code]


def _read_file(values: dict[str, Any]) -> dict[str, Any]:
    """The facts of ``--evidence``."""
    path = values["evidence"]
    if path is None:
        return {}
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UserError(f"cannot read {path}: {problem.strerror}.") from None
    except ValueError as problem:
        raise UserError(f"{path} is not JSON: {problem}.") from None
    if not isinstance(facts, dict):
        raise UserError(f"{path} does not hold evidence, which is a JSON object.")
    return facts


def _with_params(kind: Any, texts: tuple[str, ...]) -> Any:
    """The bound with its constants."""
    params = read_settings(texts)
    known = kind().params
    for name in params:
        if name not in known:
            has = f"It has {', '.join(known)}." if known else "It has none."
            raise UserError(f"'{kind.code}' has no constant '{name}'.", has)
    try:
        return kind(**params)
    except (TypeError, ValueError) as problem:
        raise UserError(f"'{kind.code}' cannot be set up like this: {problem}") from None


def _inverted(certificate: Any, target: float, lines: list[str]) -> dict[str, Any]:
    """Rows and confidence for a wanted value."""
    if not target > 0:
        raise UserError("--target must be above 0.")
    rows = certificate.sample_size(target)
    delta = None if certificate.kind == "estimate" else certificate.delta_for(target)
    if rows is None:
        lines.append(f"No number of rows brings it to {target:g} at these rates.")
    else:
        lines.append(f"For {target:g} at the same rates: {rows:,} rows.")
    if delta is not None:
        lines.append(
            f"With the {certificate.n:,} rows there are, {target:g} holds with "
            f"{confidence(delta)} confidence."
        )
    return {"target": target, "rows": rows, "delta": None if delta is None else delta.to_json()}


def _curve(bound: Any, evidence: Any, values: dict[str, Any], lines: list[str]) -> dict[str, Any]:
    from mercer.bounds import curve

    name, low, high = _span(values["curve"])
    at = np.geomspace(low, high, POINTS) if low > 0 else np.linspace(low, high, POINTS)
    if name == "n" or _is_count(evidence, name):
        at = np.unique(np.round(at))
    over = {"vc": "dimension", "c": "C"}.get(name, name)
    try:
        found = curve(bound, evidence, over, at.tolist(), values["delta"])
    except ValueError as problem:
        raise UserError(f"cannot vary {name}: {problem}") from None
    lines.append("")
    for x, value in zip(found.at, found.values, strict=True):
        lines.append(_bar(name, float(x), float(value), found.ceiling))
    if values["plot"] is not None:
        _draw(found, name, values["plot"], bound.title)
        lines.append(f"drawn to {values['plot']}")
    return {"over": name, "at": found.at.tolist(), "values": found.values.tolist()}


def _is_count(evidence: Any, name: str) -> bool:
    """Whether the number that changes is a whole one."""
    value = evidence
    for part in name.split("."):
        value = getattr(value, part, None)
    return isinstance(value, int) and not isinstance(value, bool)


def _span(text: str) -> tuple[str, float, float]:
    name, equals, rest = text.partition("=")
    low, colon, high = rest.partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = (math.nan, math.nan)
    if not (equals and colon and ends[0] < ends[1]):
        raise UserError(f"'{text}' is not NAME=FROM:TO.", "For instance: --curve n=100:100000")
    return name.strip(), ends[0], ends[1]


def _bar(name: str, x: float, value: float, ceiling: float) -> str:
    if math.isnan(value):
        return f"{name} {x:>12,.6g}   does not apply"
    filled = round(BAR * min(1.0, max(0.0, value / ceiling)))
    mark = " says nothing" if value >= ceiling else ""
    return f"{name} {x:>12,.6g}   {value:>8.4f} {'█' * filled}{'·' * (BAR - filled)}{mark}"


def _draw(found: Any, name: str, path: Path, title: str) -> None:
    try:
        import matplotlib
    except ImportError:
        raise UserError("drawing needs matplotlib.", "Install mercer[app].") from None
    matplotlib.use("Agg")
    import io

    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    ax.plot(found.at, np.minimum(found.values, found.ceiling))
    if found.at[0] > 0:
        ax.set_xscale("log")
    ax.set(xlabel=name, ylabel="value", title=title, ylim=(0, found.ceiling * 1.02))
    out = io.BytesIO()
    figure.savefig(out, dpi=120, format=path.suffix.lstrip(".").lower() or "png")
    plt.close(figure)
    write_bytes(path, out.getvalue())
