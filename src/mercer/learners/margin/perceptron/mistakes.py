"""Mistake-driven runs: visit rows in some order, change the rule on mistakes, keep a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.learners._brief import Brief
from mercer.learners.margin.perceptron._goals import Goal, flat

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Effects = Callable[[int], Floats]
Event = tuple[int, float, Floats]

BLOCK = 512  # rows tested together; everybody else hears of their mistakes when they are done


@dataclass(frozen=True, repr=False)
class MistakeLog(Brief):
    """Every update of a mistake-driven learner, in order.

    Attributes
    ----------
    rows : ndarray of int
        The row that caused each update (row number within the whole stream for ``partial_fit``).
    visits : ndarray of int
        How many rows had been tested then, that one included: 1, 2, ...
    epochs : ndarray of int
        The sweep, counted from 0.
    values : ndarray
        y f(x) before the update.
    changes : ndarray
        What was added to the row's coefficient; of several classes one column each.
    n_visits, n_epochs : int
        Rows tested, and sweeps begun, in all.
    separated : bool
        Whether the last sweep was clean, so that every row is on its side (by more than the
        margin asked for).
    """

    rows: Rows
    visits: Rows
    epochs: Rows
    values: Floats = field(repr=False)
    changes: Floats = field(repr=False)
    n_visits: int
    n_epochs: int
    separated: bool

    @property
    def n_updates(self) -> int:
        """Number of updates."""
        return len(self.rows)

    @property
    def n_errors(self) -> int:
        """Updates that were classification errors, y f(x) <= 0."""
        return int(np.count_nonzero(self.values <= 0))

    @property
    def distinct(self) -> Rows:
        """The rows that ever caused an update, sorted: they alone rebuild the rule."""
        return np.unique(self.rows)

    def per_epoch(self) -> NDArray[np.intp]:
        """Updates in each sweep."""
        return np.bincount(self.epochs, minlength=self.n_epochs)

    def lifetimes(self) -> NDArray[np.intp]:
        """How long each rule was in use: entry 0 for the start, then one per update."""
        ends = np.append(self.visits, self.n_visits + 1)
        return np.diff(np.concatenate([[1], ends]))

    def average_weights(self) -> Floats:
        """Share of each update in the average of all rules, each weighted by its lifetime."""
        return (self.n_visits - self.visits + 1) / max(self.n_visits, 1)

    @classmethod
    def empty(cls) -> MistakeLog:
        """Nothing seen yet."""
        none = np.zeros(0, dtype=np.intp)
        return cls(none, none, none, np.zeros(0), np.zeros(0), 0, 0, False)

    def then(self, later: MistakeLog, rows_before: int) -> MistakeLog:
        """Continue by the log of later rows of the stream."""
        changes = [log.changes for log in (self, later) if log.n_updates]
        return MistakeLog(
            rows=np.append(self.rows, later.rows + rows_before),
            visits=np.append(self.visits, later.visits + self.n_visits),
            epochs=np.append(self.epochs, later.epochs + self.n_epochs),
            values=np.append(self.values, later.values),
            changes=np.concatenate(changes) if changes else later.changes,
            n_visits=self.n_visits + later.n_visits,
            n_epochs=self.n_epochs + later.n_epochs,
            separated=False,
        )


class Space(Protocol):
    """Where the rule lives: weights or coefficients, and its outputs at the training rows."""

    def outputs(self, rows: Rows) -> Floats:
        """F at some rows, one column for two classes and one per class for several."""

    def effects(self, rows: Rows) -> Effects:
        """A function from places in ``rows`` to kernel values against all of ``rows``."""

    def absorb(self, rows: Rows, changes: Floats) -> None:
        """Add the changes to the rows' coefficients."""


def sweep(effects: Effects, outputs: Floats, goal: Goal, margin: float) -> list[Event]:
    """Visit a block row by row; place, value before and change of every update."""
    outputs = outputs.copy()
    value = goal.values(outputs)
    found: list[Event] = []
    place, count = 0, len(value)
    while place < count:
        wrong = value[place:] <= margin
        step = int(wrong.argmax())
        if not wrong[step]:
            break
        place += step
        change = goal.change(place, outputs[place])
        found.append((place, float(value[place]), change))
        outputs += np.multiply.outer(effects(place), change)
        value = goal.values(outputs)
        place += 1
    return found


