"""Pages of ``mercer embed`` and ``mercer cluster``: rows as points, and what is to be said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mercer._types import Samples
from mercer.report._blocks import Block, Bullets, Picture, Table, Text
from mercer.report._hover import SCRIPT, STYLE
from mercer.report._html import Part, page
from mercer.report._scatter import scatter

_ASKED = "Resting on a point, or touching it, shows its row."


def embedding_page(
    title: str,
    method: str,
    points: Any,
    words: Sequence[str],
    groups: Sequence[Any] | None,
    lines: Sequence[str],
    seed: int,
) -> str:
    """Rows at their new coordinates, ``words`` for each, coloured by ``groups``."""
    picture = _picture(points, words, groups, seed, f"{method.capitalize()}.")
    parts = [Part("rows", "The rows", [picture]), Part("about", "About it", [Bullets(lines)])]
    return page(title, f"{len(points):,} rows", parts, style=STYLE, script=SCRIPT)


def clusters_page(
    title: str,
    lines: Sequence[str],
    points: Samples,
    words: Sequence[str],
    groups: Sequence[Any],
    axes: tuple[str, str],
    where: str,
    report: Any,
    seed: int,
) -> str:
    """Rows with the colours of their clusters, and whether these can be believed."""
    picture = _picture(points, words, groups, seed, f"Drawn in {where}.", axes)
    parts = [Part("rows", "The rows", [picture, Bullets(lines[1:])])]
    if report is not None:
        rows = [[c.outcome, c.name, c.message] for c in report.checks]
        said: list[Block] = [
            Table(["outcome", "check", "what was found"], rows),
            Text(report.perturbation_words()),
            Text(report.advice),
        ]
        parts.append(Part("trust", f"Can it be believed? {report.verdict.capitalize()}", said))
    return page(title, lines[0], parts, style=STYLE, script=SCRIPT)


def _picture(
    points: Any,
    words: Sequence[str],
    groups: Sequence[Any] | None,
    seed: int,
    caption: str,
    axes: tuple[str, str] = ("first coordinate", "second coordinate"),
) -> Picture:
    chart, drawn = scatter(points, words, groups, seed, axes)
    part = f" {drawn:,} of {len(points):,} rows are drawn." if drawn < len(points) else ""
    return Picture([chart], f"{caption} {_ASKED}{part}")
