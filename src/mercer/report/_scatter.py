"""Rows as points in two coordinates: a picture of the reports' kind whose points can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from mercer._clean import clean
from mercer._types import Samples
from mercer.report._svg import Chart

MOST_POINTS = 5000  # drawn; more could not be told apart
COLOURS = 8  # of the page's style
MOST_GROUPS = 30  # in the legend
LETTER, LINE = 7.5, 22  # pixels of a letter, and of a line of the legend
WIDTH, HEIGHT, LEFT = 800, 540, 64


class Scatter(Chart):
    """Points with their rows in words, a legend below, and what the pages' script looks for."""

    def svg(self) -> str:
        """The element, which takes the keyboard, too."""
        about = 'class="rows chart" tabindex="0"'
        return super().svg().replace('class="chart"', about, 1)


def scatter(
    points: Samples,
    words: Sequence[str],
    groups: Sequence[Any] | None,
    seed: int,
    axes: tuple[str, str],
) -> tuple[Scatter, int]:
    """The picture, and how many rows are drawn; resting on a point, or touching it, shows it."""
    points = np.asarray(points, dtype=float)[:, :2]
    if points.shape[1] == 1:
        points = np.column_stack([points, np.zeros(len(points))])
    keep = np.flatnonzero(np.isfinite(points).all(axis=1))
    if len(keep) > MOST_POINTS:
        keep = np.sort(np.random.default_rng(seed).choice(keep, MOST_POINTS, replace=False))
    low, high = points[keep].min(axis=0), points[keep].max(axis=0)
    room = 0.03 * np.where(high > low, high - low, 1.0)
    names = sorted({str(g) for g in groups}) if groups is not None else []
    places, lines = _legend_places(names[:MOST_GROUPS])
    below = 46 + (LINE * lines + 10 if lines else 0)
    chart = Scatter(
        "Rows as points in two coordinates; arrow keys go from row to row.",
        (float(low[0] - room[0]), float(high[0] + room[0])),
        (float(low[1] - room[1]), float(high[1] + room[1])),
        width=WIDTH, height=HEIGHT + below - 46, left=LEFT, bottom=below,
    )  # fmt: skip
    chart.axis_y(axes[1])
    _axis_x(chart, axes[0])
    colour = {name: f"c{i % COLOURS}" for i, name in enumerate(names)}
    for i in keep.tolist():
        css = colour[str(groups[i])] if groups is not None else "c0"
        chart.parts.append(
            f'<circle class="mark soft {css}" cx="{chart.px(points[i, 0]):.1f}" '
            f'cy="{chart.py(points[i, 1]):.1f}" r="3.5"><title>{escape(words[i])}</title></circle>'
        )
    for name, (x, line) in zip(names, places, strict=False):
        y = chart.bottom + 56 + LINE * line
        chart.parts.append(
            f'<rect class="mark {colour[name]}" x="{x:.0f}" y="{y - 10:.0f}" width="11" '
            'height="11"/>'
        )
        chart.words(x + 17, y, clean(name, 60), "small")
    return chart, len(keep)


def _axis_x(chart: Chart, label: str) -> None:
    """The axis with its name right below the ticks: the legend comes after it."""
    full = chart.height
    chart.height = chart.bottom + 46
    chart.axis_x(label)
    chart.height = full


def _legend_places(names: Sequence[str]) -> tuple[list[tuple[float, int]], int]:
    """Where each name begins, from left to right and line by line, and the number of lines."""
    places, x, line = [], float(LEFT), 0
    for name in names:
        wide = 17 + LETTER * len(clean(name, 60)) + 18
        if x + wide > WIDTH and x > LEFT:
            x, line = float(LEFT), line + 1
        places.append((x, line))
        x += wide
    return places, line + 1 if places else 0
