"""A document as Markdown: the same words and tables, pictures replaced by their descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report import _blocks as kinds
from mercer.report._section import available

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$!])")


def safe(text: str) -> str:
    """Words as words: nothing in them formats, links or opens a tag."""
    escaped = _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))
    escaped = escaped.replace(">", "&gt;").replace("://", ":\u200b//")
    return re.sub(r"^(\s*)([-+]|\d+\.)(\s)", r"\1\\\2\3", escaped)


def markdown(document: Mapping[str, Any]) -> str:
    """The whole page."""
    lines = [f"# {safe(clean(document['title'], 120))}", "", safe(clean(document["subtitle"], 200))]
    for section in available():
        if section.key in document["sections"]:
            lines += ["", f"## {section.title}", ""]
            lines += blocks(section.blocks(document["sections"][section.key]))
    if document["absent"]:
        lines += ["", "## Not shown", ""]
        lines += [
            f"- {a['title']}: {safe(clean(a['why'], 300))}" for a in document["absent"].values()
        ]
    made = f"Made by Mercer {safe(document['mercer'])}"
    lines += ["", made + (f", {safe(clean(document['created']))}." if document["created"] else ".")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def blocks(content: Iterable[kinds.Block]) -> list[str]:
    """Lines of the blocks one after another."""
    return [line for block in content for line in (*_WRITERS[type(block)](block), "")]


def _note(block: kinds.Note) -> list[str]:
    mark = {"warning": "**Careful.** ", "good": "✓ "}.get(block.kind, "")
    return [f"> {mark}{safe(block.text)}"]


def _headline(block: kinds.Headline) -> list[str]:
    return [f"**{safe(block.value)}** ({safe(block.label)})", "", f"> {safe(block.sentence)}"]


def _facts(block: kinds.Facts) -> list[str]:
    return [f"- {safe(name)}: {safe(value)}" for name, value in block.rows]


def _table(block: kinds.Table) -> list[str]:
    marks = ["--:" if i in block.numbers else ":--" for i in range(len(block.head))]
    lines = [_row(block.head), "|" + "|".join(marks) + "|", *(_row(row) for row in block.rows)]
    return lines + (["", f"*{safe(block.caption)}*"] if block.caption else [])


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(safe(cell) or " " for cell in cells) + " |"


def _picture(block: kinds.Picture) -> list[str]:
    told = " ".join(clean(chart.label, 300) for chart in block.charts)
    return [f"*Picture: {safe(told)} {safe(block.caption)}*"]


def _code(block: kinds.Code) -> list[str]:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", block.text)), default=0))
    return [f"{fence}{block.language}", block.text, fence]


def _more(block: kinds.More) -> list[str]:
    return [f"**{safe(block.summary)}**", "", *blocks(block.blocks)]


_WRITERS: dict[type, Callable[[Any], list[str]]] = {
    kinds.Text: lambda block: [safe(block.text)],
    kinds.Note: _note,
    kinds.Headline: _headline,
    kinds.Facts: _facts,
    kinds.Table: _table,
    kinds.Picture: _picture,
    kinds.Bullets: lambda block: [f"- {safe(item)}" for item in block.items],
    kinds.Code: _code,
    kinds.More: _more,
}
