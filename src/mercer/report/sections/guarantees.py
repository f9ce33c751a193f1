"""What else is promised: sets, errors by class, a threshold, F1, and how to keep watch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mercer._clean import clean
from mercer.bounds.words import confidence
from mercer.report._blocks import Block, Bullets, Code, Note, Picture, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart
from mercer.report._text import counted, number, percent, sentence
from mercer.report.advice import at_a_terminal

DRAWN = 20  # classes in the picture, those with the largest limits


class GuaranteeSection(Section):
    """Sentences that hold together, with what each of them means in practice."""

    key, title, order, wide = "guarantees", "What else is promised", 10, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's answers."""
        found = source.record.answers.get("guarantees")
        if not found:
            raise Absent("no rows were kept apart that could promise more")
        return dict(found) | {"terminal": bool(source.record.reproduction.get("command"))}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """The sentences, the tables behind them, what could not be promised, the watch."""
        rows = [row for row in data["rows"] if "statement" in row]
        if rows:
            together = f"hold together with {confidence(data['delta'])} confidence"
            yield Text(
                f"From the same {counted(data['counted'], 'row')} that the model never saw. The "
                f"{counted(len(data['rows']), 'question')} were fixed before the rows were counted "
                f"and share one failure probability: the answers {together}. The limit at the top "
                "of this page is a statement of its own."
            )
            said = at_a_terminal if data.get("terminal") else str
            yield Bullets([sentence(clean(said(row["statement"]), 300)) for row in rows])
        for row in rows:
            yield from _behind(row)
        for row in data["rows"]:
            if "refused" in row:
                yield Note(f"Not promised: {clean(row['question'], 60)}. "
                           f"{sentence(clean(row['refused'], 300))}")  # fmt: skip
        if data.get("watch"):
            yield from _watch(data["watch"])

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Each limit under its question."""
        for row in data["rows"]:
            if "certificate" in row:
                yield clean(row["question"], 60), row["certificate"]["value"]


def _behind(row: Mapping[str, Any]) -> Iterator[Block]:
    if "sizes" in row:
        told = [
            f"{number(count)} with {_classes(int(size))}" for size, count in row["sizes"].items()
        ]
        yield Text(
            f"Sets of the counted rows: {', '.join(told)} ({row['mean']:.2f} classes on average). "
            "A set of several classes says that the model cannot tell them apart there; an empty "
            "one that the row is like none of them."
        )
    elif "widths" in row:
        low, middle, high = (number(w) for w in row["widths"])
        yield Text(
            f"{sentence(row['question'])[:-1]}: half of them are at most {middle} wide, nine of "
            f"ten at most {high}, one of ten at most {low}."
        )
    elif "classes" in row:
        yield _class_picture(row["classes"])
        lines = [
            [clean(c["class"], 40), number(c["errors"]), number(c["rows"]), percent(c["low"]),
             percent(c["high"])]
            for c in row["classes"]
        ]  # fmt: skip
        head = ["class", "wrong", "rows", "at least", "at most"]
        yield Table(head, lines, numbers=frozenset(range(1, 5)))
        yield Text(
            "The same for the values of any column, as one further question to these rows: mercer "
            "guarantee model.mercer DATA --groups COLUMN."
        )
    elif "threshold" in row:
        label = clean(row["positive"], 40)
        yield Text(
            f"Threshold: answer {label} from a score of {number(row['threshold'])} on. Of the "
            f"counted rows {number(row['called'])} are called so then, {number(row['right'])} of "
            "them rightly. It was chosen so that the choice is paid for, and it is another rule "
            "than the model's own answers."
        )


def _classes(size: int) -> str:
    return {0: "no class", 1: "one class"}.get(size, f"{size} classes")


def _class_picture(classes: Sequence[Mapping[str, Any]]) -> Picture:
    """Limits of every class as bars, the rates that were seen as marks."""
    shown = sorted(classes, key=lambda c: -c["high"])[:DRAWN]
    last = len(shown) - 1
    chart = Chart("Error rate of every class, seen and within its limits.",
                  (0.0, 1.04 * max(c["high"] for c in shown)), (-0.5, last + 0.5), width=560,
                  left=130, height=76 + 28 * len(shown))  # fmt: skip
    chart.axis_y("", range(last + 1), lambda y: clean(shown[last - int(y)]["class"], 18))
    for place, one in enumerate(shown):
        y = last - place
        chart.line([one["low"], one["high"]], [y, y], "c0 thick")
        if one["rows"]:
            rate = one["errors"] / one["rows"]
            tip = f"{clean(one['class'], 40)}: {one['errors']} of {one['rows']}, {percent(rate)}"
            chart.mark(rate, y, "c1", "diamond", 5, tip)
    chart.axis_x("error rate", None, percent)
    return Picture([chart], "Bars: from the lower to the upper limit. Diamonds: what was seen.")


def _watch(watch: Mapping[str, Any]) -> Iterator[Block]:
    rate = percent(watch["limit"])
    yield Text(
        f"Is it still true next year? Compare answers with the truth as it becomes known. If the "
        f"rate of errors has doubled to {percent(2 * watch['limit'])}, an alarm comes after about "
        f"{counted(watch['labels'], 'label')}; as long as it is at most {rate}, one ever comes "
        f"with probability {percent(watch['alarm'])} at most, however often one looks."
    )
    yield Code("mercer monitor model.mercer stream.csv", "console")
