"""The contest itself: the same folds for all, and whoever is clearly behind leaves early.

Every entrant has chosen its setting on rows of its own kind of search; here the winners meet on
folds that none of them was tuned on. Only training rows are looked at: what a certificate counts
is untouched, so the choice costs it nothing.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from mercer._card import card
from mercer._pace import pace
from mercer._storable import record
from mercer._types import Estimator, Samples
from mercer.tables.contest.entrant import Case, Entrant
from mercer.tables.contest.entrants import all_entrants
from mercer.tables.contest.run_off import run_off
from mercer.tables.relatives import folds_of_families

COMPARE_ROWS, TRIAL_ROWS = 4000, 1500
FOLDS = 5
FAR_BEHIND = 2.0  # standard errors of the difference after which an entrant leaves the race
NO_LEAD = 0.5  # standard errors of a difference that is no reason to leave the kernel machine
AT_ONCE = 0.45  # of the time, for rows to be prepared for whoever begins
SLOW = 5.0  # seconds for one training that are too many if no time was given
WEIGHTS = (("classes of equal weight", "balanced"), ("rows as they are", None))
DONE, BEHIND, LATE, FAILED = "done", "behind", "no time", "failed"


@record("contest-entry")
@dataclass
class Entry:
    """One setting of one entrant, and how it fared."""

    entrant: Entrant
    words: str
    prepared: Any = None
    estimator: Any = None  # not fitted
    search: Any = None  # of kernel machines
    losses: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    seconds: float = 0.0
    status: str = LATE
    message: str = ""
    once: float = 0.0  # seconds of its longest training on a fold
    again: bool = False  # whether it was tried on further rows, see `run_off`

    @property
    def title(self) -> str:
        """For people."""
        return self.entrant.title + (f", {self.words}" if self.words else "")

    @property
    def loss(self) -> float:
        """Mean over the rows it was tried on: errors, or squares in units of the variance."""
        seen = self.losses[~np.isnan(self.losses)]
        return float(seen.mean()) if len(seen) else math.nan

    def behind(self, other: Entry) -> tuple[float, float]:
        """How much worse than another on the rows both were tried on, and the standard error."""
        if len(self.losses) != len(other.losses):  # one of them was not tried
            return math.nan, math.nan
        gap = self.losses - other.losses
        gap = gap[~np.isnan(gap)]
        if len(gap) < 2:
            return math.nan, math.nan
        return float(gap.mean()), float(gap.std() / math.sqrt(len(gap)))


@dataclass
class Contest:
    """All entries, in the order of trying."""

    entries: list[Entry] = field(default_factory=list)

    @property
    def best(self) -> Entry:
        """The smallest loss among those that ran to the end; of equals the first.

        After a run-off it is one of those that took part. A lead of less than half its standard
        error is none: then a kernel machine stays, about which more can be certified.
        """
        done = [entry for entry in self.entries if entry.status == DONE]
        if not done:
            raise TimeoutError("no learner was finished within the time limit")
        done = [entry for entry in done if entry.again] or done
        first = _smallest(done)
        kernels = [entry for entry in done if entry.entrant.kernel]
        if not kernels or first.entrant.kernel:
            return first
        best = _smallest(kernels)
        gap, error = best.behind(first)
        return best if gap <= NO_LEAD * error else first

    @property
    def found(self) -> bool:
        """Whether one of them ran to the end."""
        return any(entry.status == DONE for entry in self.entries)

    def _repr_html_(self) -> str:
        """A card for notebooks."""
        rows = [(row["title"], row["status"] if row["loss"] is None else
                 f"{row['loss']:.4g} on {row['rows']} rows, {row['status']}")
                for row in self.table()]  # fmt: skip
        return card("Who competed, best first", rows)

    def table(self) -> list[dict[str, Any]]:
        """Plain JSON types, best first."""
        best = self.best
        order = {DONE: 0, BEHIND: 1, LATE: 2, FAILED: 3}
        ranked = sorted(self.entries, key=lambda e: (e is not best, order[e.status], e.loss))
        return [_row(entry, best) for entry in ranked]


def _smallest(entries: list[Entry]) -> Entry:
    return min(entries, key=lambda entry: round(entry.loss, 12) if len(entry.losses) else 0.0)


def _row(entry: Entry, best: Entry) -> dict[str, Any]:
    gap, error = entry.behind(best)
    return {
        "learner": entry.entrant.name,
        "title": entry.title,
        "family": entry.entrant.title,
        "loss": _number(entry.loss),
        "rows": int(np.count_nonzero(~np.isnan(entry.losses))),
        "behind": 0.0 if entry is best else _number(gap),
        "standard_error": 0.0 if entry is best else _number(error),
        "seconds": entry.seconds,
        "status": entry.status,
        "message": entry.message,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def entrants_for(learner: str) -> tuple[Entrant, ...]:
    """Those that a name stands for: "auto" all, "trees" all trees, others as they are called."""
    everyone = all_entrants()
    if learner == "auto":
        return everyone
    asked = {"trees": ("boosting", "forest", "lightgbm")}.get(learner, (learner,))
    found = tuple(one for one in everyone if one.name in asked)
    return found or tuple(one for one in everyone if one.kernel)  # a kernel learner by its name


def run_contest(case: Case) -> Contest:
    """Let everybody who suits the rows try."""
    asked = entrants_for(case.machine.contestants())
    running = [one for one in asked if one.suits(case)]
    if not running:
        names = sorted({one.name for one in all_entrants() if one.suits(case)})
        raise ValueError(
            f"the learner {case.machine.learner!r} is not for these data; there are {names}"
        )
    return Race(case, running).run()


class Race:
    """Folds, losses and limits."""

    def __init__(self, case: Case, entrants: list[Entrant]) -> None:
        self.case, self.entrants = case, entrants
        machine = case.machine
        self.rows = machine.part_of_rows(case.y, TRIAL_ROWS if case.trial else COMPARE_ROWS)
        self.targets = machine.scaled(case.y)
        self.truth = self.targets[self.rows]
        self.contest = machine.contest_ = Contest()  # known while it runs, for who stops it
        self.pace = pace()
        self.searching = 0.0  # seconds of the longest search over kernels so far
        self._folds: list[tuple[Any, Any]] | None = None

    def run(self) -> Contest:
        """Everybody, one after another."""
        for entrant in self._in_order():
            try:
                self._enter(entrant)
            except TimeoutError:
                self.contest.entries.append(Entry(entrant, ""))
        if not self.case.trial and self.case.kind in ("table", "sparse"):
            run_off(self)
        return self.contest

    def _in_order(self) -> list[Entrant]:
        """As always; if time is short, what anybody would try first begins where it can end."""
        left = self._left()
        if left is None:
            return self.entrants
        at_once = [one for one in self.entrants if one.obvious(self.case)
                   and self.pace * one.preparing(self.case) <= AT_ONCE * left]  # fmt: skip
        return at_once + [one for one in self.entrants if one not in at_once]

    def _leader(self) -> Entry | None:
        return self.contest.best if self.contest.found else None

    def _enter(self, entrant: Entrant) -> None:
        leading = self._leader()
        left = self._left()
        short = entrant.kernel and left is not None and left < self.searching
        if leading and (short or self.over()):  # one more search would end after the time
            self.contest.entries.append(Entry(entrant, ""))
            return
        if leading and left is not None and self.pace * entrant.preparing(self.case) > left / 2:
            self.contest.entries.append(Entry(entrant, "", message="would take too long"))
            return
        prepared, Z = entrant.prepared(self.case)
        if leading and not self._affordable(entrant, Z):
            self.contest.entries.append(Entry(entrant, "", message="would take too long"))
            return
        start = time.perf_counter()
        for words, found in entrant.settings(self.case, Z):
            search = found if hasattr(found, "best_params_") else None
            estimator = found
            if search is not None:
                self.searching = max(self.searching, time.perf_counter() - start)
                estimator = clone(search.estimator).set_params(**search.best_params_)
            for said, variant in self._weighted(words, estimator):
                entry = Entry(entrant, said, prepared, variant, search)
                self.contest.entries.append(entry)
                if self.over() and self._leader():
                    continue
                self._try(entry, Z)
                entry.seconds, start = time.perf_counter() - start, time.perf_counter()

    def _weighted(self, words: str, estimator: Estimator) -> list[tuple[str, Any]]:
        """Also with classes of equal weight, where rare ones are to count as much."""
        if not self.case.aim.weighted or "class_weight" not in estimator.get_params():
            return [(words, estimator)]
        before = f"{words}, " if words else ""
        return [
            (f"{before}{said}", clone(estimator).set_params(class_weight=weight))
            for said, weight in WEIGHTS
        ]

    def _try(self, entry: Entry, Z: Samples) -> None:
        alone = len(self.entrants) == 1 and not self.case.aim.weighted
        if alone and entry.search is not None:
            self._done(entry)  # nobody to compare with: the search has chosen
            return
        leader = self._leader()
        entry.losses = np.full(len(self.rows), np.nan)
        predicted, seen = self.truth.copy(), np.zeros(len(self.rows), dtype=bool)
        for train, test in self._cut():
            if (leader or seen.any()) and self.over(entry.once):
                break  # of whoever is alone one fold is enough to go on with
            begun = time.perf_counter()
            try:
                predicted[test], seen[test] = self._predicted(entry, Z, train, test), True
                entry.once = max(entry.once, time.perf_counter() - begun)
                entry.losses[seen] = self.losses_of(self.truth[seen], predicted[seen])
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as problem:
                entry.status, entry.message = FAILED, str(problem).split("\n")[0]
                if len(self.entrants) == 1:
                    raise
                return
            if leader:
                gap, error = entry.behind(leader)
                if gap > FAR_BEHIND * error and gap > 0:
                    entry.status = BEHIND
                    return
        if seen.all() or (seen.any() and not leader):
            self._done(entry)

    def _done(self, entry: Entry) -> None:
        entry.status = DONE
        getattr(self.case.machine.progress, "found", lambda: None)()

    def _predicted(self, entry: Entry, Z: Any, train: Any, test: Any) -> NDArray[Any]:
        here = self.rows
        fitted = self.case.machine.trained(entry, Z[here[train]], self.truth[train])
        return np.asarray(fitted.predict(Z[here[test]]))

    def losses_of(self, truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
        """Of every row, what its mean is the loss of."""
        if self.case.task == "classification":
            return self.case.aim.losses(truth, predicted)
        return np.square(predicted - truth)

    def _cut(self) -> list[tuple[Any, Any]]:
        if self._folds is None:
            n, seed = len(self.rows), (self.case.seed + 1) % 2**31
            families = None
            if self.case.kind == "objects":
                families = folds_of_families(self.case.X[self.rows], self.case.y[self.rows])
            shuffled = {"shuffle": True, "random_state": seed}
            least = FOLDS
            if self.case.task == "classification":
                least = int(np.unique(self.truth, return_counts=True)[1].min())
            splitter: Any = KFold(min(FOLDS, n), **shuffled)
            if families is not None:
                splitter = GroupKFold(min(FOLDS, len(np.unique(families))))
            elif self.case.task == "classification" and least >= 2:
                splitter = StratifiedKFold(min(FOLDS, max(2, least)), **shuffled)
            self._folds = list(splitter.split(np.zeros(n), self.truth, families))
        return self._folds

    def _left(self) -> float | None:
        return self.case.machine.time_left()

    def over(self, needed: float = 0.0) -> bool:
        """Whether less time is left than is needed, or somebody wants to stop."""
        left = self._left()
        stopped = bool(getattr(self.case.machine.progress, "stopped", False))
        return stopped or (left is not None and left <= needed)

    def _affordable(self, entrant: Entrant, Z: Samples) -> bool:
        """Whether a training on the rows of the contest and one on all rows fit into the time."""
        once = self.pace * entrant.seconds(self.case, Z, len(self.rows))
        left = self._left()
        if left is None:
            return once <= SLOW * max(1.0, self.pace)
        last = self.pace * entrant.seconds(self.case, Z, len(self.case.y))
        return once + last <= left  # a fold at least, and the last training
