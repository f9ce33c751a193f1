"""A document as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from mercer._clean import clean
from mercer._versions import version as current
from mercer.report import _blocks as kinds
from mercer.report._section import available

WHOLE, HALF, ALONE = "", ' class="narrow"', ' class="alone"'
_WIDE = 480  # pictures at least so wide scroll on a phone instead of becoming unreadable


@dataclass(frozen=True)
class Part:
    """A part of a page; ``wide`` ones take both columns of a large screen.

    One that is not, and has no neighbour to share a row with, flows in two columns by itself.
    """

    key: str
    title: str
    content: Sequence[kinds.Block]
    wide: bool = True


def html(document: Mapping[str, Any]) -> str:
    """The page of a report."""
    found = document["sections"]
    parts = [
        Part(s.key, s.title, list(s.blocks(found[s.key])), s.wide)
        for s in available()
        if s.key in found
    ]
    name = f"{clean(document['title'], 120)}: Mercer report"
    return page(
        document["title"], document["subtitle"], parts, name=name, footer=_footer(document),
        version=document["mercer"],
    )  # fmt: skip


def page(
    title: str, subtitle: str, parts: Sequence[Part], *, name: str = "", footer: str = "",
    version: str | None = None, style: str = "", script: str = "",
) -> str:  # fmt: skip
    """One file that needs nothing else: parts with links to them, in the style of all pages.

    ``style`` and ``script`` are added to those of all pages.
    """
    style, script = _asset("page.css") + style, _asset("page.js") + script
    links = "".join(f'<li><a href="#{p.key}">{escape(p.title)}</a></li>' for p in parts)
    body = "".join(
        f'<section id="{p.key}"{css} aria-labelledby="{p.key}-title">'
        f'<h2 id="{p.key}-title">{escape(p.title)}</h2>{blocks(p.content)}</section>'
        for p, css in zip(parts, _places(parts), strict=True)
    )
    title = escape(clean(title, 120))
    made = version or current()
    footer = footer or f"<p>Made by Mercer {escape(made)}. This file is complete in itself.</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="Mercer {escape(made)}">\n'
        f"<title>{escape(name) or title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#content">Skip to the content</a>\n<div class="frame">\n'
        f"<header><h1>{title}</h1><p>{escape(clean(subtitle, 200))}</p>"
        '<button id="theme" type="button" hidden>Colours: auto</button></header>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n<main id="content">{body}</main>\n'
        f"<footer>{footer}</footer>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _places(parts: Sequence[Part]) -> list[str]:
    """Two narrow parts share a row, so that none leaves half of a large screen empty."""
    found: list[str] = []
    for part in parts:
        if part.wide:
            found.append(WHOLE)
        elif found and found[-1] == ALONE:
            found[-1:] = [HALF, HALF]
        else:
            found.append(ALONE)
    return found


def blocks(content: Iterable[kinds.Block]) -> str:
    """Blocks one after another."""
    return "".join(_WRITERS[type(block)](block) for block in content)


def _text(block: kinds.Text) -> str:
    return f"<p>{escape(block.text)}</p>"


def _note(block: kinds.Note) -> str:
    sign = {"warning": "<b>Careful.</b>", "good": "<b>✓</b>"}.get(block.kind, "")
    return f'<div class="note {block.kind}">{sign}{escape(block.text)}</div>'


def _headline(block: kinds.Headline) -> str:
    return (
        f'<div class="headline {block.kind}"><p class="value">{escape(block.value)}</p>'
        f'<p class="about">{escape(block.label)}</p><p class="words">{escape(block.sentence)}</p>'
        "</div>"
    )


def _facts(block: kinds.Facts) -> str:
    if not block.rows:
        return ""
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in block.rows)
    return f"<dl>{rows}</dl>"


def _table(block: kinds.Table) -> str:
    css = [' class="number"' if i in block.numbers else "" for i in range(len(block.head))]
    head = "".join(
        f'<th scope="col"{c}>{escape(h)}</th>' for c, h in zip(css, block.head, strict=True)
    )
    lines = []
    for place, row in enumerate(block.rows):
        cells = "".join(f"<td{c}>{escape(v)}</td>" for c, v in zip(css, row, strict=True))
        bold = ' class="marked"' if place in block.marked else ""
        lines.append(f"<tr{bold}>{cells}</tr>")
    caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
    label = escape(block.caption or ", ".join(block.head[:3]))
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {label}"><table>'
        f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _picture(block: kinds.Picture) -> str:
    css = "charts one" if len(block.charts) == 1 else "charts"
    css += " wide" if max(chart.width for chart in block.charts) >= _WIDE else ""
    drawn = "".join(chart.svg() for chart in block.charts)
    return (
        f'<figure><div class="{css}">{drawn}</div>'
        f"<figcaption>{escape(block.caption)}</figcaption></figure>"
    )


def _bullets(block: kinds.Bullets) -> str:
    return '<ul class="points">' + "".join(f"<li>{escape(i)}</li>" for i in block.items) + "</ul>"


def _code(block: kinds.Code) -> str:
    return f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'


def _more(block: kinds.More) -> str:
    inner = blocks(block.blocks)
    css = "" if block.paper else ' class="screen"'
    return f"<details{css}><summary>{escape(block.summary)}</summary>{inner}</details>"


_WRITERS: dict[type, Callable[[Any], str]] = {
    kinds.Text: _text,
    kinds.Note: _note,
    kinds.Headline: _headline,
    kinds.Facts: _facts,
    kinds.Table: _table,
    kinds.Picture: _picture,
    kinds.Bullets: _bullets,
    kinds.Code: _code,
    kinds.More: _more,
}


def _footer(document: Mapping[str, Any]) -> str:
    missing = "".join(
        f"<li>{escape(a['title'])}: {escape(clean(a['why'], 300))}</li>"
        for a in document["absent"].values()
    )
    listed = f"<details><summary>Not shown</summary><ul>{missing}</ul></details>" if missing else ""
    return (
        f"{listed}<p>Made by Mercer {escape(document['mercer'])}"
        f"{', ' + escape(clean(document['created'])) if document['created'] else ''}. "
        "This file is complete in itself and asks nothing of the network.</p>"
    )


def _asset(name: str) -> str:
    return files("mercer.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing but this very style and script may run, whatever the data say."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
