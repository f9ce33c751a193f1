"""A signal has asked for the best so far: a usable model in about a second.

The best setting that was found on these rows is trained on all of them; if that takes longer than
somebody who wants to stop will wait, on a few. A fit that had not found anything yet, such as a
later part of a certificate, takes the learner's defaults: settings of other fits may have seen the
rows that this one must not see.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from mercer._stopping import OutOfPatience
from mercer._types import Samples
from mercer.tables.contest.entrant import Case
from mercer.tables.contest.race import DONE, Contest, Entry, entrants_for
from mercer.tables.learners import TRIAL_GRID, kernels_for_strings, learner, trial_kernels

FEW = 300
SECONDS = 0.3  # for a machine whose rows cannot be fewer
FAR = 0.5  # of the 2 by which the conditions are violated where nothing was learned


def fit_in_a_hurry(machine: Any, case: Case) -> None:
    """Train ``machine`` on the rows of the case, or on some of them."""
    best = _best_known(machine, case)
    rows = np.arange(len(case.y))
    few = machine.part_of_rows(case.y, FEW)
    try:
        if len(rows) <= machine.search_rows:  # more take longer than that anyway
            with machine.progress.with_patience():
                machine._finish(best, case, exact=True)
                machine.hurried_ = (len(rows), len(rows))
                return
    except OutOfPatience:
        pass
    if case.kind == "kernel":  # its columns are the training rows
        few = rows
        if "time_limit" in best.estimator.get_params():
            best.estimator.set_params(time_limit=SECONDS)
    part = Case(machine, _safe_indexing(case.X, few), case.y[few])
    machine._finish(best, part, exact=True, calibrate=False)
    machine.hurried_ = (len(few), len(rows))


def trained_in_time(
    machine: Any, Z: Samples, y: NDArray[Any], seconds: float, few: NDArray[np.intp] | None
) -> Any:
    """The machine on all rows; if it has learned next to nothing by then, on a few of them.

    A solver that is stopped at its beginning answers the same for every row, and that would be
    certified. ``few`` is None where the columns are the training rows.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        machine.set_params(time_limit=seconds).fit(Z, y)
    machine.set_params(time_limit=None)
    solutions = getattr(machine, "solutions_", ())
    learned = not any(one.stopped == "time_limit" and one.gap > FAR for one in solutions)
    if learned or (few is None and len(y) > FEW):
        for one in said:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return machine
    if few is None or len(few) == len(y):
        return machine.fit(Z, y)
    warnings.warn(
        f"the time was over before the best machine had learned from its {len(y):,} rows; it was "
        f"trained on {len(few):,} of them",
        stacklevel=2,
    )
    return machine.fit(_safe_indexing(Z, few), y[few])


def with_few_settings(machine: Any, search: Any, Z: Any, y: NDArray[Any]) -> Any:
    """A search that found nothing in its time, without a limit: what a trial tries, if free."""
    search.set_params(time_limit=None)
    free = machine.kernel == machine.combine == "auto"
    if not free or machine.prepare not in ("table", "sparse"):
        return search
    grid = TRIAL_GRID if "C" in search.estimator.get_params() else None
    kernels = trial_kernels(Z[machine.part_of_rows(y, FEW)])
    return search.set_params(kernels=kernels, param_grid=grid)


def _best_known(machine: Any, case: Case) -> Entry:
    """The leader of the contest, a search that has ended, or the best of one that has not."""
    contest: Contest = machine.__dict__.setdefault("contest_", Contest())
    done = [entry for entry in contest.entries if entry.status == DONE]
    searched = [entry for entry in contest.entries if entry.search is not None]
    if done:
        return contest.best
    best = searched[0] if searched else _default(machine, case)
    if best not in contest.entries:
        contest.entries.append(best)
    best.status, best.losses = DONE, np.empty(0)
    return best


def _default(machine: Any, case: Case) -> Entry:
    entrant = next(one for one in entrants_for(machine.contestants()) if one.suits(case))
    if not entrant.kernel:
        rows: NDArray[np.intp] = machine.part_of_rows(case.y, FEW)
        small = Case(machine, _safe_indexing(case.X, rows), case.y[rows])
        words, estimator = next(iter(entrant.settings(small, entrant.prepared(small)[1])))
        return Entry(entrant, words, estimator=estimator)
    estimator = learner(machine.learner, machine.task)
    if case.kind == "kernel":
        estimator.set_params(kernel="precomputed")
    elif case.kind == "objects":
        estimator.set_params(kernel=kernels_for_strings(machine.kernel, case.X)[0])
    known = getattr(machine.progress, "known", None)
    return Entry(entrant, "", estimator=clone(estimator).set_params(**known or {}))
