"""Seconds that learners beside the kernel machines will take, from a look at a few rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.app.options import FitOptions
from mercer.app.roles import FitData
from mercer.tables import TableMachine
from mercer.tables.contest.entrant import Case
from mercer.tables.contest.race import COMPARE_ROWS, SLOW, entrants_for

LOOKED_AT = 400
FOLDS = 3.0  # trainings per setting: five, fewer for those that leave early
SETTINGS = {"linear": 3, "forest": 2, "boosting": 2, "lightgbm": 2}


def others_seconds(
    data: FitData, wishes: FitOptions, learner: str, train: int, aim: str = "overall"
) -> float:
    """All entrants that are no kernel machines, on a quiet machine."""
    pick = np.linspace(0, len(data.target.y) - 1, min(LOOKED_AT, len(data.target.y)))
    rows = np.unique(pick.astype(np.intp))
    machine = TableMachine(
        data.target.task,
        prepare=data.prepare,
        names=data.names or None,
        stored=data.stored or None,
        treat=dict(wishes.treat) or None,
        kernel=wishes.kernel,
        combine=wishes.combine,
        learner=learner,
        aim=aim,
    )
    asked = [one for one in entrants_for(machine.contestants()) if not one.kernel]
    if not asked or data.prepare == "kernel":
        return 0.0
    case = Case(machine, data.X[rows], data.target.y[rows])
    total = 0.0
    for entrant in asked:
        if not entrant.suits(case):
            continue
        Z: Any = entrant.prepared(case)[1]
        once = entrant.seconds(case, Z, min(train, COMPARE_ROWS))
        if once <= SLOW:
            tried = SETTINGS.get(entrant.name, 1) * (2 if case.aim.weighted else 1)
            total += once * FOLDS * tried
            total += entrant.seconds(case, Z, train) / len(asked)  # one of them may win
    return total
