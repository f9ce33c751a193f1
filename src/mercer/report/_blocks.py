"""What a section is made of; each renderer knows how to write these and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mercer.report._svg import Chart


@dataclass(frozen=True)
class Text:
    """A paragraph of plain words."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something to heed (``warning``) or good to know (``info``, ``good``)."""

    text: str
    kind: str = "info"


@dataclass(frozen=True)
class Headline:
    """The one number of the report, with the sentence it belongs to."""

    value: str
    label: str
    sentence: str
    kind: str = "bound"  # or "estimate", "vacuous", "conditional"


@dataclass(frozen=True)
class Facts:
    """Names and values, a few of them, side by side."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """A table; ``numbers`` are the columns to align on the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    numbers: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()  # rows set in bold


@dataclass(frozen=True)
class Picture:
    """One chart, or several side by side, with the sentence below them."""

    charts: Sequence[Chart]
    caption: str


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[str]


@dataclass(frozen=True)
class Code:
    """Something to copy."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class More:
    """Blocks that are folded away on the screen and open on paper."""

    summary: str
    blocks: Sequence[Block] = field(default_factory=tuple)
    paper: bool = True  # False: long lists that nobody reads on paper


Block = Text | Note | Headline | Facts | Table | Picture | Bullets | Code | More
