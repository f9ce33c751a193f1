"""The work behind ``mercer inspect``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.cli._fit_data import describe, square_matrix
from mercer.cli._options import reader_options
from mercer.io.checks import check_columns, check_target
from mercer.io.dataset import Column, Dataset
from mercer.io.model_file import open_model
from mercer.io.plan import make_plan, size
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.io.task import make_target
from mercer.metrics import report

TRIPLES = 400  # rows among which the triangle inequality is checked completely
SPECTRUM = 3000


def inspect_path(
    path: str, target: str | None, values: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """A document and the same for people."""
    source = Source.of(path)
    start = source.head(4)
    if source.suffix == ".mercer" or (start[:2] == b"PK" and source.suffix not in (".npz",)):
        return inspect_model(path)
    data = read(source, reader_options(values))
    if values["precomputed"]:
        return inspect_matrix(square_matrix(data, values["precomputed"]), values["precomputed"])
    return inspect_data(source, data, target)


def inspect_data(
    source: Source, data: Dataset, target: str | None
) -> tuple[dict[str, Any], list[str]]:
    """Columns, checks, and what a fit would cost."""
    shape = getattr(data.matrix, "shape", (data.n, len(data.columns)))
    document: dict[str, Any] = {
        "name": source.name, "format": data.format, "dialect": data.dialect, "bytes": source.size,
        "rows_read": data.rows_read, "rows": data.n, "columns": [],
        "dropped": [{"row": r, "reason": why} for r, why in data.dropped], "notes": data.notes,
    }  # fmt: skip
    lines = [f"{source.name}: {data.format}, {data.rows_read:,} rows x {shape[-1]} columns, "
             f"{size(source.size)}"]  # fmt: skip
    if data.dialect:
        lines.append(", ".join(f"{k} {v!r}" for k, v in data.dialect.items()))
    lines += [f"row {row} cannot be used: {why}" for row, why in data.dropped[:10]]
    findings = check_columns(data.columns, data.rows) if data.columns else []
    if data.columns:
        described = [describe(column, "feature") for column in data.columns]
        document["columns"] = described
        lines += ["", *_column_lines(described)]
    if target is not None:
        column = data.column(target)
        column = Column(column.name, column.kind, column.values[~column.missing])
        aim = make_target(column)
        lines += ["", f"target {aim.name}: {aim.words} ({aim.task})"]
        document["target"] = aim.summary()
        if len(column.values) == data.n:
            others = [c for c in data.columns if c.name != column.name]
            findings += check_target(others, aim.y, aim.task, aim.name)
    document["checks"] = [f.to_dict() for f in findings]
    lines += [""] if findings or data.notes else []
    lines += [f"{f.level}: {f.message}" for f in findings] + [f"note: {n}" for n in data.notes]
    if data.columns:
        plan = make_plan(data.n, len(data.columns), 100, data.n * len(data.columns) * 8)
        document["plan"] = plan.to_dict()
        lines += ["", f"a fit would be: {plan.words}"]
    return document, lines


def _column_lines(described: list[dict[str, Any]]) -> list[str]:
    width = min(30, max(6, *(len(c["name"]) for c in described)))
    lines = [f"{'column':{width}}  {'kind':7} {'missing':>8} {'distinct':>9}  values"]
    for c in described:
        shown = f"{c['min']} to {c['max']}" if "min" in c else ", ".join(c["examples"])
        lines.append(f"{c['name'][:width]:{width}}  {c['kind']:7} {c['missing']:>8,} "
                     f"{c['distinct']:>9,}  {shown[:60]}")  # fmt: skip
    return lines


def inspect_matrix(matrix: NDArray[np.float64], kind: str) -> tuple[dict[str, Any], list[str]]:
    """Is it a kernel, or a metric, and how much is in it?"""
    n = len(matrix)
    document: dict[str, Any] = {"kind": kind, "rows": n}
    lines = [f"{kind} matrix of {n} x {n}, symmetric"]
    part = matrix
    if n > SPECTRUM:
        pick = np.linspace(0, n - 1, SPECTRUM).astype(np.intp)
        part = matrix[np.ix_(pick, pick)]
        lines.append(f"the spectrum is that of {SPECTRUM} of the rows")
    if kind == "kernel":
        document |= kernel_facts(part, lines)
    else:
        document |= distance_facts(part, lines)
    return document, lines


def kernel_facts(K: NDArray[np.float64], lines: list[str]) -> dict[str, Any]:
    """Positive semi-definite? Effective rank? Equal rows?"""
    values = np.linalg.eigvalsh(K)
    tolerance = 10 * len(K) * np.finfo(float).eps * max(abs(values[0]), abs(values[-1]))
    positive = values[values > tolerance]
    total = float(positive.sum())
    rank = total**2 / float(np.sum(positive**2)) if len(positive) else 0.0
    needed = int(np.searchsorted(np.cumsum(positive[::-1]), 0.99 * total) + 1) if total else 0
    psd = bool(values[0] >= -tolerance)
    twins = equal_rows(K)
    facts = {"psd": psd, "smallest": float(values[0]), "largest": float(values[-1]),
             "effective_rank": rank, "rank_99": needed, "equal_rows": twins}  # fmt: skip
    negative = float(-values[values < -tolerance].sum())
    lines.append(
        f"positive semi-definite: {'yes' if psd else 'NO'} (smallest eigenvalue {values[0]:.3g}, "
        f"largest {values[-1]:.3g})"
    )
    if not psd:
        share = negative / (negative + total)
        facts["negative_share"] = share
        lines.append(
            f"negative eigenvalues carry {100 * share:.2g} % of the spectrum: not a kernel; "
            "learn on distances instead, or repair it"
        )
    lines.append(f"effective rank {rank:.1f}; {needed} directions carry 99 % of the trace")
    lines.append(f"rows equal to an earlier one: {twins}")
    return facts


def distance_facts(D: NDArray[np.float64], lines: list[str]) -> dict[str, Any]:
    """A metric? Of negative type, so that Gaussians of it are kernels?"""
    n = len(D)
    scale = max(float(D.max()), 1e-300)
    diagonal = float(np.max(np.abs(np.diag(D))))
    zeros = int(np.sum(D[~np.eye(n, dtype=bool)] <= 1e-12 * scale)) // 2
    found = report(D, max_rows=TRIPLES)
    worst, where = found["D5"].worst, found["D5"].place
    metric = diagonal <= 1e-9 * scale and worst <= 1e-9 * scale
    centre = np.eye(n) - 1.0 / n
    facts: dict[str, Any] = {
        "metric": metric and zeros == 0,
        "pseudometric": metric,
        "diagonal": diagonal,
        "zero_pairs": zeros,
        "triangle_violation": worst,
    }
    said = (
        "yes"
        if metric and not zeros
        else "almost: different rows at distance 0"
        if metric
        else "NO"
    )
    lines.append(f"metric: {said}")
    if diagonal > 1e-9 * scale:
        lines.append(f"  a row is at distance {diagonal:.3g} from itself")
    if where:
        a, b, c = (v + 1 for v in where)
        lines.append(f"  triangle inequality fails by up to {worst:.3g}: d({a},{c}) > d({a},{b}) + "
                     f"d({b},{c}); {found['D5'].count:,} triples fail")  # fmt: skip
    if zeros:
        lines.append(f"  {zeros} pairs of different rows are at distance 0")
    for power, name in ((1.0, "distance"), (2.0, "squared distance")):
        values = np.linalg.eigvalsh(-0.5 * centre @ D**power @ centre)
        good = bool(values[0] >= -1e-9 * max(abs(values[-1]), 1e-300) * n)
        facts[f"negative_type_{int(power)}"] = good
        lines.append(f"{name} of negative type: {'yes' if good else 'NO'} "
                     f"(smallest eigenvalue {values[0]:.3g})")  # fmt: skip
    if facts["negative_type_2"]:
        lines.append("so the rows are points of a Euclidean space, and exp(-d²/2l²) is a kernel")
    elif facts["negative_type_1"]:
        lines.append("so exp(-d/l) is a kernel for every l")
    p, q = found.signature
    facts["report"] = found.to_dict()
    lines.append(f"{found.kind}, diameter {found.diameter:.4g}; embeds in {p} positive and {q} "
                 "negative directions")  # fmt: skip
    lines += [f"repair (mercer.metrics): {hint}" for hint in found.advice()]
    return facts


def equal_rows(K: NDArray[np.float64]) -> int:
    """Rows whose images coincide with that of an earlier row."""
    return int(len(K) - len(np.unique(K.round(12), axis=0)))


def inspect_model(path: str) -> tuple[dict[str, Any], list[str]]:
    """What a model file holds."""
    stored = open_model(path)
    about = stored.about
    document = {"about": about, "versions": stored.versions, "class": type(stored.model).__name__}
    model, data = about.get("model") or {}, about.get("data") or {}
    lines = [
        f"model       {model.get('words') or type(stored.model).__name__}",
        f"target      {about.get('target')} ({about.get('task')})",
        f"columns     {', '.join(str(c[0]) for c in about.get('columns') or [])}",
        f"data        {data.get('name')}, {data.get('rows_used')} rows, sha256 "
        f"{str(data.get('sha256'))[:16]}...",
        f"certificate {about.get('statement') or 'none'}",
        f"made        {about.get('created')} by Mercer {stored.versions.get('mercer')}, seed "
        f"{about.get('seed')}",
    ]
    if model.get("support"):
        lines.append(f"privacy     the file contains {model['support']} rows of the training data")
    return document, lines
