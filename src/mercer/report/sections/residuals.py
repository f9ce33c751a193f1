"""How far off a regression is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mercer._clean import clean
from mercer.report._blocks import Block, Facts, Picture, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart
from mercer.report._text import number, percent

_POINTS, _BINS = 800, 36


class ResidualSection(Section):
    """Predictions against the truth, and the distribution of what is left."""

    key, title, order = "residuals", "How far off it is", 16

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Pairs of truth and prediction, summaries, a histogram."""
        found = source.record.predictions
        if source.task != "regression" or not found.get("truth"):
            raise Absent("there are no predictions of numbers on unseen rows")
        truth = np.asarray(found["truth"], dtype=float)
        predicted = np.asarray(found["predicted"], dtype=float)
        left = truth - predicted
        keep = np.random.default_rng(0).permutation(len(truth))[:_POINTS]
        spread = float(np.sum((truth - truth.mean()) ** 2))
        counts, edges = np.histogram(left, _BINS)
        return {
            "rows": len(truth),
            "truth": truth[keep].tolist(),
            "predicted": predicted[keep].tolist(),
            "edges": edges.tolist(),
            "counts": counts.tolist(),
            "mean_absolute": float(np.mean(np.abs(left))),
            "root_mean_square": float(np.sqrt(np.mean(left**2))),
            "median_absolute": float(np.median(np.abs(left))),
            "explained": None if spread == 0 else float(1 - np.sum(left**2) / spread),
            "tolerance": source.record.model.get("tolerance"),
            "name": clean(source.record.target.get("name", "target")),
        }

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Two pictures and a few numbers."""
        yield Text(f"On the {number(data['rows'])} rows that the model was judged by.")
        caption = "Left: a perfect model has all points on the line. Right: truth minus prediction."
        if data["tolerance"] is not None:
            caption += f" Dashed: the tolerance ±{number(float(data['tolerance']))}."
        yield Picture([_against(data), _histogram(data)], caption)
        facts = [(name, number(data[key])) for key, name in _NAMES]
        if data["explained"] is not None:
            facts.append(("variance explained (R²)", percent(data["explained"])))
        yield Facts(facts)

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Means of the residuals."""
        yield from ((name, data[key]) for key, name in _NAMES)
        yield "variance explained", data["explained"]


_NAMES = (
    ("mean_absolute", "mean absolute error"),
    ("median_absolute", "median absolute error"),
    ("root_mean_square", "root mean square error"),
)


def _against(data: Mapping[str, Any]) -> Chart:
    both = data["truth"] + data["predicted"]
    ends = (min(both), max(both))
    chart = Chart("Prediction against truth.", ends, ends, width=420, height=340)
    chart.axis_y("predicted")
    tube = data["tolerance"]
    low, high = chart.x_limits
    chart.line([low, high], [low, high], "boundary")
    if tube is not None and tube < high - low:
        chart.line([low, high - tube], [low + tube, high], "boundary dashed thin")
        chart.line([low + tube, high], [low, high - tube], "boundary dashed thin")
    for truth, predicted in zip(data["truth"], data["predicted"], strict=True):
        tip = f"truth {number(truth)}, predicted {number(predicted)}"
        chart.mark(truth, predicted, "c0 soft", "circle", 2.6, tip)
    chart.axis_x(f"true {data['name']}")
    return chart


def _histogram(data: Mapping[str, Any]) -> Chart:
    edges, counts = data["edges"], data["counts"]
    limits = (edges[0], edges[-1])
    chart = Chart("Residuals.", limits, (0, 1.08 * max(counts)), width=420, height=340)
    chart.axis_y("rows")
    for a, b, count in zip(edges[:-1], edges[1:], counts, strict=True):
        if count:
            chart.box(a, b, 0, count, "bar c0", f"{number(a)} to {number(b)}: {count} rows")
    if limits[0] < 0 < limits[1]:
        chart.vertical(0.0, "boundary")
    tube = data["tolerance"]
    for edge in () if tube is None else (-tube, tube):
        if limits[0] < edge < limits[1]:
            chart.vertical(edge, "boundary dashed thin")
    chart.axis_x("truth minus prediction")
    return chart
