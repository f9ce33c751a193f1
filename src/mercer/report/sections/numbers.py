"""Every number of the report in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, More, Table
from mercer.report._section import Section, available
from mercer.report._source import Source


class NumbersSection(Section):
    """All numbers, unrounded."""

    key, title, order = "numbers", "All numbers", 100

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """What the sections above call their numbers."""
        rows = []
        for section in available():
            if section.key in done:
                rows += [
                    {"section": section.title, "name": name, "value": value}
                    for name, value in section.numbers(done[section.key])
                    if value is not None
                ]
        for phase, seconds in source.record.timings.items():
            rows.append({"section": "Time", "name": f"seconds, {phase}", "value": float(seconds)})
        return {"rows": rows}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """One table."""
        rows = [
            [clean(r["section"]), clean(r["name"], 120), _exact(r["value"])] for r in data["rows"]
        ]
        table = Table(["section", "what", "value"], rows, numbers=frozenset({2}))
        yield More(f"{len(rows)} numbers, unrounded", [table])


def _exact(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else clean(value)
