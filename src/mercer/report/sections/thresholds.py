"""Two classes: where to cut the probability if errors have different prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import number


class ThresholdSection(Section):
    """A table of prices."""

    key, title, order, wide = "thresholds", "If errors have different prices", 13, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's answers."""
        rows = source.record.answers.get("thresholds")
        if not rows:
            raise Absent("there are not two classes with probabilities")
        return {"rows": rows, "positive": str(source.record.predictions["classes"][1])}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """One line for every price."""
        label = clean(data["positive"], 40)
        yield Text(
            f"Answer {label} if its probability is at least the threshold. The thresholds were "
            "chosen on the rows that were counted: the certificate is about the answers at the "
            "model's own threshold, not at another one."
        )
        rows = [
            [f"{row['price']:g} : 1", f"{row['threshold']:.2f}", number(row["misses"]),
             number(row["alarms"]), number(row["cost"]), number(row["usual_cost"])]
            for row in sorted(data["rows"], key=lambda row: row["price"])
        ]  # fmt: skip
        head = [f"a missed {label} : a false alarm", "threshold", "missed", "false alarms",
                "cost", "cost at 0.5"]  # fmt: skip
        yield Table(head, rows, numbers=frozenset(range(1, 6)))
