"""One file per learner of the contest."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from mercer._discover import discover

if TYPE_CHECKING:
    from mercer.tables.contest.entrant import Entrant


@cache
def all_entrants() -> tuple[Entrant, ...]:
    """All entrants, in the order in which they are tried."""
    from mercer.tables.contest.entrant import Entrant as Base

    found = discover(sys.modules[__name__], Base)  # type: ignore[type-abstract]
    return tuple(sorted((cls() for cls in found.values()), key=lambda one: one.order))
