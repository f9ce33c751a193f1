"""Counting on rows that were held out, and how many of them to hold out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import (
    Certificate,
    Evidence,
    HalfStudy,
    HoldOut,
    train_fraction,
)
from mercer.certification.checks.finding import CertificateWarning
from mercer.certification.core import arguments
from mercer.certification.core.loss import Loss
from mercer.certification.core.order import LATER, one_of_each
from mercer.certification.core.task import Index, Result, Task
from mercer.certification.fresh import (
    ERRORS,
    GROUPS,
    NEARNESS,
    bound_for,
    class_table,
    group_means,
)
from mercer.certification.guarantees.any_metric import judged, metric_certificate
from mercer.certification.guarantees.metrics import Unseen
from mercer.certification.guarantees.sets import calibrate
from mercer.certification.guarantees.spread import spread_meant
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import Option
from mercer.learners.describe import name_of

OBJECTIVE = Option(
    "accurate",
    lambda value, name: arguments.one_of(value, name, ("accurate", "tight")),
    "'accurate' trains on at least 60 % of the rows, 'tight' on at least 50 %",
)
FEW_ROWS, FEW_OF_A_CLASS = 40, 8
FALLBACK = 0.6


def chosen_cut(task: Task) -> tuple[int, dict[str, Any]]:
    """How many leading rows to train on, and why. Looks at the first half only."""
    study, position, split = studied(task)
    if study is None:
        return position, split
    fraction = train_fraction(study, task.n, task.delta, objective=task.options["objective"])
    split = {"rule": "two small fits inside the first half", "fraction": fraction, **vars(study)}
    return task.order.cut(fraction), split


def studied(
    task: Task, inputs: Callable[[NDArray[np.intp]], Any] | None = None
) -> tuple[HalfStudy | None, int, dict[str, Any]]:
    """The study of the first half, or where to cut without one, and why."""
    if too_few(task):
        half = task.order.cut(0.5)
        warnings.warn(
            f"With {task.n} rows (or so few of a class) the certificate is dominated by "
            f"ln(1/delta)/m: half of the rows are held out and the number will be large.",
            CertificateWarning,
            stacklevel=5,
        )
        task.notes.append("Too few rows to choose a split: half of them were held out.")
        return None, half, {"rule": "half, because there are few rows", "fraction": half / task.n}
    try:
        return half_study(task, inputs), 0, {}
    except ValueError as problem:  # a class missing in 20 % of the rows, too few rows for a search
        task.notes.append(f"The small fits behind the split rule failed ({problem}).")
        why = {"rule": "60 %, because the small fits failed", "fraction": FALLBACK}
        return None, task.order.cut(FALLBACK), why


def half_study(task: Task, inputs: Callable[[NDArray[np.intp]], Any] | None = None) -> HalfStudy:
    """Fit on 20 % and on 40 % of the rows, count on what follows up to 50 %.

    ``inputs(trained)`` gives further, unlabelled inputs on which the two models are compared.
    """
    at_20, at_40, half = (task.order.cut(f) for f in (0.2, 0.4, 0.5))
    if not 0 < at_20 < at_40 < half:
        raise ValueError("too few groups or moments for the split rule")
    small, large = task.first(at_20), task.first(at_40)
    middle, last = task.first(half, at_20), task.first(half, at_40)
    first, second = (task.fit_trial(rows, "split rule") for rows in (small, large))
    before, after = task.predict(first, middle, small), task.predict(second, last, large)
    early, late = (
        task.judge.for_model(model).scores(task.rows.labels(rows), predicted)
        for model, rows, predicted in ((first, middle, before), (second, last, after))
    )
    moved = before[at_40 - at_20 :] != after
    if inputs is not None:
        with task.timed("split rule"):
            labels = [
                np.asarray(m.predict(inputs(t))) for m, t in ((first, small), (second, large))
            ]
        moved = np.concatenate([moved, labels[0] != labels[1]])
    return HalfStudy(
        early=round(float(early.sum())),
        early_rows=len(early),
        early_late=round(float(early[at_40 - at_20 :].sum())),
        late=round(float(late.sum())),
        late_rows=len(late),
        moved=int(np.count_nonzero(moved)),
        moved_rows=len(moved),
        spread=None if task.judge.counts else float(np.var(late)),
    )


def too_few(task: Task) -> bool:
    """Whether a study inside the first half would tell nothing."""
    if task.n < FEW_ROWS:
        return True
    if task.judge.task != "classification":
        return False
    # the first half only: a look at later labels would make the split depend on what is counted
    labels = task.rows.labels(task.first(task.order.cut(0.5)))
    _, counts = np.unique(labels, return_counts=True)
    return len(counts) < 2 or int(counts.min()) < FEW_OF_A_CLASS


def count_on_the_rest(task: Task, position: int, split: dict[str, Any]) -> Result:
    """Train on the rows before ``position``, count on those after it."""
    train, test = task.first(position), task.first(task.n, position)
    model = task.fit(train)
    predicted = task.predict(model, test, train)
    judge = task.judge.for_model(model)
    part = count(task, model, judge, test, predicted, position)
    evidence = task.evidence(model, len(train), holdout=part)
    seen = judged(model, task.rows.take(test, train), task.rows.labels(test), predicted)
    certificate = state(task, judge, evidence, seen)
    split = {"fraction": position / task.n} | split
    scores = _calibration(task, model, train, test, seen)
    return Result(model, certificate, evidence, train, test, split, calibration=scores)


def _calibration(task: Task, model: object, train: Index, test: Index, seen: Unseen) -> Any:
    """What sets and intervals are made from: one number for every unit that was held out."""
    spread = None
    if task.judge.task == "regression":
        with task.timed("spread"):
            asked = task.options.get("spread", "auto")
            spread = spread_meant(asked, model, task.estimator, task.rows, train)
    facts = {"delta": float(task.delta), "learner": name_of(model)}
    with task.timed("counting"):
        found = calibrate(task.judge.task, model, seen.X, seen.truth, spread, **facts)
    if found is None:
        return None
    found = replace(found, by=None if task.by is None else task.by[test])
    if task.order.kind == "time":
        return replace(found, assumed=LATER)
    if task.order.kind == "random":
        return found
    some = one_of_each(task.order.unit_of(len(train)))
    parts = {"label": found.label, "by": found.by, "outputs": found.outputs}
    some_of: dict[str, Any] = {
        name: None if part is None else part[some] for name, part in parts.items()
    }
    return replace(found, scores=found.scores[some], unit="group", **some_of)


def state(task: Task, judge: Loss, evidence: Evidence, seen: Unseen | None = None) -> Certificate:
    """The certificate of a hold-out record, with what the order of the rows adds to it."""
    part, metric = evidence.need("holdout"), task.options.get("metric")
    if metric is not None and seen is not None:
        grouped = task.order.kind == "groups"
        unit = task.order.unit_of(task.n - seen.n) if grouped else None
        return add_order(task, metric_certificate(metric, seen, task.delta, unit))
    if judge.within is not None:
        code = NEARNESS
    elif part.unit == "group":
        code = GROUPS[judge.counts]
    elif part.errors is None:
        code = "holdout-loss"
    else:
        code = ERRORS[task.options.get("error", "overall")]
    certificate = judge.annotate(
        bound_for(code, judge, part, task.delta).evaluate(evidence, task.delta)
    )
    if part.classes and by_class.wanted(task):
        certificate = by_class.name_missing(task, certificate)
    return add_order(task, certificate)


def add_order(task: Task, certificate: Certificate) -> Certificate:
    """Under an order in time, independence of the later rows becomes an assumption to name."""
    if task.order.kind != "time":
        return certificate
    return replace(certificate, assumptions=(*certificate.assumptions, *LATER))


def count(
    task: Task,
    model: object,
    judge: Loss,
    test: NDArray[np.intp],
    predicted: NDArray[Any],
    trained: int,
) -> HoldOut:
    """Errors, losses, or mean losses of whole groups, on rows the model did not see."""
    truth = task.rows.labels(test)
    if task.order.kind == "groups":
        unit = task.order.unit_of(trained)
        return group_means(judge, truth, predicted, unit, trained_on=trained)
    more: dict[str, Any] = {"trained_on": trained}
    if judge.task == "classification":
        more["classes"] = class_table(model, truth, judge.wrong(truth, predicted))
    return judge.holdout(truth, predicted, **more)
