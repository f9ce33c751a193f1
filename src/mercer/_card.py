"""A small table for notebooks: plain HTML that any theme can show."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from mercer._clean import clean


def card(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Names and values below a title; everything is escaped."""
    body = "".join(
        f"<tr><td style='text-align:left'>{escape(clean(name))}</td>"
        f"<td style='text-align:left'>{escape(clean(value, 600))}</td></tr>"
        for name, value in rows
    )
    head = f"<b>{escape(clean(title, 200))}</b>"
    return f"<div class='mercer-card'>{head}<table><tbody>{body}</tbody></table></div>"
