"""Which unseen rows were wrong, and where errors gather."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, More, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import counted, number, percent

_SLICES = 12


class MistakesSection(Section):
    """Slices with limits that hold all together, and single rows to look up."""

    key, title, order, wide = "mistakes", "Where it errs", 12, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's answers."""
        answers = source.record.answers
        if not answers.get("wrong"):
            raise Absent("there are no rows of a table that were judged")
        return {"slices": answers.get("slices", []), "wrong": answers["wrong"]}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Slices, then rows."""
        slices = data["slices"]
        if slices:
            worse = [s for s in slices if s["worse"]]
            told = (
                f"{counted(len(worse), 'slice')} err clearly more often than all rows (in bold)."
                if worse
                else "No slice errs clearly more often than all rows."
            )
            yield Text(told + " The limits hold for all slices together, with 95 % confidence.")
            yield _slices(slices[:_SLICES])
        wrong = data["wrong"]
        yield Text(
            f"{counted(wrong['wrong'], 'row')} of {number(wrong['of'])} unseen ones were wrong."
        )
        if wrong["rows"]:
            yield More("The worst of them, by their number in the file", [_rows(wrong)])


def _slices(slices: list[dict[str, Any]]) -> Table:
    rows = [
        [clean(s["column"], 30), clean(s["slice"], 40), number(s["rows"]), percent(s["rate"]),
         f"{percent(s['low'])} to {percent(s['high'])}"]
        for s in slices
    ]  # fmt: skip
    marked = frozenset(i for i, s in enumerate(slices) if s["worse"])
    return Table(["column", "slice", "rows", "wrong", "limits"], rows,
                 numbers=frozenset({2, 3, 4}), marked=marked)  # fmt: skip


def _rows(wrong: Mapping[str, Any]) -> Table:
    head = ["row", "truth", "answer", *(clean(name, 30) for name in wrong["columns"])]
    rows = [
        [
            str(r["row"]),
            number(r["truth"]),
            number(r["predicted"]),
            *(clean(v, 40) for v in r["values"]),
        ]
        for r in wrong["rows"]
    ]
    return Table(head, rows, numbers=frozenset({0}))
