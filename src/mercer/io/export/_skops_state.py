"""Attributes of objects in a skops file, brought to what the classes hold today."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mercer import _storable
from mercer.io.model_file._classes import version_of
from mercer.io.model_file.upgrades import upgraded


def brought_forward(model: Any, versions: Mapping[str, int]) -> Any:
    """The model, with every object of an earlier version changed in place."""
    _walk(model, versions, set())
    return model


def _walk(value: Any, versions: Mapping[str, int], seen: set[int]) -> None:
    """The innermost objects first, as reading a model file does it."""
    if id(value) in seen:
        return
    seen.add(id(value))
    for item in _inside(value):
        _walk(item, versions, seen)
    tag = _storable.tag_of(type(value))
    now = version_of(type(value))
    if tag is None or versions.get(tag, 0) >= now:
        return
    state = upgraded(tag, versions.get(tag, 0), now, dict(vars(value)))
    vars(value).clear()
    vars(value).update(state)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else ()
    return list(vars(value).values()) if hasattr(value, "__dict__") else ()
