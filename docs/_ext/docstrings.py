"""Docstrings are written for people at a prompt: bars and stars in formulas are not markup."""

from __future__ import annotations

import re
from typing import Any

_LITERAL = re.compile(r"(``.*?``|:[a-z:]+:`[^`]*`|`[^`]*`)", re.S)
_REQUESTS = re.compile(r"^set_\w+_request$|^get_metadata_routing$")
_FIELDS = {"Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"}


def escape(text: str) -> str:
    """Outside of literals: no substitution, no emphasis, no reference by a trailing underscore."""
    parts = _LITERAL.split(text)
    for i in range(0, len(parts), 2):
        part = parts[i].replace("|", r"\|")
        part = re.sub(r"(?<!\\)\*(?! (?<=\n\* ))", r"\\*", part)
        parts[i] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", part)
    return "".join(parts)


def tidy(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape prose, paragraph by paragraph; leave code, doctests, names and headings alone."""
    lines[:] = _facts_as_notes(_joined(lines))
    start = None
    for i, prose in enumerate([*_prose(lines), False]):
        if prose and start is None:
            start = i
        elif not prose and start is not None:
            lines[start:i] = escape("\n".join(lines[start:i])).split("\n")
            start = None


def _joined(lines: list[str]) -> list[str]:
    """Long lists of names end a line with a backslash; make them one line."""
    found: list[str] = []
    for line in lines:
        if found and found[-1].endswith("\\") and not found[-1].endswith("\\\\"):
            found[-1] = f"{found[-1][:-1].rstrip()} {line.strip()}"
        else:
            found.append(line)
    return found


def _facts_as_notes(lines: list[str]) -> list[str]:
    """Numpydoc knows a fixed set of sections: the facts of a plug-in become a list of notes."""
    found, inside = [], False
    for i, line in enumerate(lines):
        heading = i + 1 < len(lines) and set(lines[i + 1].strip()) == {"-"}
        inside = line == "Facts" if heading else inside
        if inside and heading:
            found.append("Notes")
        elif inside and (fact := re.match(r"^(\w+(?:, \w+)*) : (.*)$", line)):
            found.append(f"- ``{fact[1]}``: {fact[2]}")
        elif inside and line.startswith(" "):
            found.append(f"  {line.strip()}")
        else:
            found.append(line)
    return found


def _prose(lines: list[str]) -> list[bool]:
    """Which lines are prose; fields have their types escaped on the way."""
    found = []
    section, literal = "", 0  # literal: indentation from which on a block after "::" is code
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal and line.strip() and indent < literal:
            literal = 0
        heading = i + 1 < len(lines) and bool(lines[i + 1]) and set(lines[i + 1]) == {"-"}
        section = line if heading else section
        field = section in _FIELDS and bool(line.strip()) and not indent
        if field and not heading and " : " in line:
            names, kind = line.split(" : ", 1)
            lines[i] = f"{names} : {escape(kind)}"
        other = line.lstrip().startswith((">>>", "...", "--", "==", ".. ")) or heading
        found.append(bool(line.strip()) and not (literal or field or other))
        if line.rstrip().endswith("::"):
            literal = indent + 1
    return found


def skip(app: Any, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool | None:
    """Scikit-learn's generated methods are documented there."""
    return True if _REQUESTS.match(name) else None


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", tidy, priority=100)  # before numpydoc
    app.connect("autodoc-skip-member", skip)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
