"""``mercer fit`` over files that need not fit into memory.

A sample of the rows goes through the fit of every day, which finds roles, kernel, parameters and a
route. What may win is then trained on all rows that learn, rows that choose take one, and rows that
count certify it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer._blas import calm_blas
from mercer._stopping import stopping
from mercer.app.options import FitOptions
from mercer.app.plan import clock, rank_for
from mercer.app.run import Run, run_fit
from mercer.app.streams.cells import cells_of
from mercer.app.streams.follow import Follow
from mercer.app.streams.give_back import give_back
from mercer.app.streams.lent import lend
from mercer.app.streams.low_rank import low_rank_of
from mercer.app.streams.options import StreamOptions, WorkFolder, named, refuse, refuse_made
from mercer.app.streams.passes import (
    Counts,
    count_part,
)
from mercer.app.streams.publish import Won, finish, roles_of, stopped
from mercer.app.streams.reading import Reading
from mercer.app.streams.survey import Survey, survey, without_bad
from mercer.app.streams.workers import check_workers
from mercer.app.train import table_machine
from mercer.engine import open_engine
from mercer.errors import DataError
from mercer.io.streams import parts_of
from mercer.rows import Partition, Split
from mercer.rows.marks import CHOOSE
from mercer.solvers.sums import merge
from mercer.tables.held_out import HeldOutProbabilities
from mercer.tables.routes import HOPELESS

PILOTS, COUNTING = 0.5, 0.15  # of the time that the user allows
CALIBRATE = 5000  # rows that choose from which probabilities are read
FEW = 2000  # rows of a pilot up to which only exact machines are tried


def fit_stream(
    data: Any,
    options: FitOptions,
    stream: StreamOptions,
    reproduction: dict[str, Any] | None = None,
) -> Run:
    """Learn, choose, count.

    ``data`` are patterns and folders, a Dask data frame or array, or functions that make frames.
    """
    refuse(options)
    parts, bad = without_bad(*parts_of(data, options.reading), stream.skip_bad)
    refuse_made(parts, stream)
    name = named(data)
    with (
        open_engine(stream.cluster) as engine,
        WorkFolder(stream) as work,
        Follow(stream.quiet) as follow,
    ):
        keep = None if stream.work is None else work
        check_workers(engine, [work, *(part.path for part in parts if part.path)])
        follow.say(f"{len(parts)} partition{'s' * (len(parts) != 1)}, {engine.words}")
        split, started = Split(seed=options.seed), time.monotonic()
        with follow.a_pass("first pass", parts) as done:
            seen = survey(engine, parts, options.reading, split, options.group, keep, done)
        follow.rows = seen.rows.n
        learn = len(seen.rows.marks)
        follow.say(f"{seen.rows.n:,} rows: {roles_of(seen)}; a pilot of {learn:,} rows")
        with stopping() as state:
            surveyed = time.monotonic()
            spent = surveyed - started
            run = _pilot(seen, options, follow, reproduction, spent)
            run.record.timings["first pass"] = spent
            give_back()
            begun = time.monotonic()
            passes = _Stream(engine, parts, options, seen, run, work, keep, follow, split, started)

            def over_all_rows() -> None:
                with calm_blas(0):  # bits must not depend on how many threads happen to be free
                    passes.work_through()

            whole = state.unless_asked(over_all_rows)
            run.record.timings["all rows"] = time.monotonic() - begun
            if whole:
                return finish(passes, name, bad)
            return stopped(passes, name, bad)


def _pilot(
    seen: Survey, options: FitOptions, follow: Follow, reproduction: Any, spent: float
) -> Run:
    """Roles, kernel, parameters and routes on a sample of the rows that learn."""
    data = seen.pilot()
    route = options.route
    if route == "auto":
        route = "measured" if data.n > FEW else "exact"
    limit = options.time_limit
    if limit is not None:
        limit = max(1.0, PILOTS * (limit - spent))
    rank = options.rank or rank_for(seen.rows.n)
    wishes = replace(options, certify=None, route=route, rank=rank, time_limit=limit)
    return run_fit(data, wishes, quiet=True, watch=follow.search, reproduction=reproduction)


@dataclass
class _Stream:
    """The passes after the pilot."""

    engine: Any
    parts: list[Partition]
    options: FitOptions
    seen: Survey
    run: Run
    work: str
    keep: str | None  # the same, if the user wants what is in it
    follow: Follow
    split: Split
    begun: float
    won: Won = field(init=False)
    notes: list[str] = field(default_factory=list)

    def work_through(self) -> None:
        """Train on all rows, choose and count; nothing is published before all of it is done."""
        machine = table_machine(self.run.model)
        reading = self._reading(machine)
        candidates = {"the pilot's": machine.best_estimator_[-1]}
        for route in self._worth_it(machine):
            if self._too_long(route, machine):
                continue
            self.follow.say(f"training {route} on all rows that learn")
            give_back()
            if route == "cells":
                candidates[route] = self._cells(machine, reading)
            elif (made := self._low_rank(machine, reading, candidates.get("cells"))) is not None:
                candidates[route] = made
        tolerance = getattr(machine, "tolerance_", 0.0) / reading.spread
        if self.options.tolerance is not None:
            tolerance = self.options.tolerance / reading.spread
        give_back()
        self.follow.say("counting errors")
        with (
            lend(list(candidates.values()), self.work) as models,
            self.follow.a_pass("counting errors", self.parts) as done,
        ):
            counting = partial(count_part, reading=reading, models=models, tolerance=tolerance)
            counts: Counts = self.engine.reduce(counting, self.parts, merge, done)
        if not counts.count[0, 0] or not counts.choose[0, 0]:
            raise DataError("too few rows to choose and to count errors on.")
        errors = counts.choose[:, 1] / counts.choose[:, 0]
        best = int(errors.argmin())
        route, model = list(candidates.items())[best]
        if reading.task == "classification" and not hasattr(model, "predict_proba"):
            model = self._calibrated(model, reading)
        shown = ", ".join(
            f"{name} {error:.2%}" if reading.task == "classification" else f"{name} {error:.4g}"
            for name, error in zip(candidates, errors, strict=True)
        )
        words = (
            f"errors on {int(counts.choose[0, 0]):,} rows that choose: {shown}; {route} was taken"
        )
        self.won = Won(route, model, counts, best, tolerance * reading.spread, words)

    def _reading(self, machine: Any) -> Reading:
        data = self.run.data
        regression = data.target.task == "regression"
        return Reading(
            self.options.reading,
            tuple(zip(data.names, data.stored, strict=True)),
            data.target.name,
            data.target.task,
            self.split,
            machine.best_estimator_[0],
            self.options.group,
            machine.target_mean_ if regression else 0.0,
            machine.target_spread_ if regression else 1.0,
        )

    def _worth_it(self, machine: Any) -> list[str]:
        """Routes that may win on all rows, by what the pilot showed."""
        if self.options.route in ("cells", "low-rank"):
            return [self.options.route]
        chosen = getattr(machine, "chosen_", None)
        more = self.seen.rows.roles[0] > 1.2 * len(self.seen.rows.marks)
        if chosen is None or not more or self.options.route == "exact":
            return []
        last = {one.route: one.error for one in chosen.tried}
        least = min(last.values())
        return [r for r in ("cells", "low-rank") if last.get(r, np.inf) <= HOPELESS * least + 1e-3]

    def exact(self, machine: Any) -> tuple[Any, Any]:
        """The exact machine that the pilot found, and its kernel."""
        chosen = getattr(machine, "chosen_", None)
        if chosen is not None:
            return chosen.machine, chosen.kernel
        search = machine.search_
        return clone(search.estimator).set_params(**search.best_params_), search.best_kernel_

    def _prepared_pilot(self, machine: Any) -> Any:
        return machine.best_estimator_[0].transform(self.run.data.X).astype(np.float32)

    def _too_long(self, route: str, machine: Any) -> bool:
        """Whether the pilot says that a route would not be done in time."""
        left, chosen = self.time_left(), getattr(machine, "chosen_", None)
        tried = [one for one in (chosen.tried if chosen else ()) if one.route == route]
        if left is None or not tried or (route == "low-rank" and left > 0):  # it looks by itself
            return False
        needed = tried[-1].seconds * int(self.seen.rows.roles[0]) / tried[-1].rows
        if needed <= left:
            return False
        self.tell(f"{route} would need about {clock(needed)} on all rows, more than is left")
        return True

    def _cells(self, machine: Any, reading: Reading) -> Any:
        classes = machine.classes_ if reading.task == "classification" else None
        return cells_of(
            self, self.exact(machine)[0], classes, self._prepared_pilot(machine), reading
        )

    def _low_rank(self, machine: Any, reading: Reading, rival: Any) -> Any:
        return low_rank_of(self, machine, self._prepared_pilot(machine), reading, rival)

    def tell(self, words: str) -> None:
        """At once, and in the record."""
        self.notes.append(words)
        self.follow.say(words)

    def time_left(self) -> float | None:
        """Seconds until the user's limit, less those that counting will take."""
        limit = self.options.time_limit
        return None if limit is None else self.begun + (1.0 - COUNTING) * limit - time.monotonic()

    def _calibrated(self, model: Any, reading: Reading) -> Any:
        """Probabilities from rows that choose, in the order of the files."""
        Z, y = [], []
        for part in self.parts:
            for batch in reading.batches(part):
                rows, labels = batch.only(CHOOSE)
                known = np.isin(labels, model.classes_)
                Z.append(rows[known])
                y.append(labels[known])
                if sum(map(len, y)) >= CALIBRATE:
                    break
            if sum(map(len, y)) >= CALIBRATE:
                break
        return HeldOutProbabilities(model).fit(np.concatenate(Z), np.concatenate(y))
