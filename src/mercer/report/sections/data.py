"""Where the rows came from, what was noticed about them, and whether the assumptions look right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Facts, More, Note, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import counted, number, sentence
from mercer.report.advice import at_a_terminal

_LISTED = 200


class DataSection(Section):
    """The data and their checks."""

    key, title, order = "data", "The data, and what was checked", 90

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Facts, columns, dropped rows, notes, tests of the assumptions."""
        record = source.record
        tests = record.certification.get("checks", [])
        if not (record.data or record.checks or tests):
            raise Absent("the rows were not given to the report")
        return {
            "data": record.data,
            "target": record.target,
            "checks": record.checks,
            "tests": tests,
            "terminal": bool(record.reproduction.get("command")),
        }

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Warnings first."""
        facts = list(_facts(data["data"], data["target"]))
        if facts:
            yield Facts(facts)
        names = [c.get("name") for c in data["data"].get("columns", ())]
        for check in sorted(data["checks"], key=lambda c: c.get("level") != "warning"):
            kind = "warning" if check.get("level") == "warning" else "info"
            said = at_a_terminal(check["message"]) if data.get("terminal") else check["message"]
            yield Note(sentence(clean(said, 400) + _which(check, names)), kind)
        for test in data["tests"]:
            yield Note(_tested(test), "good" if test.get("ok") else "warning")
        if not data["tests"] and not data.get("terminal"):  # advice for Python only
            yield Text(
                "The assumptions behind the certificate were not tested; certified_fit(..., "
                "checks=True) looks for order, duplicates and drift."
            )
        yield from _tables(data["data"])

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Counts and p-values."""
        for name in ("rows_read", "rows_used", "bytes"):
            if data["data"].get(name) is not None:
                yield name.replace("_", " "), data["data"][name]
        for label, count in data["target"].get("classes", {}).items():
            yield f"rows of class {label}", count
        for name, value in data["target"].get("summary", {}).items():
            yield f"target, {name}", value
        for test in data["tests"]:
            yield f"p-value of {test['name']}", test["p_value"]


def _facts(data: Mapping[str, Any], target: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if data.get("name") or data.get("path"):
        yield "file", clean(data.get("path") or data["name"], 120)
    if data.get("rows_read") is not None:
        used, dropped = data.get("rows_used", 0), len(data.get("dropped", ()))
        count = data.get("n_columns", len(data.get("columns", ())))
        words = f"{number(data['rows_read'])} read, {number(used)} used, {number(dropped)} dropped"
        yield "rows", words + (f"; {counted(count, 'column')}" if count else "")
    if target.get("classes"):
        parts = [f"{clean(k, 30)} {number(v)}" for k, v in list(target["classes"].items())[:8]]
        more = len(target["classes"]) - len(parts)
        yield (
            clean(target.get("name", "target")),
            ", ".join(parts) + (f" and {more} more classes" if more > 0 else ""),
        )
    if target.get("summary"):
        s = target["summary"]
        yield (
            clean(target.get("name", "target")),
            f"from {number(s['min'])} to {number(s['max'])}, median {number(s['median'])}",
        )
    if data.get("sha256"):
        yield "fingerprint", str(data["sha256"])[:16] + "… (SHA-256)"


def _which(check: Mapping[str, Any], names: list[Any]) -> str:
    shown = []
    for column in list(check.get("columns") or ())[:8]:
        known = isinstance(column, int) and column < len(names)
        shown.append(clean(names[column] if known else column, 40))
    missing = [name for name in shown if name not in clean(check["message"], 400)]
    return f": {', '.join(missing)}" if missing else ""


def _tested(test: Mapping[str, Any]) -> str:
    found = "nothing found" if test.get("ok") else "look here"
    return f"{clean(test['name'])}: {found} (p = {test['p_value']:.2g}). " + sentence(
        clean(test["message"], 400)
    )


def _tables(data: Mapping[str, Any]) -> Iterator[Block]:
    if data.get("columns"):
        keys = [
            k
            for k in ("name", "kind", "role", "missing", "distinct", "treatment", "examples")
            if any(c.get(k) not in (None, "", []) for c in data["columns"])
        ]
        rows = [[_cell(c.get(k)) for k in keys] for c in data["columns"][:_LISTED]]
        yield More(f"The {len(data['columns'])} columns", [Table(keys, rows)])
    if data.get("dropped"):
        rows = [[str(d["row"]), clean(d["reason"], 200)] for d in data["dropped"][:_LISTED]]
        more = len(data["dropped"]) - len(rows)
        caption = f"{more} more are in the JSON report" if more > 0 else ""
        table = Table(["row", "reason"], rows, caption)
        yield More(f"The {len(data['dropped'])} rows that were dropped", [table])


def _cell(value: object) -> str:
    if isinstance(value, list | tuple):
        return clean(", ".join(number(v) for v in value), 80)
    return number(value)
