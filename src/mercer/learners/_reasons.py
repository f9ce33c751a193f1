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

COUNTED = {
    "weights": "neighbours are counted, not weighed",
    "copies": "neighbours are counted: copies take the places of other rows in the graph",
}
DRAWN = {"copies": "landmarks are drawn: among copies the draw is another, with the same law"}
NO_COUNT = {
    "weights": "the largest distance counts no rows: all weights above zero say the same",
    "copies": "the largest distance counts no rows: fit takes no weights",
}
NO_LAW = {"proba": "a margin is no likelihood: the machine models no law of the labels"}
ONE_PROGRAMME = {
    "warm_start": "one linear programme or matching, handed to a solver that takes no start",
    "time_limit": "one linear programme or matching: nothing usable exists before its end",
    "progress": "one linear programme or matching: it has no steps to count",
}
SWEEPS = {
    "warm_start": "a run goes on from a rule by coef_init, or over more rows by partial_fit",
}
ONE_TARGET = {
    "targets": "targets would share nothing but the rows: each is a machine of its own, which "
    "sklearn.multioutput.MultiOutputRegressor makes of it"
}
UNBOUNDED = {
    "certificate": "an unbounded loss, and no closed form for leaving a row out: no bound or "
    "estimate from the training rows alone applies"
}
NOTHING_TO_SOLVE = {
    "warm_start": "the rows are stored: nothing is solved",
    "time_limit": "the rows are stored: nothing is solved",
    "progress": "the rows are stored: nothing is solved",
}


def reasons(cls: type) -> dict[str, str]:
    """``lacks`` of the class and of those it derives from; an empty reason takes one back."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found |= vars(base).get("lacks", {})
    return {name: words for name, words in found.items() if words}
