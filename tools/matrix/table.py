"""The table: every cell tried once, and the page it becomes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import mercer.learners
from matrix.probes import COLUMNS
from matrix.samples import plain
from mercer.learners._reasons import reasons


@dataclass(frozen=True)
class Cell:
    """What trying gave, the words of the failure, and the reason that the class states."""

    works: bool
    said: str
    reason: str


@cache
def measured() -> Mapping[str, dict[str, Cell]]:
    """Learner to column to cell; columns that do not concern the learner are left out."""
    found: dict[str, dict[str, Cell]] = {}
    for cls in mercer.learners.available().values():
        model, stated = plain(cls), reasons(cls)
        found[cls.__name__] = {
            each.name: _tried(each.probe, model, stated.get(each.name, ""))
            for each in COLUMNS
            if each.asked(model)
        }
    return found


def _tried(probe, model, reason: str) -> Cell:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            probe(model)
    except Exception as error:  # whatever goes wrong, the user does not get what was asked for
        return Cell(False, f"{type(error).__name__}: {str(error).strip()[:200]}", reason)
    return Cell(True, "", reason)


INTRODUCTION = (
    "# What every learner takes and gives",
    "",
    "Every cell was tried on a small sample by `tools/learners_matrix.py`; a test keeps the page",
    "current. **+**: it works; **−**: it does not, for the reason below the table; blank: the",
    "question does not arise.",
    "",
    *(f"- **{each.name}**: {each.meaning}" for each in COLUMNS),
    "",
)


def page(table: Mapping[str, dict[str, Cell]]) -> str:
    """The Markdown page."""
    names = [each.name for each in COLUMNS]
    lines = [
        *INTRODUCTION,
        "| learner | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for learner, cells in table.items():
        marks = [_mark(cells.get(name)) for name in names]
        lines.append(f"| {learner} | " + " | ".join(marks) + " |")
    lines += ["", "## Why not", ""]
    for name in names:
        for reason, learners in _by_reason(table, name).items():
            lines.append(f"- **{name}**, {reason}: {', '.join(learners)}.")
    return "\n".join(lines) + "\n"


def _mark(cell: Cell | None) -> str:
    return "" if cell is None else "+" if cell.works else "−"


def _by_reason(table: Mapping[str, dict[str, Cell]], name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for learner, cells in table.items():
        if name in cells and not cells[name].works:
            found.setdefault(cells[name].reason, []).append(learner)
    return found
