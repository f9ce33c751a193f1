"""The work behind ``mercer inspect``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mercer.app.checks import Finding, check_columns
from mercer.app.doubts import doubts
from mercer.app.inspect_matrix import guess_kind, inspect_matrix
from mercer.app.keys import identifiers
from mercer.app.options import FitOptions
from mercer.app.plan import make_plan, size
from mercer.app.profile import profile
from mercer.app.reading import reader_options
from mercer.app.roles import LETTERS, FitData, describe, make_fit_data
from mercer.app.sequences import check_sequences, sequence_words
from mercer.app.train import FEW, SAMPLE, plan_fit
from mercer.errors import UserError
from mercer.io.atomic import write_text
from mercer.io.jsonable import jsonable
from mercer.io.model_file import open_model
from mercer.io.readers import available, excel, read
from mercer.io.source import Source
from mercer.report.profile_page import profile_page
from mercer.tables import TablePreparation
from mercer.tables.dataset import Dataset
from mercer.tables.schema import schema_words


def inspect_path(
    path: str, target: str | None, values: dict[str, Any], profiled: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """A document and the same for people."""
    source = Source.of(path)
    known = {end for reader in available().values() for end in reader.SUFFIXES}
    if source.suffix == ".mercer" or (
        source.head(2) == b"PK" and source.suffix not in known and not excel.sniff(source.head())
    ):
        return inspect_model(path)
    data = read(source, reader_options(values))
    kind = values["precomputed"] or (None if target else guess_kind(data))
    if kind:
        return inspect_matrix(data, kind, guessed=not values["precomputed"])
    return inspect_data(source, data, target, profiled)


def inspect_data(
    source: Any,
    data: Dataset,
    target: str | None,
    profiled: bool = False,
    of_all_rows: Callable[[dict[str, Any]], list[str]] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Columns, checks, and what a fit would cost.

    Where ``data`` are a sample, ``of_all_rows`` puts what is known of all rows into the document,
    and says it.
    """
    shape = getattr(data.matrix, "shape", (data.n, len(data.columns)))
    document: dict[str, Any] = {
        "name": source.name, "format": data.format, "dialect": data.dialect, "bytes": source.size,
        "rows_read": data.rows_read, "rows": data.n, "columns": [],
        "dropped": [{"row": r, "reason": why} for r, why in data.dropped], "notes": data.notes,
    }  # fmt: skip
    width = "sequences" if data.kind == "objects" else f"rows x {shape[-1]} columns"
    lines = [f"{source.name}: {data.format}, {data.rows_read:,} {width}, {size(source.size)}"]
    if data.dialect:
        lines.append(", ".join(f"{k} {v!r}" for k, v in data.dialect.items()))
    lines += [f"row {row} cannot be used: {why}" for row, why in data.dropped[:10]]
    notes = [Finding("reader", "note", note) for note in data.notes]
    findings = notes
    if data.kind == "objects":
        findings = _describe_sequences(data, document, lines) + notes
    elif data.columns and target is None:
        keys = identifiers(data.columns)
        findings = check_columns(data.columns, data.rows, keys) + notes
        roles = dict.fromkeys(keys, "identifier")
        document["columns"] = [describe(c, roles.get(c.name, "feature")) for c in data.columns]
        if profiled:
            document["profile"] = profile(data, None, keys)
    elif data.columns:  # the very roles and checks of a fit
        fit = make_fit_data(data, target=target)
        findings, aim = fit.findings, fit.target
        document |= {"columns": treated(fit), "target": aim.summary()}
        found = {name: role for name, role in fit.roles.items() if role == "identifier"}
        if profiled:
            document["profile"] = profile(data, fit, found)
    if of_all_rows is not None:
        lines[:1] = [f"{source.name}: {data.format}, {size(source.size)}", *of_all_rows(document)]
    if document["columns"]:
        lines += ["", *_column_lines(document["columns"])]
    if target is not None and "target" in document:
        lines += ["", f"target {aim.name}: {aim.words} ({aim.task})"]
    findings.sort(key=lambda finding: finding.level != "warning")
    document["checks"] = [f.to_dict() for f in findings]
    lines += [""] if findings else []
    lines += [f"{f.level}: {f.message}" for f in findings]
    if of_all_rows is not None:
        lines += ["", "a fit would read the files in batches: mercer fit, with the same pattern"]
    elif data.columns:
        if target is None or data.n < FEW:
            plan = make_plan(data.n, len(data.columns), 100, data.n * len(data.columns) * 8)
        else:  # the very forecast of a fit
            plan = plan_fit(fit, FitOptions(target=target))
        document["plan"] = plan.to_dict()
        lines += ["", f"a fit would be: {plan.words}"]
    return document, lines


def write_page(document: dict[str, Any], path: Path) -> None:
    """The document as one HTML file."""
    if "profile" not in document:
        raise UserError("a page is made of tables only.", "Leave out --output.")
    write_text(path, profile_page(jsonable(document)))


def treated(data: FitData) -> list[dict[str, Any]]:
    """Every column as described, with what a fit would do with it."""
    pick = np.linspace(0, len(data.X) - 1, min(SAMPLE, len(data.X))).astype(np.intp)
    looked = TablePreparation(data.names, data.stored).fit(data.X[pick])
    words = looked.treatments()
    return [
        column | {"treatment": words.get(column["name"], f"not used: {column['role']}")}
        for column in data.described
    ]


def _describe_sequences(data: Dataset, document: dict[str, Any], lines: list[str]) -> list[Finding]:
    """Lengths, symbols, labels, and relatives."""
    document["sequences"] = sequence_words(data.objects)
    lines.append(document["sequences"])
    if data.labels is not None:
        names, counts = np.unique(data.labels.astype(str), return_counts=True)
        table = dict(zip(names.tolist(), counts.tolist(), strict=True))
        document["labels"] = table
        shown = sorted(table.items(), key=lambda item: -item[1])[:10]
        lines.append("labels: " + ", ".join(f"{name} {count:,}" for name, count in shown))
    else:
        lines.append("no labels: a fit needs them in the headers or in a file (--labels FILE)")
    return check_sequences(data.objects, data.rows, False) if data.format in LETTERS else []


def _column_lines(described: list[dict[str, Any]]) -> list[str]:
    width = min(30, max(6, *(len(c["name"]) for c in described)))
    lines = [f"{'column':{width}}  {'kind':7} {'missing':>8} {'distinct':>9}  values"]
    for c in described:
        shown = f"{c['min']} to {c['max']}" if "min" in c else ", ".join(c["examples"])
        shown = shown[:40] + (f"  -> {c['treatment']}" if "treatment" in c else "")
        lines.append(f"{c['name'][:width]:{width}}  {c['kind']:7} {c['missing']:>8,} "
                     f"{c['distinct']:>9,}  {shown}")  # fmt: skip
    return lines


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
    lines += [f"  {c['name']}: {schema_words(c)}" for c in about.get("schema") or ()]
    lines += [f"doubt       {words}" for words in doubts(stored, path)]
    if model.get("support"):
        lines.append(f"privacy     the file contains {model['support']} rows of the training data")
    return document, lines
