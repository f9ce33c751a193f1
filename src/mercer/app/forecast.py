"""What a contest of learners will take, from a look at a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.app.options import FitOptions
from mercer.app.plan import EXACT_ROWS, SEARCH_ROWS
from mercer.app.roles import FitData
from mercer.tables import TableMachine
from mercer.tables.contest import run_off
from mercer.tables.contest.entrant import Case
from mercer.tables.contest.race import COMPARE_ROWS, SLOW, entrants_for
from mercer.tables.learners import MANY_BLOCKS

LOOKED_AT = 400
FOLDS = 3.0  # trainings per setting: five, fewer for those that leave early
TRIED = {"linear": 3, "forest": 2, "boosting": 2, "lightgbm": 2}
SETTINGS = {"classification": 110, "regression": 60}  # about as many as a search over kernels tries
ASKED_FOR = 50  # the same, of a kernel that was asked for
PER_CLASS = 0.3  # how many times longer a search takes for every class beyond the second
COLUMNS_COST = 2e-6  # per search row squared: kernels of single columns, added and multiplied
TRIALS = 0.2  # of the contest: fits that choose how many rows are counted
MANY = 1500  # search rows from which on they cost that much; with fewer, less


@dataclass(frozen=True)
class Ahead:
    """Settings of searches over kernels, harder ones counting as several, and seconds for the rest.

    Seconds are those of a quiet machine, see `mercer._pace`.
    """

    settings: float
    others: float


def look_ahead(
    data: FitData, wishes: FitOptions, learner: str, train: int, aim: str = "overall"
) -> Ahead:
    """All entrants, as far as they suit the data."""
    free = wishes.kernel == "auto" and wishes.combine == "auto"
    settings = float(SETTINGS[data.target.task] if free else ASKED_FOR)
    if data.prepare == "kernel":
        return Ahead(settings, 0.0)
    rows = np.linspace(0, len(data.target.y) - 1, min(LOOKED_AT, len(data.target.y)))
    rows = np.unique(rows.astype(np.intp))
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
    case = Case(machine, data.X[rows], data.target.y[rows])
    suited = [one for one in entrants_for(machine.contestants()) if one.suits(case)]
    hard = 1.0 + PER_CLASS * max(0, case.n_classes - 2)
    settings *= hard * sum(one.kernel for one in suited)
    others = _of_single_columns(case, wishes, train)
    for entrant in (one for one in suited if not one.kernel):
        Z: Any = entrant.prepared(case)[1]
        once = entrant.seconds(case, Z, min(train, COMPARE_ROWS))
        if once <= SLOW:
            tried = TRIED.get(entrant.name, 1) * (2 if case.aim.weighted else 1)
            others += once * FOLDS * tried
            others += entrant.seconds(case, Z, train) / len(suited)  # one of them may win
            if train >= COMPARE_ROWS + run_off.FEWEST:  # who is near the front is tried on all rows
                others += run_off.FOLDS * entrant.seconds(case, Z, min(train, run_off.MOST)) / 2
    return Ahead(settings, others * (1.0 + TRIALS * (wishes.certify == "auto")))


def _of_single_columns(case: Case, wishes: FitOptions, train: int) -> float:
    """Sums over columns have many small eigenvalues: their machines take many more steps."""
    if case.kind != "table" or wishes.kernel != "auto" or wishes.combine == "product":
        return 0.0
    if not 1 < len(case.looked_at.blocks_) <= MANY_BLOCKS or train > EXACT_ROWS:
        return 0.0
    searched = min(train, SEARCH_ROWS)
    return COLUMNS_COST * searched**2 * min(1.0, searched / MANY) ** 2
