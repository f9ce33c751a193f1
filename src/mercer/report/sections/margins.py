"""How far from the border the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from mercer.report._blocks import Block, Picture, Table
from mercer.report._section import Absent, Section
from mercer.report._source import Part, Source
from mercer.report._svg import Chart
from mercer.report._text import number, percent

_BINS = 44


class MarginSection(Section):
    """The margin distribution, of the training rows and of unseen ones."""

    key, title, order, wide = "margins", "How far from the border", 50, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Histograms on common bins, and shares."""
        groups: dict[str, Any] = {}
        if source.task != "classification":
            raise Absent("margins belong to classifiers")
        groups["training rows"] = _own(source, source.train)
        recorded = _recorded(source.record.predictions)
        groups["unseen rows"] = _own(source, source.unseen) if recorded is None else recorded
        groups = {k: v for k, v in groups.items() if v is not None and len(v)}
        if not groups:
            raise Absent("the model has no decision values")
        classes = source.record.predictions.get("classes") or source.labels()
        return _histograms(groups) | {"several": len(classes) > 2}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Two histograms on one axis."""
        yield Picture([_draw(data)], _CAPTION)
        inside = not data["several"]  # with several classes there is no margin of 1
        head = ["rows", "how many", "wrong side (≤ 0)", "smallest margin"]
        head += ["inside the margin (0 to 1)"] if inside else []
        rows = []
        for name, g in data["groups"].items():
            cells = [name, number(g["n"]), percent(g["wrong"]), number(g["smallest"])]
            rows.append(cells + ([percent(g["inside"])] if inside else []))
        yield Table(head, rows, numbers=frozenset(range(1, len(head))))

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Shares of both kinds of rows."""
        for name, group in data["groups"].items():
            for key in ("n", "wrong", "inside", "smallest", "median"):
                yield f"{name}: {key}", group[key]


_CAPTION = (
    "Margin of each row: the output for its own class, or how far that beats the best other class. "
    "Left of 0 the row is on the wrong side. Filled: training rows; line: unseen rows."
)


def margins_of(outputs: Any, index: np.ndarray) -> np.ndarray:
    """Y f(x) for two classes, own score minus the best other one for several."""
    values = np.asarray(outputs, dtype=float)
    if values.ndim == 1:
        return np.where(index == 1, values, -values)
    rows = np.arange(len(values))
    own = values[rows, index]
    others = values.copy()
    others[rows, index] = -np.inf
    return own - others.max(axis=1)


def _own(source: Source, part: Part | None) -> np.ndarray | None:
    if part is None or part.y is None or not hasattr(source.model, "decision_function"):
        return None
    part = part.some(5000)
    try:
        outputs = np.asarray(source.model.decision_function(part.X), dtype=float)
    except AttributeError:  # trees inside: they vote, and have no border
        return None
    index = source.class_index(part.y)
    if outputs.ndim == 2 and outputs.shape[1] != len(source.model.classes_):
        return None
    return margins_of(outputs[index >= 0], index[index >= 0])


def _recorded(predictions: Mapping[str, Any]) -> np.ndarray | None:
    outputs = predictions.get("score") or predictions.get("scores")
    classes = predictions.get("classes")
    if not outputs or not classes:
        return None
    place = {label: i for i, label in enumerate(classes)}
    index = np.array([place.get(label, -1) for label in predictions["truth"]])
    values = np.asarray(outputs, dtype=float)
    return margins_of(values[index >= 0], index[index >= 0])


def _histograms(groups: Mapping[str, np.ndarray]) -> dict[str, Any]:
    everything = np.concatenate(list(groups.values()))
    low, high = np.quantile(everything, [0.001, 0.999])
    low, high = min(float(low), -0.2), max(float(high), 1.2)
    edges = np.linspace(low, high, _BINS + 1)
    return {
        "edges": edges.tolist(),
        "groups": {
            name: {
                "n": len(values),
                "wrong": float(np.mean(values <= 0)),
                "inside": float(np.mean((values > 0) & (values < 1 - 1e-3))),
                "smallest": float(values.min()),
                "median": float(np.median(values)),
                "share": (np.histogram(values.clip(low, high), edges)[0] / len(values)).tolist(),
            }
            for name, values in groups.items()
        },
    }


def _draw(data: Mapping[str, Any]) -> Chart:
    edges, groups = data["edges"], data["groups"]
    top = 1.08 * max(max(g["share"]) for g in groups.values())
    words = "; ".join(f"{name}: {percent(g['wrong'])} below 0" for name, g in groups.items())
    chart = Chart(f"Histogram of margins. {words}.", (edges[0], edges[-1]), (0, top), height=300)
    chart.axis_y("share of rows", show=percent)
    if (group := groups.get("training rows")) is not None:
        for a, b, share in zip(edges[:-1], edges[1:], group["share"], strict=True):
            css = "bar c5" if b <= 1e-9 else "bar c0"
            if share:
                chart.box(a, b, 0, share, css, f"{a:.2f} to {b:.2f}: {percent(share)}")
    if (group := groups.get("unseen rows")) is not None:
        xs = [x for pair in pairwise(edges) for x in pair]
        chart.line(xs, [v for share in group["share"] for v in (share, share)], "ink thick")
    chart.vertical(0.0, "boundary", "border")
    if not data["several"] and edges[0] < 1.0 < edges[-1]:
        chart.vertical(1.0, "boundary dashed thin", "margin")
    chart.axis_x("margin")
    return chart
