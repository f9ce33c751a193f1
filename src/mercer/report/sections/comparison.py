"""Every bound and estimate about the model on one axis, and why the others say nothing."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.bounds import Certificate
from mercer.bounds import available as bounds
from mercer.bounds.words import confidence
from mercer.report._blocks import Block, More, Picture, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import Chart, nice
from mercer.report._text import amount, percent
from mercer.report.sections.certificate import caveats_of, is_rate

_TICKS = (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_SHOWN = 18
_NAMES = 364  # pixels for the names of the bounds
_LETTERS = 46  # that fit there, bold and in a wide font
_LINE = 13  # from one line of a name to the next
_WHO = {"gibbs": "randomised", "mixture": "mixture", "vote": "vote", "one-of": "best model"}


class ComparisonSection(Section):
    """The certificate chart."""

    key, title, order = "comparison", "Every bound on one axis", 20

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """All certificates of the model, without their inputs."""
        record, own = source.record, source.certificate
        rows = {code: Certificate.from_dict(c) for code, c in record.certificates.items()}
        if own is not None:
            rows[own.code] = own
        if not rows:
            raise Absent("the model carries no certificates")
        shown = [c.to_dict(inputs=False) | {"words": str(c)} for c in rows.values()]
        for c in shown:
            c["chosen"] = own is not None and c["code"] == own.code
            c["other"] = own is not None and c["quantity"] != own.quantity
        known = bounds()
        return {
            "certificates": sorted(shown, key=lambda c: (c["kind"] == "estimate", _size(c))),
            "bar": record.certification.get("comparison", {}).get("value"),
            "not_applicable": [
                {"code": code, "title": known[code].title if code in known else code, "why": why}
                for code, why in record.not_applicable.items()
            ],
        }

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Chart, table, reasons."""
        for rate in (True, False):
            shown = [c for c in data["certificates"] if is_rate(c) == rate]
            if shown:
                yield Picture([chart(shown[:_SHOWN], data["bar"])], _caption(shown, data))
        yield More("The same as a table", [_table(data["certificates"])])
        if data["not_applicable"]:
            yield More(
                f"Why {len(data['not_applicable'])} other bounds say nothing here",
                [
                    Table(
                        ["bound", "reason"],
                        [[clean(b["title"]), clean(b["why"], 300)] for b in data["not_applicable"]],
                    )
                ],
                paper=False,
            )
        yield Text(
            "Each bound holds with its own full confidence; the smallest of several does not, "
            "unless the failure probability was divided over them."
        )

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """One value per certificate."""
        for c in data["certificates"]:
            yield f"{c['title']} ({c['code']})", c["unclipped"]


def _size(c: Mapping[str, Any]) -> float:
    return float(c["unclipped"])


def chart(certificates: list[Mapping[str, Any]], bar: float | None) -> Chart:
    """Bounds as intervals from what was seen to the limit, estimates as hollow diamonds."""
    rate = is_rate(certificates[0])
    top = _limit(certificates, bar, rate)
    each = 31 if any(len(_name(c)) > 1 for c in certificates) else 27
    height = 64 + each * len(certificates)
    limits = (0.0, top) if rate else (_lowest(certificates), top)
    picture = Chart(
        "Bounds and estimates of the error on one axis; the table below has the numbers.",
        limits,
        (0, len(certificates)),
        width=860,
        height=height,
        left=_NAMES + 8,
        right=98,  # "says nothing", bold
        top=8,
        transform_x=(lambda v: math.sqrt(max(v, 0.0))) if rate else float,
    )
    picture.y_limits = (float(len(certificates)), 0.0)
    if bar is not None and rate and bar <= top:
        picture.vertical(bar, "rule dashed c3")
    for place, c in enumerate(certificates):
        _row(picture, place + 0.5, c, top, rate)
    picture.axis_x(
        "error rate" if rate else "mean loss",
        _ticks(top) if rate else nice(*limits),
        percent if rate else "{:.3g}".format,
    )
    return picture


