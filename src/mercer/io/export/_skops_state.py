"""Objects in a skops file, brought to what the classes hold today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mercer import _storable
from mercer.io.model_file._classes import version_of
from mercer.io.model_file.upgrades import as_certified, inside, upgraded


def brought_forward(model: object, versions: Mapping[str, int] | None) -> Any:
    """The model as this version has it; ``versions`` is None for files from before tags."""
    return _Forward(versions)(model)


@contextmanager
def without_derived(model: object) -> Iterator[None]:
    """For a while, take off what can be worked out again: search trees, factors."""
    taken: list[tuple[dict[str, Any], str, Any]] = []
    _take_off(model, taken, set())
    try:
        yield
    finally:
        for state, name, value in taken:
            state[name] = value


def _take_off(value: object, taken: list[Any], seen: set[int]) -> None:
    if id(value) in seen or isinstance(value, type):
        return
    seen.add(id(value))
    if _storable.tag_of(type(value)) is not None and hasattr(value, "__dict__"):
        state = vars(value)
        kept = value._model_state() if hasattr(value, "_model_state") else state
        derived = partial(_storable.is_derived, type(value))
        names = [name for name in state if derived(name) or name not in kept]
        taken.extend((state, name, state.pop(name)) for name in names)
    for item in inside(value):
        _take_off(item, taken, seen)


class _Forward:
    """Goes through a model, the innermost objects first, as reading a model file does."""

    def __init__(self, versions: Mapping[str, int] | None) -> None:
        self._untagged = versions is None
        self._versions = versions or {}
        self._done: dict[int, tuple[Any, Any]] = {}  # old and new, so that no id is used again

    def __call__(self, value: Any) -> Any:
        if id(value) not in self._done:
            self._done[id(value)] = value, value  # for what refers to itself
            self._done[id(value)] = value, self._new(value)
        return self._done[id(value)][1]

    def _new(self, value: object) -> Any:
        if type(value) is tuple:
            return tuple(self(item) for item in value)
        if type(value) is list:
            value[:] = [self(item) for item in value]
        elif type(value) is dict:
            value.update({key: self(item) for key, item in value.items()})
        elif isinstance(value, np.ndarray) and value.dtype == object:
            for place, item in np.ndenumerate(value):
                value[place] = self(item)
        elif hasattr(value, "__dict__") and not isinstance(value, type | Enum):
            return self._object(value)
        return value

    def _object(self, value: object) -> Any:
        state = {name: self(item) for name, item in vars(value).items()}
        tag, now = _storable.tag_of(type(value)), version_of(type(value))
        if tag is not None:
            state = upgraded(tag, self._versions.get(tag, 0), now, state)
        if isinstance(value, BaseEstimator):  # arguments that there were not when it was written
            given = signature(type(value)).parameters.values()
            state = {p.name: p.default for p in given if p.default is not p.empty} | state
        vars(value).clear()
        vars(value).update(state)
        return as_certified(value) if self._untagged else value
