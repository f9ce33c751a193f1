"""The first page, for whoever decides: is it better than a simple rule, where does it err, why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Facts, Note
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._text import counted, number, percent, sentence

ALOUD = ("leak", "rare")  # checks that belong on the first page
NAMED = 3


class BriefSection(Section):
    """Four questions, four answers."""

    key, title, order, wide = "brief", "In short", 5, True

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """What the record says, in words."""
        record = source.record
        if not record.answers:
            raise Absent("this is not the record of a run on rows that were kept for counting")
        rows = [("How wrong will it be?", sentence(clean(record.statement, 300)))]
        rows += [("Better than a simple rule?", words) for words in _rivals(record)]
        errors = " ".join(_errors(record.answers))
        rows += [("Which errors?", errors)] if errors else []
        rows += [("What drives it?", words) for words in _drivers(record.answers)]
        careful = [c["message"] for c in record.checks if c["code"] in ALOUD]
        return {"rows": rows, "careful": [clean(words, 400) for words in careful]}

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """What to beware of, then the answers."""
        for words in data["careful"]:
            yield Note(sentence(words), "warning")
        yield Facts([(question, answer) for question, answer in data["rows"]])


def _rivals(record: Any) -> Iterator[str]:
    """The model beside the trivial answer and the simpler models."""
    lines = record.baselines
    if len(lines) < 2:
        return
    own, others = lines[0], lines[1:]
    key = "mean_absolute" if "mean_absolute" in own else "error"
    said = ", ".join(f"{clean(row['name'])} {_size(row, key)}" for row in others)
    better = all(own[key] < row[key] for row in others if row.get(key) is not None)
    verdict = "Yes" if better else "Not clearly"
    yield (
        f"{verdict}: {_size(own, key)} on unseen rows; {said} on its training rows, left out in "
        "turn."
    )


def _size(row: Mapping[str, Any], key: str) -> str:
    if key == "error":
        return f"{percent(float(row['error']))} {row.get('of', 'wrong')}"
    return f"{number(float(row[key]))} off on average"


def _errors(answers: Mapping[str, Any]) -> Iterator[str]:
    numbers = answers.get("numbers")
    if numbers:
        yield (
            f"Nine of ten unseen targets lie within ±{number(numbers['within'])}; on average the "
            f"answer is {number(numbers['mean_absolute'])} off (R² {numbers['explained']:.2f})."
        )
    classes = sorted(answers.get("classes", ()), key=lambda c: -c["errors"] / max(1, c["rows"]))
    if classes:
        told = "; ".join(
            f"{clean(c['class'])}: {c['errors']} of {counted(c['rows'], 'row')} wrong"
            for c in classes[:NAMED]
        )
        yield sentence(told)
    worse = [s for s in answers.get("slices", ()) if s["worse"]][:NAMED]
    if worse:
        told = ", ".join(
            f"{clean(s['column'])} {clean(s['slice'])} ({percent(s['rate'])})" for s in worse
        )
        yield f"Clearly more often where {told}."


def _drivers(answers: Mapping[str, Any]) -> Iterator[str]:
    sure = [one["name"] for one in answers.get("importance", ()) if one["low"] > 0]
    if sure:
        more = " and others" if len(sure) > 5 else ""
        yield ", ".join(clean(name) for name in sure[:5]) + more + "."
    elif answers.get("importance"):
        yield "No single column: shuffling any one of them changes little."
