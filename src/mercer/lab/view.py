"""A view: what one part of the page may be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, get_type_hints

from mercer.lab.room import Room

Answer = dict[str, Any]
Call = Callable[[Any], Answer]
GROUPS = ("See", "Calculate", "Simulate", "Work")


class View(ABC):
    """One part of the page. ``name`` is also that of its JavaScript module.

    A call takes one question, a dataclass made of the fields of `mercer.lab.questions`, and answers
    with plain values; arrays become lists.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    about: ClassVar[str]
    place: ClassVar[int] = 0  # within its group

    def __init__(self, room: Room) -> None:
        self.room = room

    @abstractmethod
    def calls(self) -> Mapping[str, Call]:
        """Name of a call to the method that answers it."""

    def start(self) -> Answer:
        """What the page should know when it opens."""
        return {}

    def routes(self) -> list[Any]:
        """Files that the view serves besides its answers."""
        return []

    def facts(self) -> Answer:
        """Its place in the page."""
        return {"name": self.name, "title": self.title, "group": self.group, "about": self.about,
                "start": self.start()}  # fmt: skip


def question_of(call: Call) -> type[Any]:
    """The dataclass that a call takes, from its annotation."""
    hints = get_type_hints(call)
    hints.pop("return", None)
    (kind,) = hints.values()
    return kind
