"""Selective: a model that may abstain, certified on the rows it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Evidence, HoldOut, NotApplicable, get
from mercer.certification.answers.selective import SelectiveClassifier
from mercer.certification.core import arguments
from mercer.certification.core.confidence import confidence
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.guarantees.thresholds import (
    Plan,
    first_rows,
    plan,
    target_certificate,
    walk,
)
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import CLASSIFIERS, Mode, Option
from mercer.certification.modes._held_out import OBJECTIVE, chosen_cut
from mercer.learners.describe import name_of

TUNING_SHARE = 1 / 6  # of the training part, for the threshold
FOLDS = 4  # of the training part, whose left-out rows say where a walk should begin
# what a target needs is counted rows: as many are held out as the objective allows
SMALLEST = {"accurate": 0.6, "tight": 0.5}


class SelectiveMode(Mode):
    """Threshold from the last sixth of the training part, counted on the held-out rows."""

    name = "selective"
    title = "a model that may abstain, on the rows it accepts"
    tasks = CLASSIFIERS
    why_not = (
        "it accepts a row by the lead of the best class, and neither a regression nor an outlier "
        "detector has one."
    )
    comparable = False
    fits = 4
    options: ClassVar[Mapping[str, Option]] = {
        "coverage": Option(0.9, arguments.share, "share of rows that should be accepted"),
        "target_error": Option(
            None,
            lambda value, name: None if value is None else arguments.share(value, name),
            "error rate among accepted rows; as many rows as can be are accepted, not a coverage",
        ),
        "objective": OBJECTIVE,
    }

    @classmethod
    def keeps_unseen(cls, split: Mapping[str, Any]) -> bool:
        """The threshold decides which rows are answered, not how."""
        return True

    def run(self, task: Task) -> Result:
        """The error rate among accepted rows, and how many rows are accepted at least."""
        target = task.options["target_error"]
        position, split = chosen_cut(task) if target is None else _largest_part(task)
        train, test = task.first(position), task.first(task.n, position)
        if target is None:
            leads = _leads(task, position)
            threshold = float(np.quantile(leads, 1.0 - task.options["coverage"], method="lower"))
        else:
            planned = _planned(task, position, len(test), target)
        model = task.fit(train)
        predicted = task.predict(model, test, train)
        wrong = task.judge.wrong(task.rows.labels(test), predicted)
        with task.timed("counting"):
            sure = confidence(model, task.rows.take(test, train))
            if target is not None:
                threshold = _passed(planned, sure, wrong, target, task.delta)
            accepted = sure >= threshold
        part = HoldOut(
            len(test),
            int(wrong.sum()),
            trained_on=len(train),
            accepted=int(accepted.sum()),
            accepted_errors=int((wrong & accepted).sum()),
        )
        evidence = task.evidence(model, len(train), holdout=part)
        try:
            if target is not None:
                certificate = target_certificate(part, target, task.delta, name_of(model))
            elif by_class.wanted(task):
                evidence = _by_class(task, model, evidence, test, wrong, accepted)
                certificate = by_class.certificate(task, evidence, "by-class", base="selective")
                what = certificate.quantity + " among accepted rows"
                certificate = replace(certificate, quantity=what)
            else:
                certificate = get("selective")().evaluate(evidence, task.delta)
        except NotApplicable as no:
            raise Refused(
                f"mode='selective' failed: {no.reason}; ask for a larger coverage"
            ) from no
        wrapped = SelectiveClassifier(model, threshold)
        split = {"fraction": position / task.n, **split, "threshold": threshold}
        return Result(wrapped, certificate, evidence, train, test, split)


def _by_class(
    task: Task,
    model: object,
    evidence: Evidence,
    test: Index,
    wrong: NDArray[np.bool_],
    accepted: NDArray[np.bool_],
) -> Evidence:
    """The same counts among the rows of every class."""
    records: dict[str, tuple[int, dict[str, Any]]] = {}
    for label, mine in by_class.class_masks(model, task.rows.labels(test)).items():
        rows = int(mine.sum())
        if rows == 0:
            raise NotApplicable(f"no hold-out row of class {label!r}")
        part = HoldOut(
            rows,
            int(wrong[mine].sum()),
            accepted=int(accepted[mine].sum()),
            accepted_errors=int((wrong & accepted)[mine].sum()),
        )
        records[label] = rows, {"holdout": part}
    return by_class.parts(evidence, records)


def _largest_part(task: Task) -> tuple[int, dict[str, Any]]:
    fraction = SMALLEST[task.options["objective"]]
    why = {"rule": "a target error needs counted rows", "fraction": fraction}
    return task.order.cut(fraction), why


def _planned(task: Task, position: int, counted: int, target: float) -> Plan:
    """The walk, planned by leads and errors of training rows that were left out in turn."""
    if by_class.wanted(task):
        raise Refused("target_error= is about all accepted rows; leave out error=.")
    leads, errors = np.empty(position), np.empty(position, dtype=bool)
    edges = np.linspace(0, position, FOLDS + 1).round().astype(int)
    everything = task.first(position)
    for start, stop in pairwise(edges.tolist()):
        left_out, kept = everything[start:stop], np.delete(everything, np.s_[start:stop])
        if not len(left_out) or not len(kept):
            raise Refused(f"target_error= needs more rows: {position} are left to train on.")
        model = task.fit(kept, "threshold")
        predicted = task.predict(model, left_out, kept)
        errors[start:stop] = task.judge.wrong(task.rows.labels(left_out), predicted)
        with task.timed("threshold"):
            leads[start:stop] = confidence(model, task.rows.take(left_out, kept))
    return plan(leads, errors, counted, target, task.delta)


def _passed(
    planned: Plan,
    sure: NDArray[np.float64],
    wrong: NDArray[np.bool_],
    target: float,
    delta: float,
) -> float:
    """The last threshold of the walk at which the target is shown to be kept."""
    found = walk(planned.thresholds, sure, wrong, target, delta)
    if found is not None:
        return found.threshold
    enough = planned.enough(len(sure), target, delta)
    more = f"{enough or 'no number of rows'} would make it likely"
    raise Refused(
        f"no threshold keeps an error of {100 * target:.3g} % for sure: {len(sure)} rows were "
        f"counted, and {first_rows(target, delta)} accepted ones without a single error are needed "
        f"to show it. Training rows promised a chance of {100 * planned.chance:.0f} %; {more}. Ask "
        "for a larger target_error, or bring more rows."
    )


def _leads(task: Task, position: int) -> NDArray[np.float64]:
    """Leads of training rows that a smaller model did not see."""
    tuned = position - max(1, round(TUNING_SHARE * position))
    if tuned < 1:
        raise Refused("mode='selective' needs more rows: none is left to choose the threshold on")
    first, last = task.first(tuned), task.first(position, tuned)
    smaller = task.fit(first, "threshold")
    with task.timed("threshold"):
        return confidence(smaller, task.rows.take(last, first))
