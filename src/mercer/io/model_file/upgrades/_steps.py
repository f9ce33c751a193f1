"""The steps from one version of a class's attributes to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

State = dict[str, Any]
Step = Callable[[State], State]

STEPS: dict[tuple[str, int], Step] = {}


def step(version: int, *tags: str) -> Callable[[Step], Step]:
    """Mark a function that takes attributes of ``version`` to those of ``version + 1``.

    It gets the attributes with everything inside them already brought forward, and may change and
    return the same dictionary. ``tags`` are the classes it serves, one family as a rule.
    """

    def marked(function: Step) -> Step:
        for tag in tags:
            if (tag, version) in STEPS:
                raise ImportError(f"there are two steps from version {version} of {tag}")
            STEPS[tag, version] = function
        return function

    return marked


def upgraded(tag: str, version: int, now: int, state: State) -> State:
    """The attributes as version ``now`` of the class has them; KeyError if a step is missing."""
    for past in range(version, now):
        state = STEPS[tag, past](state)
    return state
