"""``mercer inspect`` as a page: columns, their shapes, associations, suspects, what a fit does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Facts, Note, Picture, Table, Text
from mercer.report._html import Part, page
from mercer.report._svg import Chart
from mercer.report._text import counted, number, percent, sentence

_MOST = 200  # columns that are drawn
_BARS = 15


def profile_page(document: Mapping[str, Any]) -> str:
    """The whole page from the document of ``mercer inspect``."""
    shape = f"{counted(document['rows'], 'row')}, {counted(len(document['columns']), 'column')}"
    target = document.get("target")
    subtitle = shape + (
        f" · target {clean(target['name'], 60)}: {clean(target['words'], 120)}" if target else ""
    )
    parts = [
        Part("suspects", "What to beware of", list(_suspects(document)), True),
        Part(
            "columns",
            "The columns, and what a fit would do with them",
            list(_table(document)),
            True,
        ),
    ]
    tells = list(_tells(document))
    if tells:
        parts.append(Part("tells", "What each column alone tells of the target", tells, False))
    parts.append(Part("pairs", "Columns that go together", list(_pairs(document)), False))
    parts.append(Part("shapes", "How the values are spread", list(_shapes(document)), True))
    return page(clean(document["name"], 120), subtitle, parts)


def _suspects(document: Mapping[str, Any]) -> Iterator[Block]:
    found = document["checks"]
    for check in found:
        if check["level"] == "warning":
            yield Note(sentence(clean(check["message"], 500)), "warning")
    if not any(check["level"] == "warning" for check in found):
        yield Note("Nothing that would make a certificate untrue was seen.", "good")
    for check in found:
        if check["level"] != "warning":
            yield Note(sentence(clean(check["message"], 500)))
    copies = document["profile"]["duplicates"]
    facts = [("rows that repeat an earlier one", number(copies))]
    facts += [("rows that could not be read", number(len(document["dropped"])))]
    yield Facts(facts)


def _table(document: Mapping[str, Any]) -> Iterator[Block]:
    rows = []
    for column in document["columns"][:_MOST]:
        values = (
            f"{column['min']} to {column['max']}"
            if "min" in column
            else ", ".join(column["examples"])
        )
        gaps = column["missing"] / max(1, document["rows"])
        rows.append([clean(column["name"], 40), column["kind"], column.get("role", ""),
                     percent(gaps) if gaps else "–", number(column["distinct"]), clean(values, 60),
                     clean(column.get("treatment", "looked at with --target"), 90)])  # fmt: skip
    head = ["column", "kind", "role", "no value", "different", "values", "a fit would use it as"]
    yield Table(head, rows, numbers=frozenset({3, 4}))


def _tells(document: Mapping[str, Any]) -> Iterator[Block]:
    shapes = document["profile"]["columns"]
    found = sorted(((s["tells"], name) for name, s in shapes.items() if "tells" in s), reverse=True)
    if not found:
        return
    rows = found[:_BARS]
    chart = Chart("What each column tells.", (0, 1), (0.4 - len(rows), 0.6), width=460,
                  height=60 + 26 * len(rows), left=170, right=24)  # fmt: skip
    chart.axis_x("of the error without the column, removed by it", [0, 0.25, 0.5, 0.75, 1], percent)
    for place, (value, name) in enumerate(rows):
        chart.words(162, chart.py(-place) + 4, clean(name, 22), "small", "end")
        tip = f"{clean(name)}: {percent(value)}, {shapes[name]['how']}"
        chart.box(0, value, -place - 0.3, -place + 0.3, "bar c1" if value > 0.88 else "bar c0", tip)
    yield Picture(
        [chart], "By gaps, cuts, levels or words of this column alone, on the rows themselves."
    )


def _pairs(document: Mapping[str, Any]) -> Iterator[Block]:
    pairs = document["profile"]["pairs"]
    if not pairs:
        yield Text("No two columns tell much of each other.")
        return
    rows = [[clean(p["one"], 40), clean(p["other"], 40), f"{p['strength']:.2f}"] for p in pairs]
    yield Table(["column", "and", "association"], rows, numbers=frozenset({2}),
                caption="Rank correlation of numbers, correlation ratio of names and numbers, "
                "Cramér's V of names.")  # fmt: skip


def _shapes(document: Mapping[str, Any]) -> Iterator[Block]:
    shapes = document["profile"]["columns"]
    charts = [_chart(name, shape) for name, shape in list(shapes.items())[:_MOST] if shape]
    drawn = [chart for chart in charts if chart is not None]
    if drawn:
        yield Picture(drawn, "Bars: number of rows. Names: the commonest values.")


def _chart(name: str, shape: Mapping[str, Any]) -> Chart | None:
    title = clean(name, 34)
    if "levels" in shape:
        levels = shape["levels"]
        most = max(count for _, count in levels)
        chart = Chart(f"Values of {title}.", (0, most), (0.4 - len(levels), 1.0),
                      width=270, height=190, left=104, top=24, bottom=20, right=14)  # fmt: skip
        for place, (level, count) in enumerate(levels):
            chart.words(98, chart.py(-place) + 4, clean(level, 13), "small", "end")
            chart.box(
                0, count, -place - 0.35, -place + 0.35, "bar c2", f"{clean(level, 60)}: {count}"
            )
        if shape["others"]:
            chart.words(266, 186, f"and {shape['others']} more", "small muted", "end")
    elif "counts" in shape:
        counts, edges = shape["counts"], shape["edges"]
        chart = Chart(f"Values of {title}.", (edges[0], edges[-1]), (0, max(counts)),
                      width=270, height=190, left=14, top=24, bottom=26, right=14)  # fmt: skip
        for a, b, count in zip(edges[:-1], edges[1:], counts, strict=True):
            if count:
                chart.box(a, b, 0, count, "bar c0", f"{number(a)} to {number(b)}: {count}")
        chart.words(14, 184, shape["ends"][0], "small muted")
        chart.words(256, 184, shape["ends"][1], "small muted", "end")
    else:
        return None
    chart.words(135, 15, title, "small strong", "middle")
    return chart
