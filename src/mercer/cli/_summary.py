"""The summary of a fit: short, complete, and never more certain than the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mercer.app.plan import clock
from mercer.bounds.words import confidence, names_a_rate
from mercer.cli._echo import shown
from mercer.cli._require import against
from mercer.report.advice import at_a_terminal
from mercer.report.run_record import RunRecord

WIDTH = 80
LABEL = 10
MOST_NOTES = 6
MOST_CLASSES, MOST_COLUMNS = 4, 5
ALOUD = ("leak", "rare")  # said beside the number
NEXT = {"fasta": ".fasta", "fastq": ".fastq", "lines": ".txt --format lines"}  # new data alike


def lines(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    """Label, text and style of every line."""
    yield from _before(record)
    yield "", "", ""
    yield from _model(record)
    yield from _answers(record)
    yield "", "", ""
    yield from _certificate(record)
    yield from _promised(record)
    yield "", "", ""
    yield from _after(record)


def _before(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    data, target = record.data, record.target
    shape = f"{data['rows_read']:,} rows x {data['width']} {data['width_of']}"
    dialect = data.get("words") or ""
    yield "data", f"{data['name']}  {shape}" + (f"  ({dialect})" if dialect else ""), ""
    yield "target", f"{target['name']}: {target['words']}", ""
    dropped = data.get("dropped", [])
    if dropped:
        first = dropped[0]
        yield "rows", (f"{data['rows_used']:,} used, {len(dropped):,} dropped (first: row "
                       f"{first['row']}, {first['reason']})"), "yellow"  # fmt: skip
    else:
        yield "rows", f"{data['rows_used']:,} used, none dropped", ""
    if record.split.get("words"):
        yield "split", record.split["words"], ""
    yield "plan", record.plan["words"], ""
    yield "search", record.search.get("words", ""), ""


def _model(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    model = record.model
    text = model["words"]
    if model.get("support") is not None:
        text += f"; {model['support']} support vectors of {model['trained_on']}"
    yield "chosen", text, "bold"
    points = record.target.get("task") == "classification"
    told = [f"{name} {_behind(gap, points)}" for name, gap in _gaps(record).items()]
    if told:
        yield "", f"next best on the training rows: {', '.join(told[:4])}", "dim"
    if record.baselines[1:]:
        rivals = ", ".join(f"{row['name']}: {_rate(row)}" for row in record.baselines[1:])
        yield "", f"on its own training rows, left out in turn, {rivals} (not certified)", "dim"
    if model.get("interrupted"):
        yield "", f"STOPPED EARLY: {model['stopped']}", "yellow"


def _answers(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    """How far off numbers are, which classes suffer, what matters."""
    answers = record.answers
    numbers = answers.get("numbers")
    if numbers:
        yield "unseen", (f"90 % within ±{numbers['within']:.3g}, mean distance "
                         f"{numbers['mean_absolute']:.3g} (always the median "
                         f"{numbers['median_rule']:.3g}), "
                         f"R² {numbers['explained']:.2f}"), ""  # fmt: skip
    classes = answers.get("classes", ())
    if classes:
        worst = sorted(classes, key=lambda c: -c["errors"] / max(1, c["rows"]))[:MOST_CLASSES]
        told = ", ".join(f"{c['class']} {c['errors']} of {c['rows']}" for c in worst)
        yield "unseen", f"wrong by class: {told}", ""
    sure = [one["name"] for one in answers.get("importance", ()) if one["low"] > 0]
    if sure:
        more = f" and {len(sure) - MOST_COLUMNS} more" if len(sure) > MOST_COLUMNS else ""
        yield "drivers", ", ".join(sure[:MOST_COLUMNS]) + more, ""
    worse = [s for s in answers.get("slices", ()) if s["worse"]][:2]
    for one in worse:
        yield "", (f"errs more often where {one['column']} {one['slice']}: {one['errors']} of "
                   f"{one['rows']}"), "yellow"  # fmt: skip


def _promised(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    """What else the counted rows say, all together at the confidence of the certificate."""
    found = record.answers.get("guarantees") or {"rows": ()}
    told = [row["statement"] for row in found["rows"] if "statement" in row]
    if told:
        yield "", "", ""
        yield "also", f"together with confidence {confidence(found['delta'])}:", ""
        yield from (("", words, "") for words in told)


def _gaps(record: RunRecord) -> dict[str, float]:
    """How far behind other learners are, or, of kernel machines alone, other kernels."""
    if "rivals" in record.search:
        return dict(record.search["rivals"])
    others = record.search.get("families", {})
    if len(others) < 2:
        return {}
    mine = record.search["results"][0]
    return {name: mine["score"] - score for name, score in others.items()
            if name != mine["family"]}  # fmt: skip


def _behind(gap: float, points: bool) -> str:
    """How much worse than the winner: percentage points of error, or R²."""
    if gap <= 5e-4:
        return "as good"
    return f"+{100 * gap:.1f} points" if points else f"(R² lower by {gap:.2g})"


def _rate(row: dict[str, Any]) -> str:
    if "mean_absolute" in row:
        return f"{100 * row['error']:.1f} % outside, mean distance {row['mean_absolute']:.4g}"
    return f"{100 * row['error']:.1f} % {row.get('of', 'wrong')}"


def _certificate(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    found = record.certificate
    if found is None:
        yield "", record.statement, "bold yellow"
        return
    yield "CERTIFICATE", f"confidence {confidence(found['delta'])}", "bold"
    rather_wrong = found["delta"] >= 0.5
    for words in against(found):  # before the number, as in the certificate's own first line
        yield "", words, "bold red"
    for check in record.checks:
        if check["code"] in ALOUD:
            yield "", f"Careful: {check['message']}", "bold yellow"
    good = not (found["vacuous"] or against(found) or _useless(record) or rather_wrong)
    yield "", record.statement, "bold green" if good else "bold yellow"
    if rather_wrong:
        yield "", "That may as well be wrong: choose a smaller --delta, such as 0.05.", "bold red"
    if _useless(record):
        yield "", f"That is no better than {record.baselines[1]['name']}.", "yellow"
    if found.get("counted"):
        rate, told = "", found.get("observed")
        if told is not None and names_a_rate(found["quantity"]):
            rate = f" ({100 * told:.2g} %)"
        yield "", f"seen: {found['counted']}{rate}", ""
    yield "", "assumes: " + "; ".join(found["assumptions"]), "dim"
    others = other_bounds(record)
    if others:
        yield "", f"other bounds, each by itself: {others}", "dim"
    words = record.certification.get("comparison", {}).get("words")
    if words:
        yield "", f"for comparison, {words}", "dim"
    if record.needed:
        yield "", record.needed["words"], ""


def _useless(record: RunRecord) -> bool:
    """The certified error is not below that of the trivial predictor."""
    if record.certificate is None or len(record.baselines) < 2:
        return False
    if "mean_absolute" in record.baselines[1]:  # a rate at one tolerance is no way to compare
        return float(record.baselines[0]["mean_absolute"]) >= float(
            record.baselines[1]["mean_absolute"]
        )
    of = record.baselines[1].get("of", ("error rate", "rate of"))
    if not record.certificate["quantity"].startswith(of):
        return False
    return float(record.certificate["value"]) >= float(record.baselines[1]["error"])


def other_bounds(record: RunRecord) -> str:
    """The best few of the other bounds of the same quantity that say something.

    Beside a limit for the worst class, a limit for all rows would read as a smaller one.
    """
    best = []
    own = record.certificate or {"code": "", "quantity": ""}
    for code, found in record.certificates.items():
        usual = found["classifier"] == "deterministic" and found["quantity"] == "error rate"
        alike = code != own["code"] and found["quantity"] == own["quantity"]
        if alike and found["kind"] == "bound" and usual and not found["vacuous"]:
            best.append((float(found["value"]), found["title"]))
    return ", ".join(f"{title} {100 * value:.3g} %" for value, title in sorted(best)[:3])


def _after(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    told = (record.certificate or {}).get("found", ())  # above the number already
    aloud = () if record.certificate is None else ALOUD
    checks = [
        check
        for check in record.checks
        if check["message"] not in told and check["code"] not in aloud
    ]
    checks.sort(key=lambda check: check["level"] != "warning")
    label = "notes"
    for check in checks[:MOST_NOTES]:
        yield (
            label,
            check["message"],
            "yellow" if check["level"] == "warning" else "",
        )
        label = ""
    if len(checks) > MOST_NOTES:
        yield "", f"and {len(checks) - MOST_NOTES} more in the report", "dim"
    if record.files:
        names = ", ".join(record.files.values())
        yield "wrote", names, ""
    total = sum(record.timings.values())
    yield "time", f"{clock(total)} in all, seed {record.reproduction.get('seed')}", "dim"
    if "model" in record.files:
        model = record.files["model"]
        suffix = NEXT.get(record.data.get("format", ""), ".csv")
        yield "next", f"mercer predict {model} NEW{suffix}", "dim"
        yield "", f"mercer certify {model} FRESH{suffix}", "dim"


def show(record: RunRecord, stream: Any = None) -> None:
    """Write the summary; colours only for a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, soft_wrap=False)
    width = max(60, min(WIDTH, console.width)) if console.is_terminal else WIDTH
    for label, text, style in lines(record):
        for i, part in enumerate(wrapped(at_a_terminal(text), width - LABEL)):
            head = f"{label:<{LABEL}}" if i == 0 and len(label) < LABEL else " " * LABEL
            if i == 0 and len(label) >= LABEL:
                head = f"{label}  "
            line = Text.assemble((head, "bold cyan" if label else ""), (shown(part), style))
            line.rstrip()
            console.print(line, no_wrap=True, overflow="ignore", crop=False)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` characters, broken at blanks."""
    import textwrap

    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
