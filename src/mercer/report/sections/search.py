"""What was tried before the model was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mercer._clean import clean
from mercer.report._blocks import Block, More, Picture, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart, short
from mercer.report._text import number

_TABLE, _MAPS, _DOTS = 60, 6, 300


class SearchSection(Section):
    """The search map: the criterion over the parameters, the choice marked."""

    key, title, order, wide = "search", "What was tried", 70, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's results with their parameters flat."""
        search = source.record.search
        results = [_flat(r) for r in search.get("results", ())]
        if not results:
            raise Absent("no search was run: the settings were fixed in advance")
        return {
            "criterion": clean(_called(search.get("criterion", "")), 80),
            "greater": bool(search.get("greater_is_better", _falling(results))),
            "candidates": int(search.get("candidates") or len(results)),
            "words": clean(search.get("words", ""), 300),
            "runner_up": clean(search.get("runner_up") or "", 200),
            "results": results,
        }

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """One map per kernel where two numbers vary, else all candidates in a row."""
        better = "greater" if data["greater"] else "smaller"
        yield Text(
            f"{number(data['candidates'])} candidates, judged by {data['criterion'] or 'a score'} "
            f"({better} is better) on the training rows only. {data['words']}"
        )
        maps = _maps(data)
        if maps:
            yield Picture(maps, _caption(data))
        else:
            yield Picture([_ranking(data)], "All candidates, the best on the left.")
        yield More(f"The best {min(_TABLE, len(data['results']))}", [_table(data)])

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """How many, and the best."""
        yield "candidates", data["candidates"]
        yield "criterion of the chosen one", data["results"][0]["score"]


def _called(criterion: Any) -> str:
    """A criterion's title instead of its code."""
    from mercer.selection.criteria import available

    known = available().get(str(criterion))
    return known.title if known is not None else str(criterion)


def _falling(results: list[dict[str, Any]]) -> bool:
    """Whether scores fall from the best to the worst: then greater is better."""
    scores = [r["score"] for r in results if r["score"] is not None]
    return len(scores) > 1 and scores[0] > scores[-1]


def _caption(data: Mapping[str, Any]) -> str:
    scores = [r["score"] for r in data["results"] if r["score"] is not None]
    ends = (max(scores), min(scores)) if data["greater"] else (min(scores), max(scores))
    return (
        f"The paler the better: from {ends[0]:.3g} (white) to {ends[1]:.3g} (dark), the same scale "
        "for every kernel. The chosen setting is ringed. Settings with fewer than two numbers are "
        "in the table only."
    )


def _flat(result: Mapping[str, Any]) -> dict[str, Any]:
    params = dict(result.get("params") or {})
    family = result.get("kernel") or params.pop("kernel", None) or ""
    return {
        "family": clean(str(family).split("(")[0], 40),
        "params": {clean(k, 40): v for k, v in params.items() if v is not None},
        "score": _score(result.get("score")),
        "std": _score(result.get("std")),
        "seconds": _score(result.get("seconds")),
        "status": clean(result.get("status", ""), 40),
    }


def _score(value: Any) -> float | None:
    ok = isinstance(value, int | float) and math.isfinite(value)
    return float(value) if ok else None


def _maps(data: Mapping[str, Any]) -> list[Chart]:
    """A heat map for every kernel whose candidates form a grid of two positive numbers."""
    groups: dict[str, list[Any]] = {}
    for result in data["results"]:
        if result["score"] is not None:
            groups.setdefault(result["family"], []).append(result)
    scores = [r["score"] for r in data["results"] if r["score"] is not None]
    found: list[Chart] = []
    for family, results in groups.items():
        axes = _axes(results)
        if axes is not None and len(found) < _MAPS:
            found.append(_map(family, results, axes, (min(scores), max(scores)), data))
    return found


