"""The base of a section: from a source to plain data, and from the data to blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from mercer.report._blocks import Block
from mercer.report._source import Source


class Absent(Exception):
    """There is nothing to show in this section; the message says why."""


class Section(ABC):
    """One part of the report; a new file in ``sections/`` is a new part.

    ``collect`` turns the source into plain JSON types and may raise `Absent`. Everything after it
    (``blocks``, ``numbers``) sees those data only, so a report can be drawn again from its JSON.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    order: ClassVar[int]  # from the top of the page
    wide: ClassVar[bool] = True  # False: on a large screen, one of two columns is enough

    @abstractmethod
    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Plain data; ``done`` holds those of the sections above."""

    @abstractmethod
    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """What to show."""

    def numbers(self, data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Names and values for the table of all numbers."""
        return iter(())


def available() -> list[Section]:
    """An instance of every section, from the top of the page."""
    from mercer._discover import discover
    from mercer.report import sections

    found = [cls() for cls in discover(sections, Section).values()]  # type: ignore[type-abstract]
    return sorted(found, key=lambda section: section.order)
