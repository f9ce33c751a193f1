"""``mercer fit`` over files that need not fit into memory.

A sample of the rows goes through the fit of every day, which finds roles, kernel, parameters and a
route. What may win is then trained on all rows that learn, rows that choose take one, and rows that
count certify it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mercer._blas import calm_blas
from mercer._stopping import stopping
from mercer.app.describe import describe_certificate
from mercer.app.options import FitOptions
from mercer.app.plan import rank_for
from mercer.app.run import Run, run_fit
from mercer.app.streams.options import StreamOptions, WorkFolder, refuse
from mercer.app.streams.passes import (
    Counts,
    bundles_of,
    count_part,
    cut_part,
    kept,
    losses_of_part,
    moments_of_part,
    train_bundle,
)
from mercer.app.streams.reading import Reading
from mercer.app.streams.survey import Survey, survey, without_bad
from mercer.app.train import table_machine
from mercer.certification.counts import certify_counts
from mercer.engine import open_engine
from mercer.errors import DataError
from mercer.io.streams import partitions_of
from mercer.learners.large.cell_classifier import CellClassifier
from mercer.learners.large.cell_regressor import CellRegressor
from mercer.learners.large.cell_tree import grow_cells
from mercer.learners.large.from_parts import assembled, classifier_from_state, ridge_from_moments
from mercer.learners.large.landmarks import Landmarks, gram_of, whitened
from mercer.losses import SquaredHinge
from mercer.rows import Partition, Split
from mercer.rows.marks import CHOOSE
from mercer.solvers.streamed_newton import LossSums, newton
from mercer.solvers.sums import Moments, merge
from mercer.tables.held_out import HeldOutProbabilities
from mercer.tables.routes import CACHE, CELL, CUTS, HOPELESS

BUNDLE = 60_000  # rows of cells that one task trains
CALIBRATE = 5000  # rows that choose from which probabilities are read
FEW = 2000  # rows of a pilot up to which only exact machines are tried


def fit_stream(
    patterns: list[str],
    options: FitOptions,
    stream: StreamOptions,
    reproduction: dict[str, Any] | None = None,
) -> Run:
    """Learn, choose, count."""
    refuse(options)
    parts, bad = without_bad(*partitions_of(patterns, options.reading), stream.skip_bad)
    with open_engine(stream.cluster) as engine, WorkFolder(stream) as work:
        tell = _silent if stream.quiet else _told
        tell(f"{len(parts)} partitions, {engine.words}")
        split = Split(seed=options.seed)
        seen = survey(engine, parts, options.reading, split, options.group)
        tell(f"{seen.rows.n:,} rows: {_roles(seen)}; a pilot of {len(seen.rows.marks):,} rows")
        with stopping() as state:
            run = _pilot(seen, options, stream, reproduction)
            passes = _Stream(engine, parts, options, seen, run, work, tell, split)

            def over_all_rows() -> None:
                with calm_blas(0):  # bits must not depend on how many threads happen to be free
                    passes.work_through()

            if state.unless_asked(over_all_rows):
                return passes.finish(patterns, bad)
            return passes.stopped(patterns, bad)


def _told(words: str) -> None:
    sys.stderr.write(words + "\n")
    sys.stderr.flush()


def _silent(words: str) -> None:
    pass


def _roles(seen: Survey) -> str:
    learn, choose, count = seen.rows.roles.tolist()
    return f"{learn:,} learn, {choose:,} choose, {count:,} count errors"


def _pilot(seen: Survey, options: FitOptions, stream: StreamOptions, reproduction: Any) -> Run:
    """Roles, kernel, parameters and routes on a sample of the rows that learn."""
    data = seen.pilot()
    route = options.route
    if route == "auto":
        route = "measured" if data.n > FEW else "exact"
    wishes = replace(options, certify=None, route=route, rank=options.rank or rank_for(seen.rows.n))
    return run_fit(data, wishes, quiet=True, reproduction=reproduction)


@dataclass
class _Won:
    """What the rows that choose have chosen, and what the rows that count say of it."""

    route: str
    model: Any
    counts: Counts
    place: int
    tolerance: float
    words: str


@dataclass
class _Stream:
    """The passes after the pilot."""

    engine: Any
    parts: list[Partition]
    options: FitOptions
    seen: Survey
    run: Run
    work: str
    tell: Any
    split: Split
    won: _Won = field(init=False)

    def work_through(self) -> None:
        """Train on all rows, choose and count; nothing is published before all of it is done."""
        machine = table_machine(self.run.model)
        reading = self._reading(machine)
        candidates = {"the pilot's": machine.best_estimator_[-1]}
        for route in self._worth_it(machine):
            self.tell(f"training {route} on all rows that learn")
            make = self._cells if route == "cells" else self._low_rank
            candidates[route] = make(machine, reading)
        self.tell("counting")
        tolerance = getattr(machine, "tolerance_", 0.0) / reading.spread
        if self.options.tolerance is not None:
            tolerance = self.options.tolerance / reading.spread
        count = partial(
            count_part, reading=reading, models=list(candidates.values()), tolerance=tolerance
        )
        counts: Counts = self.engine.reduce(count, self.parts, merge)
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
        self.won = _Won(route, model, counts, best, tolerance * reading.spread, words)

    def finish(self, patterns: list[str], bad: list[tuple[str, str]]) -> Run:
        """Publish what has won, with its certificate."""
        machine, won = table_machine(self.run.model), self.won
        machine.best_estimator_ = Pipeline(
            [("prepare", machine.best_estimator_[0]), ("learn", won.model)]
        )
        self._certify(machine, won.counts, won.place, won.tolerance, bad)
        learner = type(machine.best_estimator_[-1]).__name__
        rows = len(self.seen.rows.marks) if won.route == "the pilot's" else None
        trained_on = int(self.seen.rows.roles[0]) if rows is None else rows
        self.run.record.model |= {"learner": learner, "trained_on": trained_on}
        self._describe(patterns, bad, won.words)
        self.run.record.data["rows_used"] -= won.counts.untold
        return self.run

    def stopped(self, patterns: list[str], bad: list[tuple[str, str]]) -> Run:
        """The pilot's model, marked and without a certificate: a signal came before the rest."""
        record, rows = self.run.record, self.seen.rows
        words = f"the model of a pilot of {len(rows.marks):,} of {rows.n:,} rows, not certified"
        before = record.model.get("stopped")
        record.model["stopped"] = f"{words}; {before}" if before else words
        record.model["interrupted"] = True
        self._describe(patterns, bad, words)
        return self.run

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

    def _exact(self, machine: Any) -> tuple[Any, Any]:
        """The exact machine that the pilot found, and its kernel."""
        chosen = getattr(machine, "chosen_", None)
        if chosen is not None:
            return chosen.machine, chosen.kernel
        search = machine.search_
        return clone(search.estimator).set_params(**search.best_params_), search.best_kernel_

    def _prepared_pilot(self, machine: Any) -> Any:
        return machine.best_estimator_[0].transform(self.run.data.X).astype(np.float32)

    def _cells(self, machine: Any, reading: Reading) -> Any:
        size = self.options.cells or CELL
        Z = self._prepared_pilot(machine)
        total = int(self.seen.rows.roles[0])
        least = max(4.0, size * len(Z) / max(1, total))
        tree = grow_cells(Z, least, self.options.seed % 2**31, CUTS)
        labels = reading.task == "classification"
        classes = machine.classes_ if labels else None
        learner = clone(self._exact(machine)[0])
        if "probability" in learner.get_params(deep=False):
            learner.set_params(probability=False)
        if "cache_size" in learner.get_params(deep=False):
            learner.set_params(cache_size=CACHE)
        many = max(1, min(tree.n_cells, -(-CUTS * total // BUNDLE)))
        cut = self.engine.map(
            partial(cut_part, reading=reading, tree=tree, classes=classes, bundles=many,
                    work=self.work), self.parts
        )  # fmt: skip
        train = partial(train_bundle, learner=learner, labels=labels)
        trained = self.engine.map(train, bundles_of(tree, cut, many))
        return assembled(
            CellClassifier if labels else CellRegressor,
            learner,
            tree,
            [one for bundle in trained for one in bundle],
            n=total,
            width=Z.shape[1],
            cell_size=size,
            random_state=self.options.seed % 2**31,
            classes=classes,
        )

    def _low_rank(self, machine: Any, reading: Reading) -> Any:
        Z = self._prepared_pilot(machine)
        rng = np.random.default_rng(self.options.seed)
        rank = min(len(Z), self.options.rank or rank_for(self.seen.rows.n))
        rows = np.ascontiguousarray(Z[np.sort(rng.choice(len(Z), rank, replace=False))])
        learner, kernel = self._exact(machine)
        landmarks = Landmarks(kernel, rows, whitened(gram_of(kernel, rows)))
        price = float(learner.get_params(deep=False).get("C", 1.0))
        if reading.task == "regression":
            sums = partial(moments_of_part, reading=reading, landmarks=landmarks)
            keep = partial(kept, task=sums, kind=Moments, work=self.work)
            moments = self.engine.reduce(keep, self.parts, merge)
            return ridge_from_moments(landmarks, moments, 1.0 / (2.0 * price))
        classes = machine.classes_

        def one_pass(state: Any) -> LossSums:
            losses = partial(
                losses_of_part, reading=reading, landmarks=landmarks, classes=classes,
                loss=SquaredHinge(), state=state,
            )  # fmt: skip
            keep = partial(kept, task=losses, kind=LossSums, work=self.work)
            return self.engine.reduce(keep, self.parts, merge)

        many = 1 if len(classes) == 2 else len(classes)
        found = newton(one_pass, np.zeros((many, landmarks.rank + 1)), price, tol=1e-3)
        total = int(self.seen.rows.roles[0])
        return classifier_from_state(landmarks, found, classes, total, price, "squared_hinge")

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

    def _certify(
        self, machine: Any, counts: Counts, best: int, tolerance: float, bad: list[Any]
    ) -> None:
        task = self.run.data.target.task
        means = None
        if counts.groups is not None:
            table = np.array([counts.groups[name] for name in sorted(counts.groups)])
            means = table[:, 1 + best] / table[:, 0]
        found = tuple(f"does not cover {path}, which was left out ({words})" for path, words in bad)
        certificate = certify_counts(
            int(counts.count[best, 1]),
            int(counts.count[best, 0]),
            self.options.delta,
            task=task,
            learner=type(machine.best_estimator_[-1]).__name__,
            n_classes=len(machine.classes_) if task == "classification" else 2,
            tolerance=tolerance if task == "regression" else None,
            trained_on=int(self.seen.rows.roles[0]),
            group_means=means,
            copies=0.0 if self.options.group else self.seen.rows.counted_copies,
            found=found,
        )
        learn, choose, count = self.seen.rows.roles.tolist()
        model = self.run.model
        model._issued |= {"certificate": certificate, "all": ({}, {})}
        none = np.empty(0, dtype=np.intp)
        model.certification_ = replace(
            model.certification_, mode="counted", delta=self.options.delta, n=self.seen.rows.n,
            train_rows=none, counted_rows=none, seed=self.options.seed,
            order="groups" if self.options.group else "random",
            split={"learn": learn, "choose": choose, "count": count}, ledger=certificate.ledger,
        )  # fmt: skip
        if task == "regression":
            machine.tolerance_ = tolerance

    def _describe(self, patterns: list[str], bad: list[Any], words: str) -> None:
        record, rows = self.run.record, self.seen.rows
        describe_certificate(record, self.run.data, self.run.model)
        name = " ".join(patterns)
        record.title = name
        record.data |= {
            "name": name,
            "path": None,
            "format": self.parts[0].format,
            "bytes": sum({part.path: part.size for part in self.parts}.values()),
            "rows_read": rows.n,
            "rows_used": rows.n,
            "partitions": [[part.name, part.piece, part.rows, part.size] for part in self.parts],
            "left_out": [list(one) for one in bad],
        }
        for column, sketch in zip(self.seen.names, self.seen.columns, strict=True):
            for described in record.data["columns"]:
                if described["name"] == column:
                    described["missing"] = sketch.gaps
        where = "their group" if self.options.group else "their place"
        record.split = {"words": f"{_roles(self.seen)}, by a hash of {where}, seed "
                                 f"{self.options.seed}"}  # fmt: skip
        record.plan["words"] = (
            f"in batches, pilot of {len(rows.marks):,} rows: " + record.plan["words"]
        )
        record.checks.append({"code": "routes", "level": "note", "message": words, "columns": [],
                              "rows": []})  # fmt: skip
        if rows.repeated > 0.001:
            record.checks.append(
                {"code": "duplicates", "level": "warning", "columns": [], "rows": [],
                 "message": f"about {rows.repeated:.1%} of the rows repeat another one"}
            )  # fmt: skip
        record.objects["X"] = record.objects["y"] = None
