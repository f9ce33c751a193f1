"""Why a learner lacks what others have, in words of mathematics: see ``Learner.lacks``."""

from __future__ import annotations

NOT_ONLINE = {"partial_fit": "the solution is defined by all rows at once, not by a stream"}
ONE_SOLVE = {
    "warm_start": "one direct solve: it has no starting point",
    "time_limit": "one direct solve: nothing usable exists before its end",
    "progress": "one direct solve: it has no steps to count",
}
COORDINATES = {
    "objects": "a function of coordinates, which objects do not have",
    "precomputed": "a function of coordinates, which a matrix of all pairs does not show",
}


def reasons(cls: type) -> dict[str, str]:
    """``lacks`` of the class and of those it derives from; an empty reason takes one back."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found |= vars(base).get("lacks", {})
    return {name: words for name, words in found.items() if words}
