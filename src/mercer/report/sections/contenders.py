"""Which learners competed, and by how much the winner won."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import number

STATUS = {"done": "", "behind": "left early: clearly behind", "no time": "not tried: no time",
          "failed": "failed"}  # fmt: skip


NUMBERS = "squared error, in units of the variance"


class ContendersSection(Section):
    """Kernel machines beside linear machines and trees, on the same folds."""

    key, title, order, wide = "contenders", "Who competed", 68, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's contest."""
        rows = source.record.search.get("contenders", ())
        if len(rows) < 2:
            raise Absent("one learner was asked for, so none competed")
        task = source.record.target.get("task", "classification")
        judged = "share of errors" if task == "classification" else NUMBERS
        judged = source.record.search.get("judged", judged)
        return {"judged": judged, "rows": [dict(row) for row in rows]}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """One row each, best first."""
        what = data["judged"]
        yield Text(
            f"Every learner was trained on the same folds of the training rows ({what} on rows "
            "left out in turn); the best was then trained on all of them. The rows that the "
            "certificate counts had no part in the choice."
        )
        head = ["learner", "error", "behind the winner", "± standard error", "seconds", ""]
        body = []
        for row in data["rows"]:
            note = row.get("message") or STATUS.get(row["status"], row["status"])
            behind = [number(row["behind"]), number(row["standard_error"])]
            body.append([clean(row["title"], 80), number(row["loss"]), *behind,
                         number(round(row["seconds"], 2)), clean(note, 120)])  # fmt: skip
        yield Table(head, body, numbers=frozenset({1, 2, 3, 4}), marked=frozenset({0}))

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """How many, and the winner's lead."""
        yield "learners tried", len(data["rows"])
        gaps = [r["behind"] for r in data["rows"][1:] if r["behind"] is not None]
        if gaps:
            yield "behind the winner, next best", gaps[0]
