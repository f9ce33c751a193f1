"""What a classifier gets right and wrong: confusion, ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mercer._clean import clean
from mercer.report._blocks import Block, Note, Picture, Table, Text
from mercer.report._curves import calibration, two_class_curves
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart
from mercer.report._text import number, percent

_CLASSES = 12


class QualitySection(Section):
    """Curves and counts on rows the model has never seen."""

    key, title, order = "quality", "What it gets right and wrong", 15

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Everything from the recorded predictions."""
        found = source.record.predictions
        if source.task != "classification" or not found.get("truth"):
            raise Absent("there are no predictions of classes on unseen rows")
        classes = list(found.get("classes") or sorted({*found["truth"]}, key=str))
        classes += [v for v in dict.fromkeys(found["truth"]) if v not in classes]
        place = {label: i for i, label in enumerate(classes)}
        truth = np.array([place[v] for v in found["truth"]])
        predicted = np.array([place.get(v, -1) for v in found["predicted"]])
        names = source.labels() if len(source.labels()) == len(classes) else classes
        data: dict[str, Any] = {
            "labels": [clean(name, 40) for name in names],
            "rows": len(truth),
            "confusion": _confusion(truth, predicted, len(classes)),
            "abstained": int(np.sum(predicted < 0)),
        }
        return data | _curves(found, truth, len(classes))

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Curves for two classes, then counts."""
        yield Text(f"On the {number(data['rows'])} rows that the model was judged by.")
        charts = []
        if "roc" in data:
            charts = [_roc(data), _pr(data)]
        if "calibration" in data:
            charts.append(_calibration(data["calibration"]))
        if charts:
            yield Picture(charts, _caption(data))
        if "roc" in data and "calibration" not in data:
            yield Note("The model gives scores, not probabilities: no calibration to show.")
        yield _counts(data)
        yield _per_class(data)

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Areas and rates."""
        confusion = np.asarray(data["confusion"])
        yield "rows judged", data["rows"]
        yield "wrong", int(data["rows"] - np.trace(confusion))
        for key, name in (("roc", "area under the ROC curve"), ("pr", "average precision")):
            if key in data:
                yield name, data[key]["area"]
        if "calibration" in data:
            yield "Brier score", data["calibration"]["brier"]


def _confusion(truth: np.ndarray, predicted: np.ndarray, count: int) -> list[list[int]]:
    table = np.zeros((count, count), dtype=int)
    known = predicted >= 0
    np.add.at(table, (truth[known], predicted[known]), 1)
    return table.tolist()


def _curves(found: Mapping[str, Any], truth: np.ndarray, count: int) -> dict[str, Any]:
    data: dict[str, Any] = {}
    positive = (truth == 1).astype(int)
    if count != 2 or positive.min() == positive.max():
        return data
    probability = found.get("probability")
    chance = np.asarray(probability, dtype=float)[:, 1] if probability else None
    score = found.get("score") or (None if chance is None else chance.tolist())
    if score:
        data |= two_class_curves(positive, np.asarray(score, dtype=float))
    if chance is not None and np.isfinite(chance).all():
        data["calibration"] = calibration(positive, chance)
    return data


def _square(label: str, x: str, y: str) -> Chart:
    chart = Chart(label, (0, 1), (0, 1), width=340, height=310, left=56, right=22)
    chart.axis_y(y, [0, 0.25, 0.5, 0.75, 1], percent)
    chart.axis_x(x, [0, 0.25, 0.5, 0.75, 1], percent)
    return chart


def _roc(data: Mapping[str, Any]) -> Chart:
    roc = data["roc"]
    chart = _square(f"ROC curve, area {roc['area']:.3f}.", "false alarms", "found")
    chart.line([0, 1], [0, 1], "rule dashed")
    chart.area(roc["x"], [0.0] * len(roc["x"]), roc["y"], "c0")
    chart.line(roc["x"], roc["y"], "c0 thick")
    chart.words(chart.px(0.97), chart.py(0.06), f"ROC, area {roc['area']:.3f}", "small", "end")
    return chart


def _pr(data: Mapping[str, Any]) -> Chart:
    pr = data["pr"]
    chart = _square(
        f"Precision and recall, {pr['area']:.3f}.", "found (recall)", "right (precision)"
    )
    chart.horizontal(pr["share"], "rule dashed")
    chart.line(pr["x"], pr["y"], "c2 thick")
    text = f"average precision {pr['area']:.3f}"
    chart.words(chart.px(0.03), chart.py(0.06), text, "small")
    return chart


def _calibration(data: Mapping[str, Any]) -> Chart:
    chart = _square("Calibration.", "probability said", "frequency seen")
    chart.line([0, 1], [0, 1], "rule dashed")
    for one in data["bins"]:
        x = one["predicted"]
        chart.segments([(x, one["low"], x, one["high"])], "c3")
        tip = f"said {percent(x)}, seen {percent(one['observed'])} of {one['rows']} rows"
        chart.mark(x, one["observed"], "c3", "diamond", 4, tip)
    chart.words(chart.px(0.97), chart.py(0.06), f"Brier {data['brier']:.3f}", "small", "end")
    return chart


def _caption(data: Mapping[str, Any]) -> str:
    words = f"The positive class is {data['labels'][1]}. Dashed: guessing"
    if "calibration" in data:
        words += "; in the last picture, perfect calibration, with exact 95 % intervals per bin"
    return words + "."


def _counts(data: Mapping[str, Any]) -> Table:
    labels = data["labels"][:_CLASSES]
    table = [line[:_CLASSES] for line in data["confusion"][:_CLASSES]]
    rows = [[label, *(number(v) for v in line)] for label, line in zip(labels, table, strict=True)]
    more = len(data["labels"]) - len(labels)
    caption = "Rows: the truth. Columns: what the model said."
    caption += f" {more} more classes are in the JSON report." if more > 0 else ""
    head = ["truth \\ said", *labels]
    return Table(head, rows, caption, numbers=frozenset(range(1, len(head))))


def _per_class(data: Mapping[str, Any]) -> Table:
    table = np.asarray(data["confusion"])
    rows = []
    for i, label in enumerate(data["labels"]):
        n, said, right = int(table[i].sum()), int(table[:, i].sum()), int(table[i, i])
        found = percent(right / n) if n else "–"
        true = percent(right / said) if said else "–"
        rows.append([label, number(n), found, true])
    head = ["class", "rows", "of these found (recall)", "right when said (precision)"]
    return Table(head, rows, numbers=frozenset({1, 2, 3}))
