"""The steps from one version of a class's attributes to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._storable import find

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


def told_step(*tags: str) -> Callable[[Callable[[State, State], Any]], Any]:
    """Mark a function that makes the record of a fit from the attributes and what was ``_told``."""

    def marked(function: Callable[[State, State], Any]) -> Any:
        @step(0, *tags)
        def upgrade(state: State) -> State:
            told = state.pop("_told", None)
            if told is not None:  # fitted
                state["fitted_"] = function(state, told)
            return state

        return function

    return marked


def upgraded(tag: str, version: int, now: int, state: State) -> State:
    """The attributes as version ``now`` of the class has them; KeyError if a step is missing."""
    for past in range(version, now):
        state = STEPS[tag, past](state)
    return _without_none(state) if tag.startswith("learner:") else state


def _without_none(state: State) -> State:
    """No certificate was once asked for by a word; whatever the version, it means None."""
    for part in (state, state.get("_issued"), (state.get("_issued") or {}).get("params")):
        for name in ("certify", "mode"):
            if part and isinstance(part.get(name), str) and part[name] == "none":
                part[name] = None
    return state


def made(tag: str, *args: Any, **fields: Any) -> Any:
    """An object by the tag of its class: steps name no module either."""
    cls = find(tag)
    if cls is None:
        raise ImportError(f"a step makes a {tag!r}, which is not there any more")
    return cls(*args, **fields)


class Retired:
    """A record of a class that no longer exists, for the step of the object that holds it."""

    def __init__(self, tag: str, state: State) -> None:
        self.tag = tag
        self.__dict__.update(state)


def still_inside(value: object, seen: set[int] | None = None) -> Retired | None:
    """A retired record that no step has replaced."""
    seen = set() if seen is None else seen
    if isinstance(value, Retired):
        return value
    if id(value) in seen:
        return None
    seen.add(id(value))
    for item in inside(value):
        found = still_inside(item, seen)
        if found is not None:
            return found
    return None


def inside(value: object) -> list[Any]:
    """The parts of a container, an object array or an object."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else []
    return list(vars(value).values()) if hasattr(value, "__dict__") else []
