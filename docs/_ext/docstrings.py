"""Docstrings are written for people at a prompt: bars and stars in formulas are not markup."""

from __future__ import annotations

import re
from typing import Any

_LITERAL = re.compile(r"(``.*?``|:[a-z:]+:`[^`]*`|`[^`]*`)", re.S)
_FIELD = re.compile(r"^\s*\*{0,2}[\w.\[\]]+(, \*{0,2}\w+)*( : .*)?$")  # "name : type" of numpydoc
_REQUESTS = re.compile(r"^set_\w+_request$|^get_metadata_routing$")


def _escape(text: str) -> str:
    """Outside of literals: no substitution, no emphasis, no reference by a trailing underscore."""
    parts = _LITERAL.split(text)
    for i in range(0, len(parts), 2):
        part = parts[i].replace("|", r"\|")
        part = re.sub(r"(?<!\\)\*(?! (?<=\n\* ))", r"\\*", part)
        parts[i] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", part)
    return "".join(parts)


def tidy(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape prose, paragraph by paragraph; leave code, doctests, fields and headings alone."""
    _rename_sections(lines)
    start = None
    marks = [*_prose(lines), False]
    for i, prose in enumerate(marks):
        if prose and start is None:
            start = i
        elif not prose and start is not None:
            lines[start:i] = _escape("\n".join(lines[start:i])).split("\n")
            start = None


def _prose(lines: list[str]) -> list[bool]:
    """Which lines are prose; an empty line ends a paragraph."""
    found = []
    literal = 0  # indentation from which on a block after "::" is literal; 0: none
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal and line.strip() and indent < literal:
            literal = 0
        field = bool(_FIELD.match(line)) and i + 1 < len(lines) and lines[i + 1].startswith(" ")
        other = line.lstrip().startswith((">>>", "...", "--", "==", ".. "))
        found.append(bool(line.strip()) and not (literal or field or other))
        if line.rstrip().endswith("::"):
            literal = indent + 1
    return found


def _rename_sections(lines: list[str]) -> None:
    """Numpydoc knows a fixed set of sections; the facts of a plug-in are notes to it."""
    for i in range(len(lines) - 1):
        if lines[i] == "Facts" and set(lines[i + 1].strip()) == {"-"}:
            lines[i] = "Notes"


def skip(app: Any, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool | None:
    """Scikit-learn's generated methods are documented there."""
    return True if _REQUESTS.match(name) else None


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", tidy, priority=100)  # before numpydoc
    app.connect("autodoc-skip-member", skip)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
