"""How the model divides the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._clean import clean
from mercer.report._blocks import Block, Picture, Text
from mercer.report._plane import picture
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import SHAPES, Chart
from mercer.report._table import numbers
from mercer.report._text import number

_BANDS = ("band c0 deep", "band c0", "band c1", "band c1 deep")


class DecisionSection(Section):
    """The decision picture."""

    key, title, order, wide = "decision", "The model in a picture", 40, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Rows in two dimensions, and the model's answer around them."""
        if source.model is None or source.train is None:
            raise Absent("the model and its rows are not at hand")
        if source.task == "regression":
            return _curve(source)
        try:
            found = picture(source)
        except ValueError as problem:
            if "contains NaN" not in str(problem):
                raise
            raise Absent("trees take gaps as they are, a projection of the rows cannot") from None
        if found is None:
            raise Absent("the rows have no coordinates and the model has no kernel to project by")
        return found

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """The picture and how to read it."""
        if data["kind"] == "curve":
            yield Picture([_draw_curve(data)], "The fitted curve and the training rows.")
            return
        yield Picture([draw(data)], _caption(data))
        if data["kind"] == "projection":
            yield Text(_how(data))


def _curve(source: Source) -> dict[str, Any]:
    assert source.train is not None
    part = source.train.some(500)
    table = numbers(part.X)
    if table is None or table.shape[1] != 1 or part.y is None:
        raise Absent("a regression on several columns: see the residuals instead")
    xs = np.linspace(table.min(), table.max(), 240)
    return {
        "kind": "curve",
        "x": xs.tolist(),
        "f": np.asarray(source.model.predict(xs[:, None]), dtype=float).tolist(),
        "at": np.column_stack([table[:, 0], np.asarray(part.y, dtype=float)]).tolist(),
        "names": [source.columns(1)[0], clean(source.record.target.get("name", "target"))],
    }


def _draw_curve(data: Mapping[str, Any]) -> Chart:
    at = np.asarray(data["at"])
    tall = np.concatenate([at[:, 1], data["f"]])
    chart = Chart("Fitted curve over the rows.", _ends(at[:, 0]), _ends(tall))
    chart.axis_y(data["names"][1])
    for x, y in at:
        chart.mark(x, y, "c0 soft", size=2.4)
    chart.line(data["x"], data["f"], "c1 thick")
    chart.axis_x(data["names"][0])
    return chart


def draw(data: Mapping[str, Any]) -> Chart:
    """Regions and lines where the plane is known; the rows in their classes' shapes."""
    room = 0.0 if data["kind"] == "plane" else 0.05
    limits = [_ends(np.asarray(data[k]), room) for k in ("x", "y")]
    chart = Chart(
        f"{number(data['shown'])} training rows in two dimensions, divided by the model.",
        limits[0],
        limits[1],
        width=720,
        height=470,
    )
    if data["kind"] == "plane":
        _shade(chart, data)
        for level, pieces in data["lines"].items():
            chart.segments(pieces, "boundary" if level == "0" else "boundary dashed thin")
    elif data["scored"]:
        _halves(chart)
    chart.axis_y(data["names"][1])
    _points(chart, data)
    chart.axis_x(data["names"][0])
    return chart


def _halves(chart: Chart) -> None:
    """Left of 0 the one class, right of it the other; the margins at -1 and 1."""
    (low, high), (bottom, top) = chart.x_limits, chart.y_limits
    edges = [low, *(v for v in (-1.0, 0.0, 1.0) if low < v < high), high]
    for a, b in pairwise(edges):
        band = int(np.searchsorted([-1.0, 0.0, 1.0], (a + b) / 2))
        chart.box(a, b, bottom, top, _BANDS[band])
    for edge in edges[1:-1]:
        chart.vertical(edge, "boundary" if edge == 0 else "boundary dashed thin")


def _shade(chart: Chart, data: Mapping[str, Any]) -> None:
    """Cells of one colour, merged along their line to keep the file small."""
    levels = data["levels"]
    (x0, x1), (y0, y1) = data["x"], data["y"]
    wide, tall = (x1 - x0) / len(levels[0]), (y1 - y0) / len(levels)
    for i, line in enumerate(levels):
        start = 0
        for level, run in groupby(line):
            stop = start + len(list(run))
            css = _BANDS[level] if data["scored"] else f"band c{level % 8}"
            at = (x0 + start * wide, x0 + stop * wide, y0 + i * tall, y0 + (i + 1) * tall)
            chart.box(*at, css)
            start = stop


def _points(chart: Chart, data: Mapping[str, Any]) -> None:
    wrong = data["wrong"] or [False] * len(data["at"])
    order = np.argsort(np.asarray(wrong) * 2 + np.asarray(data["support"]), kind="stable")
    for i in order:
        (x, y), cls = data["at"][i], data["class"][i]
        name = data["labels"][cls] if 0 <= cls < len(data["labels"]) else ""
        state = " · wrong" if wrong[i] else ""
        state += " · support vector" if data["support"][i] else ""
        css = f"point c{cls % 8}" + (" ringed" if data["support"][i] else "")
        shape = SHAPES[cls % len(SHAPES)]
        chart.mark(x, y, css, shape, 3.2, f"row {data['row'][i]} {name}{state}")
        if wrong[i]:
            chart.mark(x, y, "bad", "cross", 4.6, f"row {data['row'][i]} {name}{state}")


def _caption(data: Mapping[str, Any]) -> str:
    shapes = {"circle": "●", "square": "■", "triangle": "▲", "diamond": "◆", "down": "▼"}
    named = [
        f"{shapes.get(SHAPES[i % len(SHAPES)], '✚')} {name}"
        for i, name in enumerate(data["labels"][:8])
    ]
    words = ", ".join(named) + ". " if named else ""
    words += "Ringed: support vectors. Crossed out: classified wrongly. "
    if data["scored"]:
        words += "Solid line: the decision; dashed: the margins. "
    if data["shown"] < data["of"]:
        words += f"{number(data['shown'])} of {number(data['of'])} training rows are shown."
    else:
        words += f"All {number(data['of'])} training rows."
    return words


def _how(data: Mapping[str, Any]) -> str:
    if data["scored"]:
        return (
            "The rows have no plane of their own. To the right goes the model's own output, so the "
            "decision is exactly at 0; upwards the kernel principal component of what the output "
            f"leaves over ({100 * data['share'][0]:.0f} % of the remaining spread)."
        )
    a, b = data["share"]
    return (
        "The rows have no plane of their own: this is their projection on the first two kernel "
        f"principal components ({100 * a:.0f} % and {100 * b:.0f} % of the spread there)."
    )


def _ends(values: ArrayLike, room: float = 0.04) -> tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    extra = room * (high - low)
    return low - extra, high + extra
