"""The number, the sentence, and everything it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.bounds import Certificate, names_a_rate
from mercer.bounds.words import caveats, confidence
from mercer.report._blocks import Block, Bullets, Facts, Headline, More, Note, Table, Text
from mercer.report._section import Section
from mercer.report._source import Source
from mercer.report._text import amount, counted, number, percent, sentence
from mercer.report.advice import at_a_terminal

_TARGETS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001)


class CertificateSection(Section):
    """How wrong can it be, and why should one believe it?"""

    key, title, order, wide = "certificate", "The certificate", 9, False

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The certificate as plain data, its explanation, and what a smaller one would need."""
        record, found = source.record, source.certificate
        data: dict[str, Any] = {
            "certificate": None,
            "baselines": record.baselines,
            "split": {k: record.split.get(k) for k in ("train", "counted", "seed", "words")},
            "notes": list(record.certification.get("notes", ())),
            "comparison": record.certification.get("comparison", {}).get("words", ""),
            "reasons": len(record.not_applicable),
        }
        if found is not None:
            data["certificate"] = found.to_dict(inputs=False)
            data["sentence"] = record.statement or found.first_line()
            data["explanation"] = found.explain().splitlines()
            # options of Python are no advice for somebody at a terminal
            data["terminal"] = bool(record.reproduction.get("command"))
            data["rows_needed"] = _rows_needed(found)
        return data

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Headline, warnings, what it was paid with, what it assumes."""
        c = data["certificate"]
        if c is None:
            yield Headline(
                "no certificate",
                "no bound applies, or none was asked for",
                "Nothing is promised about new rows.",
                "vacuous",
            )
            yield Text("Fit with mercer.certified_fit, or certify the model by rows it never saw.")
            return
        said = at_a_terminal if data.get("terminal") else str
        yield _headline(c, data)
        for words in caveats_of(c):
            yield Note(sentence(clean(said(words), 600)), "warning")
        yield Facts(list(_facts(c, data)))
        if data["comparison"]:
            yield Text(f"For comparison: {clean(data['comparison'], 300)}")
        for note in data["notes"]:
            yield Note(sentence(clean(note, 400)), "warning")
        yield Text(
            f"What has to be true: {'; '.join(clean(a, 300) for a in c['assumptions'])}. "
            "No computation can prove that; the data checks below look for signs against it."
        )
        yield More("The whole certificate in words", list(_grounds(c, data)))
        if data["rows_needed"]:
            yield More("How many rows would a smaller number need?", [_needed(data)])

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The certificate's own numbers."""
        c = data["certificate"]
        for name in ("value", "unclipped", "observed", "lower", "delta", "n"):
            if c is not None and c.get(name) is not None:
                yield f"{name} ({c['code']})", c[name]
        for base in data["baselines"]:
            own = str(base.get("name")).startswith("this ")
            where = "rows counted" if own else "training rows, left out in turn"
            yield f"error of {base.get('name')} on the {where}", base.get("error")


def is_rate(c: Mapping[str, Any]) -> bool:
    """Whether the number is a share, to be shown in per cent."""
    return names_a_rate(c.get("quantity", ""))


def caveats_of(c: Mapping[str, Any]) -> tuple[str, ...]:
    """What speaks against a stored certificate, in the words of its first line."""
    return caveats(c.get("found", ()), (choice["what"] for choice in c.get("uncovered", ())))


def _headline(c: Mapping[str, Any], data: Mapping[str, Any]) -> Headline:
    words, rate = sentence(clean(data["sentence"], 400)), is_rate(c)
    if c["kind"] == "estimate":
        about = f"{c['quantity']}: an estimate, without guarantee"
        return Headline(f"≈ {amount(c['value'], rate)}", about, words, "estimate")
    if c["vacuous"]:
        about = "the bound is not below the largest possible value"
        return Headline("nothing certified", about, words, "vacuous")
    about = f"{c['quantity']} on new rows, with {confidence(c['delta'])} confidence"
    # a number that something speaks against must not look like one that nothing does
    kind = "conditional" if caveats_of(c) else c["kind"]
    sign = "≥" if c["side"] == "lower" else "≤"
    return Headline(f"{sign} {amount(c['value'], rate)}", about, words, kind)


def _facts(c: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if c.get("observed") is not None:
        yield "seen on the rows counted", amount(float(c["observed"]), is_rate(c))
    if c.get("counted"):
        yield "counted", clean(c["counted"], 160)
    if data["split"].get("train"):
        learned, judged = data["split"]["train"], data["split"].get("counted") or 0
        yield "rows", f"{number(learned)} to learn from, {number(judged)} to judge by"
    for base in data["baselines"]:
        if base.get("error") is not None and not str(base.get("name")).startswith("this "):
            name = clean(base.get("name", ""))
            yield f"{name} (training rows, not certified)", _of_baseline(base, is_rate(c))


def _of_baseline(base: Mapping[str, Any], rate: bool) -> str:
    """A share of errors, or for numbers how far off it is beside the share outside."""
    if not rate and base.get("mean_absolute") is not None:
        return (
            f"{number(float(base['mean_absolute']))} off on average, "
            f"{percent(float(base['error']))} outside the tolerance"
        )
    return amount(float(base["error"]), rate)


def _grounds(c: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Block]:
    said = at_a_terminal if data.get("terminal") else str
    yield Bullets([clean(said(line), 600) for line in data["explanation"]])
    if len(c.get("ledger", ())) > 1:
        yield Table(
            ["what the failure probability was spent on", "share", "why"],
            [
                [clean(e["what"]), number(float(e["delta"])), clean(e.get("why", ""), 120)]
                for e in c["ledger"]
            ],
            numbers=frozenset({1}),
        )


def _needed(data: Mapping[str, Any]) -> Table:
    rows = [
        [percent(entry["target"]), counted(entry["rows"], "row") if entry["rows"] else "no number"]
        for entry in data["rows_needed"]
    ]
    head = ["to certify", "rows to count, if the observed rate stayed"]
    return Table(head, rows, numbers=frozenset({0, 1}))


def _rows_needed(c: Certificate) -> list[dict[str, Any]]:
    """Sample sizes for the next smaller round numbers; nothing for losses and estimates."""
    if c.kind == "estimate" or not names_a_rate(c.quantity) or c.inputs is None:
        return []
    floor = c.observed if c.observed is not None else 0.0
    wanted = [t for t in _TARGETS if floor < t < c.value][:3]
    return [{"target": t, "rows": c.sample_size(t)} for t in wanted]
