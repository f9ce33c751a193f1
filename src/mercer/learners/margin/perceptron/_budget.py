"""Perceptrons that keep a limited number of rows: for streams, and for memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record
from mercer.learners.margin.perceptron._goals import Goal, columns, flat
from mercer.learners.margin.perceptron.mistakes import Event

Floats = NDArray[np.float64]

POLICIES = ("oldest", "smallest", "random")


@record("perceptron-budget-kept")
@dataclass
class Kept:
    """Coefficients of the rows kept (of several classes one column each), and when each came."""

    coef: Floats
    arrival: NDArray[np.intp]
    clock: int = 0

    @classmethod
    def nothing(cls, outputs: int = 1) -> Kept:
        """No rows yet."""
        return cls(flat(np.zeros((0, outputs))), np.zeros(0, dtype=np.intp))


@record("perceptron-budget-rules")
@dataclass(frozen=True)
class Rules:
    """How the sweep decides."""

    margin: float
    budget: int | None
    policy: str
    rng: Any


def sweep_with_budget(
    kept: Kept, against: Floats, among: Floats, column: NDArray[np.intp], goal: Goal, rules: Rules
) -> tuple[Kept, list[Event]]:
    """Visit a block; the rows kept afterwards are among the old ones and the block's own.

    ``against`` holds kernel values of the block against the rows kept so far, ``among`` those of
    the block itself, and ``column[j]`` says which of both is row j: an old row may come again. The
    result has coefficients for old rows and block rows in that order, zero for those not kept.
    """
    values, count = np.hstack([against, among]), len(goal.step)
    coef = np.concatenate([columns(kept.coef), np.zeros((count, goal.columns))])
    arrival = np.concatenate([kept.arrival, np.zeros(count, dtype=np.intp)])
    outputs = against @ columns(kept.coef)
    found: list[Event] = []
    clock, place = kept.clock, 0
    while place < count:
        value = goal.values(outputs)
        wrong = value[place:] <= rules.margin
        step = int(wrong.argmax())
        if not wrong[step]:
            break
        place += step
        change = goal.change(place, outputs[place])
        found.append((place, float(value[place]), change))
        mine = column[place]
        clock += 1
        if not coef[mine].any():
            arrival[mine] = clock
        coef[mine] += change
        outputs += np.multiply.outer(values[:, mine], change)
        if rules.budget is not None and np.count_nonzero(coef.any(axis=1)) > rules.budget:
            victim = _victim(coef, arrival, int(mine), rules)
            outputs -= np.multiply.outer(values[:, victim], coef[victim])
            coef[victim] = 0.0
        place += 1
    return Kept(flat(coef), arrival, clock), found


def active_rows(coef: Floats) -> NDArray[np.intp]:
    """Rows with a coefficient."""
    return np.flatnonzero(columns(coef).any(axis=1))


def _victim(coef: Floats, arrival: NDArray[np.intp], newest: int, rules: Rules) -> int:
    """The row to drop: never the one that just came in."""
    active = active_rows(coef)
    active = active[active != newest]
    if rules.policy == "oldest":
        return int(active[arrival[active].argmin()])
    if rules.policy == "smallest":
        return int(active[np.abs(coef[active]).max(axis=1).argmin()])
    return int(rules.rng.choice(active))
