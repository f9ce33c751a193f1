"""Counting by class: what the modes need for ``error="classes"`` and ``error="balanced"``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Certificate, Evidence, get
from mercer.certification.core.classes import with_missing_mass
from mercer.certification.core.task import Task
from mercer.certification.modes._pilot import SHARE
from mercer.learners.describe import classes_of

Masks = dict[str, NDArray[np.bool_]]


def wanted(task: Task) -> bool:
    """Whether the statement is about classes rather than about all rows."""
    return task.options.get("error", "overall") != "overall"


def class_masks(model: object, truth: NDArray[Any]) -> Masks:
    """Rows of each class: those the model knows, and any other label that turned up.

    Labels are looked at, never which of them were predicted right: given the labels, the rows of
    one class are independent draws from its law.
    """
    known = classes_of(model)
    labels = [] if known is None else known.tolist()
    labels += [label for label in np.unique(truth).tolist() if label not in labels]
    return {str(label): np.asarray(truth == label) for label in labels}


def parts(evidence: Evidence, records: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Evidence:
    """``evidence`` with one part per class; ``records`` holds the rows and records of each."""
    found = {
        label: Evidence(max(1, rows), learner=evidence.learner, n_classes=evidence.n_classes, **r)
        for label, (rows, r) in records.items()
    }
    return replace(evidence, classes=found)


def certificate(task: Task, evidence: Evidence, code: str, **params: Any) -> Certificate:
    """The certificate of a bound by class, for the error that was asked for."""
    facts = {"error": task.options["error"], **params}
    return name_missing(task, get(code)(**facts).evaluate(evidence, task.delta))


def name_missing(task: Task, certificate: Certificate) -> Certificate:
    """Say how many rows may have other classes: judged by the second half of all rows."""
    half = task.order.cut(0.5)
    known = task.rows.labels(task.first(half)).tolist()
    counted = task.rows.labels(task.first(task.n, half))
    return with_missing_mass(certificate, known, counted, task.delta)


def class_rates(task: Task, stop: int, labels: Iterable[str]) -> dict[str, float]:
    """Error rates by class inside the first ``stop`` rows, to tune constants with."""
    labels = list(labels)
    middle = round(SHARE * stop)
    seen: dict[str, tuple[int, float]] = {}
    if 0 < middle < stop:
        train, rest = task.first(middle), task.first(stop, middle)
        try:
            scores = task.scores(task.fit(train, "pilot"), rest, train)
        except ValueError as problem:  # a class that is missing in so few rows
            task.notes.append(f"The pilot fit failed ({problem}); error rates were assumed.")
        else:
            truth = task.rows.labels(rest)
            for label in np.unique(truth).tolist():
                mine = truth == label
                seen[str(label)] = int(mine.sum()), float(scores[mine].sum())
    return {k: (seen.get(k, (0, 0.0))[1] + 0.5) / (seen.get(k, (0, 0.0))[0] + 5.0) for k in labels}
