"""The most influential training rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import number


class SupportSection(Section):
    """Which rows hold the model up?"""

    key, title, order = "support", "The most influential rows", 80

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's list."""
        if not source.record.influential.get("rows"):
            raise Absent("the model does not say which training rows it rests on")
        return dict(source.record.influential)

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """One line per row."""
        text = (
            "The training rows with the largest weights in the model. Without a row that is not a "
            "support vector the model would be the same; with these it is worth checking whether "
            "they are typed correctly and labelled rightly. Negative margin: on the wrong side."
        )
        if data.get("hidden"):
            text += (
                f" Of the columns those are shown that separate the targets best; "
                f"{data['hidden']} more are in the file."
            )
        yield Text(text)
        margins = any(row.get("margin") is not None for row in data["rows"])
        head = ["row", "target", "weight", *(["margin"] if margins else []), *data["columns"]]
        rows = []
        for row in data["rows"]:
            start = [str(row["row"]), _cell(row.get("label", "")), number(float(row["weight"]))]
            start += [number(row.get("margin"))] if margins else []
            rows.append([*start, *map(_cell, row.get("values", ()))])
        width = max([len(head), *(len(r) for r in rows)])
        head += [f"value {i + 1}" for i in range(width - len(head))]
        rows = [r + [""] * (width - len(r)) for r in rows]
        words = {
            i
            for i in range(width - len(data["columns"]), width)
            if any(isinstance(v, str) for r in data["rows"] for v in r["values"][i - width :][:1])
        }
        numeric = frozenset(range(width)) - {1} - words
        yield Table([clean(h, 40) for h in head], rows, numbers=numeric)


def _cell(value: object) -> str:
    """A value of the table as it was: years have no thousands."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int) else number(value)