def _row(picture: Chart, y: float, c: Mapping[str, Any], top: float, rate: bool) -> None:
    bold = " strong" if c.get("chosen") else ""
    muted = " muted" if c["vacuous"] else ""
    lines = _name(c)
    for i, line in enumerate(lines):
        height = picture.py(y) + 4 + _LINE * (i - (len(lines) - 1) / 2)
        picture.words(_NAMES, height, line, f"small{bold}{muted}", "end")
    beyond = c["vacuous"] or c["value"] > top
    end = top if beyond else c["value"]
    tip = str(c["words"])
    if c["kind"] == "estimate":
        picture.mark(end, y, "hollow c2", "diamond", 5, tip)
    else:
        start = next(v for v in (c.get("lower"), c.get("observed"), 0.0) if v is not None)
        half = 0.26 if c.get("chosen") else 0.15
        css = "bar faint" if c["vacuous"] else "bar c0"
        dashed = " dashed" if c["kind"] == "conditional" else ""
        picture.box(min(start, end), end, y - half, y + half, css + dashed, tip, 2)
        if c.get("observed") is not None and c["observed"] <= top:
            picture.mark(c["observed"], y, "ink", "circle", 3, tip)
        picture.mark(end, y, "faint" if c["vacuous"] else "c0", "square", 1.2 if beyond else 3.2)
    text = "says nothing" if c["vacuous"] else amount(c["value"], rate)
    text = f"≈ {text}" if c["kind"] == "estimate" else text
    picture.words(picture.right + 8, picture.py(y) + 4, text, f"small{bold}{muted}")


def _name(c: Mapping[str, Any]) -> list[str]:
    """The title in one or two lines that fit beside the chart in any font."""
    who = _WHO.get(c["classifier"], "")
    first = c["title"][:1]  # a Greek letter stays small
    title = (first.upper() if first.isascii() else first) + c["title"][1:]
    named = f"{title} ({who})" if who and who not in title else title
    if c.get("other"):  # beside a limit for the worst class, one for all rows would look smaller
        named = f"{named}: {c['quantity']}"
    named = f"{named} *" if caveats_of(c) else named
    return textwrap.wrap(
        clean(named, 200), _LETTERS, max_lines=2, placeholder=" …", break_on_hyphens=False
    ) or ["?"]


def _limit(certificates: list[Mapping[str, Any]], bar: float | None, rate: bool) -> float:
    """Room for every informative number."""
    known = [c["value"] for c in certificates if not c["vacuous"]] + ([bar] if bar and rate else [])
    biggest = max(known, default=1.0)
    return min(1.0, 1.1 * biggest) if rate else 1.1 * biggest if biggest > 0 else 1.0


def _lowest(certificates: list[Mapping[str, Any]]) -> float:
    return min(0.0, *(c["value"] for c in certificates))


def _ticks(top: float) -> list[float]:
    kept = [0.0]
    for tick in _TICKS[1:]:
        if tick <= top and math.sqrt(tick) - math.sqrt(kept[-1]) > 0.09 * math.sqrt(top):
            kept.append(tick)
    return kept


def _caption(shown: list[Mapping[str, Any]], data: Mapping[str, Any]) -> str:
    words = (
        "Bars run from what was seen (dot) to the limit; hollow diamonds are estimates, which "
        "promise nothing. The certificate of this report is in bold."
    )
    if any(caveats_of(c) for c in shown):
        words += " * something speaks against the number (the table says what)."
    if is_rate(shown[0]):
        words += " The axis is a square-root scale."
        if data["bar"] is not None:
            words += f" Dashed line: a plain 80/20 split, {percent(data['bar'])}."
    if len(shown) > _SHOWN:
        words += f" {len(shown) - _SHOWN} looser ones are in the table only."
    return words


def _table(certificates: list[Mapping[str, Any]]) -> Table:
    rows = []
    for c in certificates:
        value = "says nothing" if c["vacuous"] else amount(c["value"], is_rate(c))
        sure = "none" if c.get("delta") is None else confidence(c["delta"])
        about = f"{c['quantity']}, {c['classifier']} rule"
        missing = "; ".join(clean(words, 300) for words in caveats_of(c)) or "–"
        rows.append([clean(c["title"]), value, sure, str(c["n"]), about, missing, c["reference"]])
    return Table(
        ["bound", "value", "confidence", "rows", "about", "what speaks against it", "source"],
        rows,
        numbers=frozenset({1, 2, 3}),
        marked=frozenset(i for i, c in enumerate(certificates) if c.get("chosen")),
    )
