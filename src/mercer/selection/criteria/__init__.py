"""Criteria to choose by; every file of this folder that defines a `Criterion` is a plug-in."""

from __future__ import annotations

import functools
import sys

from mercer._discover import discover, rooms
from mercer.selection.criteria._base import Criterion, NotForThis, Score

__all__ = ["Criterion", "NotForThis", "Score", "available", "get"]


@functools.cache
def available() -> dict[str, type[Criterion]]:
    """Every criterion by its code, e.g. ``"span"``; a new file in the folder is enough."""
    found: dict[str, type[Criterion]] = {}
    for cls in discover(sys.modules[__name__], Criterion).values():  # type: ignore[type-abstract]
        if not (cls.code and cls.title and cls.reference):
            raise ImportError(f"{cls.__module__}.{cls.__name__} does not state its facts")
        if cls.code in found:
            raise ImportError(f"two criteria have the code {cls.code!r}")
        found[cls.code] = cls
    return dict(sorted(found.items()))


def get(code: str) -> Criterion:
    """A criterion by its code."""
    if code not in available():
        raise ValueError(f"there is no criterion {code!r}; there are {sorted(available())}")
    return available()[code]()


__getattr__, __dir__ = rooms(__name__)
