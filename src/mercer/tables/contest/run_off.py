"""The run-off: those whom noise may have put ahead or behind meet again on further rows.

Of a large table a contest sees some thousand rows, and on these settings were chosen, which
flatters whoever has tried most of them. The other training rows are new to everybody: each of those
near the front learns once from the rows of the contest and answers the rest, which costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mercer.tables.contest.race import Contest, Entry, Race

NEAR = 2.0  # standard errors of the difference to the leader
FEWEST, MOST = 200, 20_000  # further rows
LONGER = 1.6  # than on a fold: a fifth more rows, of which machines may take the square


def run_off(race: Race) -> None:
    """Extend the losses of those near the front, or leave everything as it is."""
    rest = _further_rows(race)
    if len(rest) < FEWEST or not race.contest.found:
        return
    near, left = nearest(race.contest), race.case.machine.time_left()
    needed = LONGER * sum(entry.once for entry in near)
    if len(near) < 2 or race.over() or (left is not None and needed > left / 2):
        return
    answers = []
    for entry in near:
        Z = entry.entrant.prepared(race.case)[1]
        if race.over():
            return
        try:
            fitted = race.case.machine.trained(entry, Z[race.rows], race.truth)
            answers.append(np.asarray(fitted.predict(Z[rest])))
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return
    truth = np.concatenate([race.truth, race.targets[rest]])
    for entry in race.contest.entries:
        if len(entry.losses):
            entry.losses = np.concatenate([entry.losses, np.full(len(rest), np.nan)])
    for entry, said in zip(near, answers, strict=True):
        entry.losses = race.losses_of(truth, np.concatenate([race.predicted[id(entry)], said]))
        entry.again = True


def nearest(contest: Contest) -> list[Entry]:
    """The leader, and of every other entrant the best setting if it is near; best first."""
    leader = contest.best
    found: dict[Any, Entry] = {leader.entrant: leader}
    for entry in sorted(contest.entries, key=lambda one: one.loss):
        gap, error = entry.behind(leader)
        if entry.status == "done" and gap <= NEAR * error:
            found.setdefault(entry.entrant, entry)
    return list(found.values())


def _further_rows(race: Race) -> NDArray[np.intp]:
    """Training rows that are none of the contest's, at most so many, in the order of the table."""
    rest = np.setdiff1d(np.arange(len(race.case.y)), race.rows)
    if len(rest) > MOST:
        rest = np.sort(np.random.default_rng(race.case.seed + 2).permutation(rest)[:MOST])
    return rest
