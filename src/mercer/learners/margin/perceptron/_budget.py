"""Perceptrons that keep a limited number of rows: for streams, and for memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record

Floats = NDArray[np.float64]

POLICIES = ("oldest", "smallest", "random")


@record("perceptron-budget-kept")
@dataclass
class Kept:
    """Coefficients of the rows kept, and when each came in."""

    coef: Floats
    arrival: NDArray[np.intp]
    clock: int = 0

    @classmethod
    def nothing(cls) -> Kept:
        """No rows yet."""
        return cls(np.zeros(0), np.zeros(0, dtype=np.intp))


@record("perceptron-budget-rules")
@dataclass(frozen=True)
class Rules:
    """How the sweep decides."""

    margin: float
    rate: float
    budget: int | None
    policy: str
    rng: Any


def sweep_with_budget(
    kept: Kept, against: Floats, among: Floats, column: NDArray[np.intp], sign: Floats, rules: Rules
) -> tuple[Kept, list[tuple[int, float]]]:
    """Visit a block; the rows kept afterwards are among the old ones and the block's own.

    ``against`` holds kernel values of the block against the rows kept so far, ``among`` those of
    the block itself, and ``column[j]`` says which of both is row j: an old row may come again. The
    result has coefficients for old rows and block rows in that order, zero for those not kept.
    """
    values = np.hstack([against, among])
    coef = np.concatenate([kept.coef, np.zeros(len(sign))])
    arrival = np.concatenate([kept.arrival, np.zeros(len(sign), dtype=np.intp)])
    value = sign * (against @ kept.coef)
    found: list[tuple[int, float]] = []
    clock, place = kept.clock, 0
    while place < len(sign):
        wrong = value[place:] <= rules.margin
        step = int(wrong.argmax())
        if not wrong[step]:
            break
        place += step
        found.append((place, float(value[place])))
        mine = column[place]
        clock += 1
        if coef[mine] == 0:
            arrival[mine] = clock
        coef[mine] += rules.rate * sign[place]
        value += rules.rate * sign[place] * sign * values[:, mine]
        if rules.budget is not None and np.count_nonzero(coef) > rules.budget:
            victim = _victim(coef, arrival, int(mine), rules)
            value -= coef[victim] * sign * values[:, victim]
            coef[victim] = 0.0
        place += 1
    return Kept(coef, arrival, clock), found


def _victim(coef: Floats, arrival: NDArray[np.intp], newest: int, rules: Rules) -> int:
    """The row to drop: never the one that just came in."""
    active = np.flatnonzero(coef)
    active = active[active != newest]
    if rules.policy == "oldest":
        return int(active[arrival[active].argmin()])
    if rules.policy == "smallest":
        return int(active[np.abs(coef[active]).argmin()])
    return int(rules.rng.choice(active))
