"""What a stream leaves: the model that has won, its certificate from counts, and the record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from mercer.app.describe import describe_certificate, model_words
from mercer.app.roles import FitData
from mercer.app.run import Run
from mercer.app.streams.passes import Counts
from mercer.app.streams.survey import Survey
from mercer.app.target import class_words
from mercer.app.train import table_machine
from mercer.certification.checks.case import Case
from mercer.certification.checks.finding import FIRST_LINE
from mercer.certification.checks.gate import look_at
from mercer.certification.core.order import group_codes
from mercer.certification.counts import COPIES, certify_counts

OF_ORDER = ("order", "row numbers")  # findings about rows as they lie in a file


@dataclass
class Won:
    """What the rows that choose have chosen, and what the rows that count say of it."""

    route: str
    model: Any
    counts: Counts
    place: int
    tolerance: float
    words: str


def roles_of(seen: Survey) -> str:
    """How many rows play which part, in words."""
    learn, choose, count = seen.rows.roles.tolist()
    return f"{learn:,} learn, {choose:,} choose, {count:,} count errors"


def finish(stream: Any, name: str, bad: list[tuple[str, str]]) -> Run:
    """Publish what has won, with its certificate."""
    machine, won = table_machine(stream.run.model), stream.won
    machine.best_estimator_ = Pipeline(
        [("prepare", machine.best_estimator_[0]), ("learn", won.model)]
    )
    _certify(stream, machine, won.counts, won.place, won.tolerance, bad)
    learner = type(machine.best_estimator_[-1]).__name__
    rows = len(stream.seen.rows.marks) if won.route == "the pilot's" else None
    trained_on = int(stream.seen.rows.roles[0]) if rows is None else rows
    stream.run.record.model |= {"learner": learner, "trained_on": trained_on}
    if won.route in ("cells", "low-rank"):
        stream.run.record.model |= _facts(stream, machine, won)
    _describe(stream, name, bad, won.words)
    stream.run.record.data["rows_used"] -= won.counts.untold
    return stream.run


def _facts(stream: Any, machine: Any, won: Won) -> dict[str, Any]:
    """What was trained on all rows, which may be another route than the pilot's."""
    learner = getattr(won.model, "model", won.model)
    exact, kernel = stream.exact(machine)
    if won.route == "cells":
        own = exact.get_params(deep=False)
        params = {"C": own["C"]} if "C" in own else {}
        params |= {"cells": learner.n_cells_}
    else:
        params = {"landmarks": len(learner.landmarks_)}
    return {
        "params": params,
        "support": None,
        "words": model_words(type(learner).__name__, kernel, params, stream.run.data),
    }


def _target_words(stream: Any) -> str:
    """The target in all rows, from the first pass."""
    target = stream.run.data.target
    sketch = stream.seen.columns[stream.seen.names.index(target.name)]
    if target.task == "regression":
        return f"numbers from {sketch.lowest:.6g} to {sketch.highest:.6g}, mean {sketch.mean:.6g}"
    if sketch.levels is None:
        return f"{target.words} in the pilot"
    return class_words(sketch.levels)


def stopped(stream: Any, name: str, bad: list[tuple[str, str]]) -> Run:
    """The pilot's model, marked and without a certificate: a signal came before the rest."""
    record, rows = stream.run.record, stream.seen.rows
    words = f"the model of a pilot of {len(rows.marks):,} of {rows.n:,} rows, not certified"
    before = record.model.get("stopped")
    record.model["stopped"] = f"{words}; {before}" if before else words
    record.model["interrupted"] = True
    _describe(stream, name, bad, words)
    return stream.run


def _certify(
    stream: Any, machine: Any, counts: Counts, best: int, tolerance: float, bad: list[Any]
) -> None:
    task = stream.run.data.target.task
    means = None
    if counts.groups is not None:
        table = np.array([counts.groups[name] for name in sorted(counts.groups)])
        means = table[:, 1 + best] / table[:, 0]
    copies = 0.0 if stream.options.group else stream.seen.rows.counted_copies
    found = tuple(f"does not cover {path}, which was left out ({words})" for path, words in bad)
    found += _found_in_the_pilot(stream.run.data, copies > COPIES)
    certificate = certify_counts(
        int(counts.count[best, 1]),
        int(counts.count[best, 0]),
        stream.options.delta,
        task=task,
        learner=type(machine.best_estimator_[-1]).__name__,
        n_classes=len(machine.classes_) if task == "classification" else 2,
        tolerance=tolerance if task == "regression" else None,
        trained_on=int(stream.seen.rows.roles[0]),
        group_means=means,
        copies=copies,
        found=found,
    )
    learn, choose, count = stream.seen.rows.roles.tolist()
    model = stream.run.model
    model._issued |= {"certificate": certificate, "all": ({}, {})}
    none = np.empty(0, dtype=np.intp)
    model.certification_ = replace(
        model.certification_, mode="counted", delta=stream.options.delta, n=stream.seen.rows.n,
        train_rows=none, counted_rows=none, seed=stream.options.seed,
        order="groups" if stream.options.group else "random",
        split={"learn": learn, "choose": choose, "count": count}, ledger=certificate.ledger,
    )  # fmt: skip
    if task == "regression":
        machine.tolerance_ = tolerance


def _found_in_the_pilot(data: FitData, copies_told: bool) -> tuple[str, ...]:
    """What fingerprints of whole rows do not see: copies that a column or some noise tells apart,
    and rows of one name. The sample is in random order, so nothing is asked about order.
    """
    unit = None if data.groups is None else group_codes(data.groups)
    case = Case(data.X, data.target.y, unit=unit, order="random" if unit is None else "groups")
    verdict = look_at(case)
    return tuple(
        f"in a sample of {case.n:,} of the rows that learn, {finding.words}"
        for finding in verdict.findings
        if finding.level == FIRST_LINE
        and finding.code not in OF_ORDER
        and not (copies_told and finding.code == "copies")
    )


def _describe(stream: Any, name: str, bad: list[Any], words: str) -> None:
    record, rows = stream.run.record, stream.seen.rows
    describe_certificate(record, stream.run.data, stream.run.model)
    record.title = name
    record.target["words"] = _target_words(stream)
    record.data |= {
        "name": name,
        "path": None,
        "format": stream.parts[0].format,
        "bytes": sum({part.path: part.size for part in stream.parts}.values()),
        "rows_read": rows.n,
        "rows_used": rows.n,
        "partitions": [[part.name, part.piece, part.rows, part.size] for part in stream.parts],
        "left_out": [list(one) for one in bad],
    }
    for column, sketch in zip(stream.seen.names, stream.seen.columns, strict=True):
        for described in record.data["columns"]:
            if described["name"] == column:
                described["missing"] = sketch.gaps
    where = "their group" if stream.options.group else "their place"
    record.split = {"words": f"{roles_of(stream.seen)}, by a hash of {where}, seed "
                             f"{stream.options.seed}"}  # fmt: skip
    record.plan["words"] = f"in batches, pilot of {len(rows.marks):,} rows: " + record.plan["words"]
    record.checks.append({"code": "routes", "level": "note", "message": words, "columns": [],
                          "rows": []})  # fmt: skip
    for note in stream.notes:
        record.checks.append({"code": "memory", "level": "note", "message": note, "columns": [],
                              "rows": []})  # fmt: skip
    if rows.repeated > 0.001:
        record.checks.append(
            {"code": "duplicates", "level": "warning", "columns": [], "rows": [],
             "message": f"about {rows.repeated:.1%} of the rows repeat another one"}
        )  # fmt: skip
    record.objects["X"] = record.objects["y"] = None
