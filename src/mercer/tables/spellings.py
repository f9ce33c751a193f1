"""One column, two spellings: what readers call columns without a name, or with a name used twice.

A file whose first column has no name gives ``column 1`` here and ``Unnamed: 0`` in pandas; of two
columns ``x`` the second is ``x (2)`` here and ``x.1`` there. A model that was trained on one of
them finds the other.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_RULES = (
    (re.compile(r"column (\d+)"), lambda m: f"Unnamed: {int(m[1]) - 1}"),
    (re.compile(r"Unnamed: (\d+)"), lambda m: f"column {int(m[1]) + 1}"),
    (re.compile(r"(.+) \((\d+)\)"), lambda m: f"{m[1]}.{int(m[2]) - 1}"),
    (re.compile(r"(.+)\.(\d+)"), lambda m: f"{m[1]} ({int(m[2]) + 1})"),
)


def found_as(name: str, names: Collection[str]) -> str | None:
    """What ``name`` is called among ``names``: itself, or as another reader spells it."""
    if name in names:
        return name
    for pattern, spelled in _RULES:
        match = pattern.fullmatch(name)
        if match is not None and spelled(match) in names:
            return str(spelled(match))
    return None