def _axes(results: list[Any]) -> tuple[str, str] | None:
    """The two parameters that vary most, if they are positive numbers and vary at all."""
    values: dict[str, set[float]] = {}
    for result in results:
        for name, value in result["params"].items():
            if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
                values.setdefault(name, set()).add(float(value))
    varied = sorted((k for k, v in values.items() if len(v) > 1), key=lambda k: -len(values[k]))
    complete = [k for k in varied if all(k in r["params"] for r in results)]
    return (complete[0], complete[1]) if len(complete) >= 2 else None


def _map(
    family: str,
    results: list[Any],
    axes: tuple[str, str],
    ends: tuple[float, float],
    data: Mapping[str, Any],
) -> Chart:
    xs, ys = (sorted({float(r["params"][axis]) for r in results}) for axis in axes)
    chart = Chart(
        f"Scores of {family or 'the candidates'} over {axes[0]} and {axes[1]}.",
        (0, len(xs)),
        (0, len(ys)),
        width=420,
        height=90 + 26 * max(4, min(len(ys), 14)),
        left=74,
        top=26,
    )
    chart.words(chart.left, 16, family or "candidates", "small strong")
    every = max(1, math.ceil(len(xs) / 7))
    chart.axis_x(axes[0], [i + 0.5 for i in range(0, len(xs), every)], lambda t: short(xs[int(t)]))
    chart.axis_y(axes[1], [j + 0.5 for j in range(len(ys))], lambda t: short(ys[int(t)]))
    best: dict[tuple[int, int], Any] = {}
    for result in results:  # best first, so the first of a cell is its best
        at = xs.index(float(result["params"][axes[0]])), ys.index(float(result["params"][axes[1]]))
        best.setdefault(at, result)
    for (i, j), result in best.items():
        shade = _shade(result["score"], ends, data["greater"])
        tip = f"{axes[0]} {xs[i]:.4g}, {axes[1]} {ys[j]:.4g}: {result['score']:.4g}"
        chart.box(i, i + 1, j, j + 1, f"heat h{shade}", tip)
        if result is data["results"][0]:
            chart.mark(i + 0.5, j + 0.5, "hollow ink", "circle", 6, f"chosen: {tip}")
    return chart


def _shade(score: float, ends: tuple[float, float], greater: bool) -> int:
    """0 for the best of all candidates, 8 for the worst; by rank on a square-root scale."""
    low, high = ends
    if high == low:
        return 0
    bad = (high - score) / (high - low) if greater else (score - low) / (high - low)
    return round(8 * math.sqrt(bad))


def _ranking(data: Mapping[str, Any]) -> Chart:
    scores = [r["score"] for r in data["results"] if r["score"] is not None][:_DOTS]
    spread = [r["std"] or 0.0 for r in data["results"] if r["score"] is not None][:_DOTS]
    room = 0.06 * (max(scores) - min(scores))
    ends = (min(scores) - room, max(scores) + room)
    chart = Chart("Scores of all candidates.", (0, len(scores) + 1), ends, height=260)
    chart.axis_y("score")  # its name stands in the text above, and may be long
    for i, (score, std) in enumerate(zip(scores, spread, strict=True)):
        low, high = np.clip([score - std, score + std], *chart.y_limits)
        if std:
            chart.segments([(i + 1, float(low), i + 1, float(high))], "faint")
        tip = ", ".join(f"{k} {number(v)}" for k, v in data["results"][i]["params"].items())
        chart.mark(i + 1, score, "c1" if i == 0 else "c0", "circle", 4.5 if i == 0 else 3, tip)
    chart.axis_x("place")
    return chart


def _table(data: Mapping[str, Any]) -> Table:
    shown = data["results"][:_TABLE]
    names = list(dict.fromkeys(k for r in shown for k in r["params"]))
    head = ["place", "kernel", *names, data["criterion"] or "score", "± std", "seconds"]
    rows = []
    for place, r in enumerate(shown):
        values = [number(r["params"].get(k)) for k in names]
        tail = [number(r["score"]), number(r["std"]), number(r["seconds"])]
        rows.append([str(place + 1), r["family"] or "–", *values, *tail])
    numeric = frozenset({0, *range(2, len(head))})
    return Table(head, rows, numbers=numeric, marked=frozenset({0}))
