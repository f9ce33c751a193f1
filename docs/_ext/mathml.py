"""Formulas as MathML, which browsers draw themselves: no script, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

_UNKNOWN = {r"\arg": r"\operatorname{arg}"}  # words of LaTeX that the converter does not know


def drawn(formula: str, display: str) -> str:
    """A formula as MathML."""
    for word, known in _UNKNOWN.items():
        formula = re.sub(re.escape(word) + r"(?![a-z])", lambda _, k=known: k, formula)
    return convert(formula, display=display)


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(drawn(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{drawn(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
