"""Selective: a model that may abstain, certified on the rows it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Evidence, HoldOut, NotApplicable, get
from mercer.certification.answers.selective import SelectiveClassifier
from mercer.certification.core import arguments
from mercer.certification.core.confidence import confidence
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import CLASSIFIERS, Mode, Option
from mercer.certification.modes._held_out import OBJECTIVE, chosen_cut

TUNING_SHARE = 1 / 6  # of the training part, for the threshold


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
        "objective": OBJECTIVE,
    }

    def run(self, task: Task) -> Result:
        """The error rate among accepted rows, and how many rows are accepted at least."""
        position, split = chosen_cut(task)
        train, test = task.first(position), task.first(task.n, position)
        threshold = _threshold(task, position)
        model = task.fit(train)
        predicted = task.predict(model, test, train)
        wrong = task.judge.wrong(task.rows.labels(test), predicted)
        with task.timed("counting"):
            accepted = confidence(model, task.rows.take(test, train)) >= threshold
        part = HoldOut(
            len(test),
            int(wrong.sum()),
            trained_on=len(train),
            accepted=int(accepted.sum()),
            accepted_errors=int((wrong & accepted).sum()),
        )
        evidence = task.evidence(model, len(train), holdout=part)
        try:
            if by_class.wanted(task):
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
    model: Any,
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


def _threshold(task: Task, position: int) -> float:
    """The lead that the wanted share of training rows, unseen by a smaller model, reaches."""
    tuned = position - max(1, round(TUNING_SHARE * position))
    if tuned < 1:
        raise Refused("mode='selective' needs more rows: none is left to choose the threshold on")
    first, last = task.first(tuned), task.first(position, tuned)
    smaller = task.fit(first, "threshold")
    with task.timed("threshold"):
        lead = confidence(smaller, task.rows.take(last, first))
    return float(np.quantile(lead, 1.0 - task.options["coverage"], method="lower"))
