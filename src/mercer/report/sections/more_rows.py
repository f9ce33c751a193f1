"""What more rows would buy: the certified limit against the number of rows that are counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mercer.report._blocks import Block, Picture
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart
from mercer.report._text import counted, percent


class MoreRowsSection(Section):
    """One curve that falls towards the rate that was seen."""

    key, title, order, wide = "more-rows", "What more rows would buy", 14, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's answers."""
        found = source.record.answers.get("more_rows")
        if not found:
            raise Absent("the certificate is not about a rate that was counted")
        return dict(found)

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """The curve."""
        chart = Chart("Certified limit against counted rows.", (data["rows"][0], data["rows"][-1]),
                      (0.0, max(data["limits"])), width=560, height=300,
                      transform_x=math.log10)  # fmt: skip
        chart.axis_y("certified limit", None, percent)
        ticks = [10**k for k in range(1, 8) if data["rows"][0] <= 10**k <= data["rows"][-1]]
        chart.horizontal(data["rate"], "rule dashed")
        chart.line(data["rows"], data["limits"], "c0 thick")
        tip = f"now: {counted(data['now'], 'row')}, {percent(data['value'])}"
        chart.mark(data["now"], data["value"], "c1", "diamond", 5, tip)
        chart.axis_x("rows to count errors on", ticks, lambda v: f"{v:,.0f}")
        caption = (
            f"If unseen rows went on to be wrong at {percent(data['rate'])} (dashed). More rows to "
            "learn from would also lower that rate; that is not counted on here. Diamond: now."
        )
        yield Picture([chart], caption)
