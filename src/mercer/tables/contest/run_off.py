"""The run-off: those whom noise may have put ahead or behind meet again on all training rows.

Of a large table a contest sees some thousand rows. On these settings were chosen, which flatters
whoever has tried most of them, and some learners gain more than others from the rows that are left.
So the best setting of each that is near the front is trained on most of the rows, and answers the
others, in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

if TYPE_CHECKING:
    from mercer.tables.contest.race import Contest, Entry, Race

NEAR = 2.0  # standard errors of the difference to the leader
FEWEST, MOST = 200, 20_000  # rows beyond those of the contest, and in all
FOLDS = 3
GROWTH = 1.5  # power of the rows with which a training takes longer


def run_off(race: Race) -> None:
    """Replace the losses of those near the front, or leave everything as it is."""
    rows = _rows(race)
    if len(rows) - len(race.rows) < FEWEST or not race.contest.found:
        return
    near, left = nearest(race.contest), race.case.machine.time_left()
    larger = (1 - 1 / FOLDS) * len(rows) / (0.8 * len(race.rows))  # than a part of the contest
    needed = FOLDS * larger**GROWTH * sum(entry.once for entry in near)
    # without a limit the clock has no say: the same rows give the same model on any machine
    if len(near) < 2 or race.over() or (left is not None and needed > left / 2):
        return
    truth, found = race.targets[rows], []
    for entry in near:
        answers = _in_turn(race, entry, rows)
        if answers is None:
            return
        found.append(race.losses_of(truth, answers))
    for entry in race.contest.entries:
        if len(entry.losses):
            new = np.full(len(rows) - len(race.rows), np.nan)
            entry.losses = np.concatenate([entry.losses, new])
    for entry, losses in zip(near, found, strict=True):
        entry.losses, entry.again = losses, True


def nearest(contest: Contest) -> list[Entry]:
    """The leader, and of every other entrant the best setting if it is near; best first."""
    leader = contest.best
    found: dict[Any, Entry] = {leader.entrant: leader}
    for entry in sorted(contest.entries, key=lambda one: one.loss):
        gap, error = entry.behind(leader)
        if entry.status == "done" and gap <= NEAR * error:
            found.setdefault(entry.entrant, entry)
    return list(found.values())


def _rows(race: Race) -> NDArray[np.intp]:
    """Those of the contest, and after them others, in the order of the table."""
    rest = np.setdiff1d(np.arange(len(race.case.y)), race.rows)
    more = max(0, MOST - len(race.rows))
    if len(rest) > more:
        rest = np.sort(np.random.default_rng(race.case.seed + 2).permutation(rest)[:more])
    return np.concatenate([race.rows, rest])


def _in_turn(race: Race, entry: Entry, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    """What the learner answers for rows that were left out; None if it fails or time is over."""
    truth, Z = race.targets[rows], entry.entrant.prepared(race.case)[1]
    classes = race.case.task == "classification"
    enough = classes and np.unique(truth, return_counts=True)[1].min() >= FOLDS
    cut = (StratifiedKFold if enough else KFold)(
        FOLDS, shuffle=True, random_state=(race.case.seed + 2) % 2**31
    )
    answers = truth.copy()
    for train, test in cut.split(np.zeros(len(rows)), truth):
        if race.over():
            return None
        try:
            fitted = race.case.machine.trained(entry, Z[rows[train]], truth[train])
            answers[test] = fitted.predict(Z[rows[test]])
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return None
    return answers