class Diary:
    """The events of a run, and what becomes of them."""

    def __init__(self, columns: int) -> None:
        self.columns, self.visits = columns, 0
        self.when: list[tuple[int, int, int]] = []
        self.values: list[float] = []
        self.changes: list[Floats] = []

    def block(self, rows: Rows, epoch: int, found: list[Event]) -> tuple[Rows, Floats]:
        """Write down the updates of a block; the rows that changed, and by how much."""
        for at, value, change in found:
            self.note(int(rows[at]), self.visits + at + 1, epoch, value, change)
        self.visits += len(rows)
        changes = np.array([change for *_, change in found]).reshape(-1, self.columns)
        return rows[[at for at, *_ in found]], changes

    def note(self, row: int, visit: int, epoch: int, value: float, change: Floats) -> None:
        """One update."""
        self.when.append((row, visit, epoch))
        self.values.append(value)
        self.changes.append(change)

    def log(self, epochs: int, separated: bool) -> MistakeLog:
        """The whole run."""
        table = np.array(self.when, dtype=np.intp).reshape(-1, 3)
        return MistakeLog(
            rows=table[:, 0],
            visits=table[:, 1],
            epochs=table[:, 2],
            values=np.array(self.values, dtype=np.float64),
            changes=flat(np.array(self.changes, dtype=np.float64).reshape(-1, self.columns)),
            n_visits=self.visits,
            n_epochs=epochs,
            separated=separated,
        )


def run(
    space: Space,
    goal: Goal,
    orders: Iterator[Rows],
    *,
    max_iter: int,
    margin: float,
    stop: Callable[[dict[str, Any]], Any] | None = None,
) -> MistakeLog:
    """Sweep until one is clean, at most ``max_iter`` times."""
    diary, separated, epoch = Diary(goal.columns), False, 0
    for epoch in range(max_iter):
        order = next(orders)
        before = len(diary.when)
        for start in range(0, len(order), BLOCK):
            rows = order[start : start + BLOCK]
            found = sweep(space.effects(rows), space.outputs(rows), goal.take(rows), margin)
            changed, changes = diary.block(rows, epoch, found)
            if found:
                space.absorb(changed, changes)
        made = len(diary.when) - before
        separated = made == 0
        report = {"n_iter": epoch + 1, "gap": float(made), "seconds": 0.0}
        if separated or (stop is not None and stop(report)):
            break
    return diary.log(epoch + 1, separated)


def run_greedy(
    space: Space,
    goal: Goal,
    *,
    max_updates: int,
    margin: float,
    stop: Callable[[dict[str, Any]], Any] | None = None,
) -> MistakeLog:
    """Always the row that is most wrong; the whole sample is looked at before each update."""
    diary, separated = Diary(goal.columns), False
    everyone = np.arange(len(goal.step))
    for step in range(max_updates + 1):
        outputs = space.outputs(everyone)
        value = np.where(goal.step > 0, goal.values(outputs), np.inf)
        worst = int(value.argmin())
        if value[worst] > margin:
            separated = True
            break
        if step == max_updates:
            break
        change = goal.change(worst, outputs[worst])
        diary.note(worst, step + 1, step // len(everyone), float(value[worst]), change)
        space.absorb(np.array([worst]), change[None])
        report = {"n_iter": step + 1, "gap": float(-value[worst]), "seconds": 0.0}
        if stop is not None and stop(report):
            break
    diary.visits = len(diary.when)
    return diary.log(len(diary.when) // len(everyone) + 1, separated)


def orders_of(order: ArrayLike, n: int, rng: Any) -> Iterator[Rows]:
    """The order of visits of each sweep: as the file, shuffled anew, or as the user says."""
    if not isinstance(order, str):
        given = np.asarray(order)
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer) or not given.size:
            raise ValueError("order must be 'cyclic', 'random', 'greedy' or a list of row numbers.")
        outside = (given < 0) | (given >= n)
        if outside.any():
            place = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"order[{place}] = {given[place]} is no row: there are rows 0 to {n - 1}."
            )
        while True:
            yield given.astype(np.intp)
    while True:
        yield np.arange(n) if order == "cyclic" else rng.permutation(n).astype(np.intp)
