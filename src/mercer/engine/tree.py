"""The order of sums: a binary tree over the items, fixed by their order and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class NothingToJoin(ValueError):
    """There are no values."""


def tree_sum(values: Iterable[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Join neighbours, then neighbours of those, and so on; an odd one out moves up.

    At most log2(n) + 1 values are held at a time, as in the carries of a binary counter.
    """
    held: list[tuple[int, Any]] = []  # how many levels each has behind it, falling
    for value in values:
        level = 0
        while held and held[-1][0] == level:
            value = merge(held.pop()[1], value)
            level += 1
        held.append((level, value))
    if not held:
        raise NothingToJoin("there is nothing to join")
    _, total = held.pop()
    while held:
        total = merge(held.pop()[1], total)
    return total


def in_turn(values: Iterable[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Join one after the other: two large values are held at a time, where a tree holds more.

    For the inside of a task, whose order nobody changes.
    """
    total: Any = None
    for value in values:
        total = value if total is None else merge(total, value)
    if total is None:
        raise NothingToJoin("there is nothing to join")
    return total
