"""Which columns matter, and how the answer moves with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Picture, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart, nice, short
from mercer.report._text import number, percent

_BARS = 14
_NAMES = 150  # pixels for the names of columns
_LETTERS = 20


class DriversSection(Section):
    """Permutation importance with intervals, and effect curves of the first few columns."""

    key, title, order, wide = "drivers", "What drives it", 11, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's answers."""
        answers = source.record.answers
        if not answers.get("importance"):
            raise Absent(
                "importance of columns is measured for tables of at most 150 columns, in time left"
            )
        return {
            "importance": answers["importance"],
            "effects": answers.get("effects", []),
            "classes": source.task == "classification",
        }

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Bars, then curves."""
        unit = "the error rate rises" if data["classes"] else "the mean distance grows"
        yield Text(
            f"How much {unit} on unseen rows if the values of one column are shuffled among the "
            "rows, with an interval of two standard errors. Columns that say the same share what "
            "they tell: each alone looks dispensable."
        )
        yield Picture([_bars(data)], "The longer the bar, the more the answers need the column.")
        if data["effects"]:
            curves = [_curve(effect) for effect in data["effects"]]
            yield Picture(
                curves,
                "The average answer if everybody had this value and all else stayed. That tells of "
                "the model; it does not say what would happen if the value were changed.",
            )

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Importance by column."""
        for one in data["importance"][:_BARS]:
            yield f"importance of {clean(one['name'])}", one["change"]


def _bars(data: Mapping[str, Any]) -> Chart:
    rows = [row for row in data["importance"][:_BARS] if row["low"] < row["high"]]
    rows = rows or data["importance"][:1]  # a column that is not used has nothing to show
    low = min(0.0, *(row["low"] for row in rows))
    high = max(1e-9, *(row["high"] for row in rows))
    height = 60 + 26 * len(rows)
    chart = Chart("Importance of the columns.", (low, high), (0.4 - len(rows), 0.6),
                  width=460, height=height, left=_NAMES, right=24)  # fmt: skip
    write = percent if data["classes"] else short
    ticks = [t for t in nice(*chart.x_limits, 4) if low <= t <= high]
    chart.axis_x("rise if shuffled", ticks, write)
    chart.vertical(0.0, "rule")
    for place, row in enumerate(rows):
        name = clean(row["name"])
        cut = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
        chart.words(_NAMES - 8, chart.py(-place) + 4, cut, "small", "end")
        tip = f"{name}: {write(row['change'])}, {write(row['low'])} to {write(row['high'])}"
        chart.box(
            min(0.0, row["change"]),
            max(0.0, row["change"]),
            -place - 0.3,
            -place + 0.3,
            "bar c0",
            tip,
        )
        chart.segments([(row["low"], -place, row["high"], -place)], "rule")
    return chart


def _curve(effect: Mapping[str, Any]) -> Chart:
    heights = effect["heights"]
    ends = (min(heights), max(heights))
    name = clean(effect["name"], 40)
    label = f"Effect of {name} on the {clean(effect['what'], 60)}."
    if effect["kind"] == "levels":
        return _levels(effect, label, ends)
    values = effect["values"]
    chart = Chart(label, (min(values), max(values)), ends, width=285, height=230)
    chart.axis_y(clean(effect["what"], 30))
    chart.line(values, heights, "c0 thick")
    for value, text, height in zip(values, effect["shown"], heights, strict=True):
        chart.mark(value, height, "c0", "circle", 3, f"{name} {text}: {number(height)}")
    if effect["kind"] == "date":
        chart.axis_x(
            name,
            [values[0], values[-1]],
            lambda v: dict(zip(values, effect["shown"], strict=True))[v],
        )
    else:
        chart.axis_x(name)
    return chart


def _levels(effect: Mapping[str, Any], label: str, ends: tuple[float, float]) -> Chart:
    count = len(effect["values"])
    chart = Chart(label, ends, (0.4 - count, 0.6), width=285, height=60 + 22 * count, left=120)
    chart.axis_x(clean(effect["what"], 40), nice(*chart.x_limits, 3))
    for place, (text, height) in enumerate(zip(effect["shown"], effect["heights"], strict=True)):
        chart.words(112, chart.py(-place) + 4, clean(text, 16), "small", "end")
        chart.mark(height, -place, "c0", "circle", 4, f"{clean(text, 40)}: {number(height)}")
    chart.words(112, 12, clean(effect["name"], 16), "small strong", "end")
    return chart
