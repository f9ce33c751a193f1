"""All bounds of the folder, by code."""

from __future__ import annotations

import functools
import sys

from mercer._discover import discover
from mercer.bounds._bound import CLASSIFIERS, KINDS, SIDES, Bound


@functools.cache
def available() -> dict[str, type[Bound]]:
    """Every bound class by its code, e.g. ``"holdout"``; a new file in the folder is enough."""
    found: dict[str, type[Bound]] = {}
    for cls in discover(sys.modules["mercer.bounds"], Bound).values():  # type: ignore[type-abstract]
        facts = cls.kind in KINDS and cls.side in SIDES and cls.classifier in CLASSIFIERS
        if not (facts and cls.code and cls.title and cls.reference):
            raise ImportError(f"{cls.__module__}.{cls.__name__} does not state its facts")
        if cls.code in found:
            raise ImportError(f"two bounds have the code {cls.code!r}")
        found[cls.code] = cls
    return dict(sorted(found.items()))


def get(code: str) -> type[Bound]:
    """The bound class with this code."""
    if code not in available():
        raise KeyError(f"there is no bound {code!r}; there are {sorted(available())}")
    return available()[code]
