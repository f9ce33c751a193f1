"""Pick-to-Learn: start from a model trained on one half, learn of the other half only its errors.

A pick is a row the current model gets wrong, the worst one first. When no error is left, the rows
that were never picked have tested the model, and few picks mean a small risk. Because every pick
may change the model, the tail is Chernoff's; a model that picks nothing keeps the exact binomial.
Which of the two is worth it is decided from the first half, before any counted row is seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.bounds import (
    Certificate,
    Choice,
    Evidence,
    HalfStudy,
    NotApplicable,
    Pick,
    get,
    train_fraction,
)
from mercer.bounds.numerics import clopper_upper, preferent_upper, tune_multipliers
from mercer.certification.core.confidence import shortfall
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import Mode, Option
from mercer.certification.modes._held_out import OBJECTIVE, count, half_study, state, too_few
from mercer.certification.modes._pilot import pilot_rate
from mercer.learners.describe import note_choice
from mercer.learners.protocols import Quadratic

Floats = NDArray[np.float64]

START = 0.5
WORTH = 0.9  # pick only if predicted to be so much below the plain 80/20 limit
ROUNDS = 60  # refits to aim at; more picks than that are made several at a time


@dataclass(frozen=True)
class _Plan:
    """What was decided from the first half: where to start, and whether errors are learned."""

    start: int
    rate: float
    picks: bool
    why: str


class CompressMode(Mode):
    """Pretrain, pick until no error is left (or not at all), certify by the number of errors."""

    name = "compress"
    title = "the model trained on one half and on every later row it got wrong"
    fits = 5
    options: ClassVar[Mapping[str, Option]] = {"objective": OBJECTIVE}

    @classmethod
    def keeps_unseen(cls, split: Mapping[str, Any]) -> bool:
        """Where errors were picked, the rows that are left are those it got right."""
        return split.get("picked") == 0

    def run(self, task: Task) -> Result:
        """Picks where the first half says that they pay, else the hold-out."""
        plan = _plan(task)
        first, others = task.first(plan.start), task.first(task.n, plan.start)
        if len(others) < 2:
            raise Refused("mode='compress' needs more rows: too few are left to pick from")
        judge = _pick if plan.picks else _only_count
        return judge(task, plan, first, others)


def _pick(task: Task, plan: _Plan, first: Index, others: Index) -> Result:
    """Learn the errors of ``others`` one after the other."""
    batch = max(1, math.ceil(plan.rate * len(others) / ROUNDS))
    # drawn before any of these rows is looked at; a row is wrong if its loss is above its threshold
    limits = np.zeros(len(others))
    if not task.judge.counts:
        seed = [task.order.seed or 0, 0x7069636B]
        limits = np.random.default_rng(seed).uniform(size=len(others))
    model, picked = _learn_errors(task, first, others, limits, batch)
    note_choice(model, Choice("training rows", "those that were wrong were learned"))
    train = np.concatenate([first, others[picked]])
    split = {**_told(plan, first), "picked": len(picked), "batch": batch}
    # the rows the model was trained on were selected, so its in-sample evidence is left out
    evidence = task.evidence(model, len(train), own=False)
    run = _run(len(others), len(picked), plan.rate, task.delta, len(first))
    evidence = replace(evidence, pick=replace(run, thresholds=not task.judge.counts))
    if by_class.wanted(task):
        return _pick_by_class(task, model, evidence, (first, others, picked), train, split)
    code = "compress" if task.judge.counts else "compress-loss"
    certificate = _annotated(task, model, get(code)().evaluate(evidence, task.delta))
    return Result(model, certificate, evidence, train, others, split)


def _run(rows: int, kept: int, rate: float, delta: float, start: int) -> Pick:
    """The record of picks, with multipliers tuned to a rate that was guessed in advance."""
    sizes, weights = tune_multipliers(rate, rows, delta)
    return Pick(rows, kept, sizes, weights, trained_on=start)


def _pick_by_class(
    task: Task,
    model: object,
    evidence: Evidence,
    rows: tuple[Index, Index, Index],
    train: Index,
    split: dict[str, Any],
) -> Result:
    """Given the labels, the picks of one class are a run of their own."""
    first, others, picked = rows
    masks = by_class.class_masks(model, task.rows.labels(others))
    rates = by_class.class_rates(task, len(first), masks)
    chosen = np.zeros(len(others), dtype=bool)
    chosen[picked] = True
    records: dict[str, tuple[int, dict[str, Any]]] = {}
    for label, mine in masks.items():
        if not mine.any():
            raise NotApplicable(f"no counted row of class {label!r}")
        count, kept = int(mine.sum()), int((mine & chosen).sum())
        run = _run(count, kept, rates[label], task.delta / len(masks), len(first))
        records[label] = count, {"pick": run}
    evidence = by_class.parts(evidence, records)
    certificate = by_class.certificate(task, evidence, "by-class", base="compress")
    return Result(model, certificate, evidence, train, others, split)


def _only_count(task: Task, plan: _Plan, first: Index, others: Index) -> Result:
    """Learn nothing more: the list of errors is a plain count with the exact tail."""
    model = task.fit(first)
    judge = task.judge.for_model(model)
    part = count(task, model, judge, others, task.predict(model, others, first), plan.start)
    split = {**_told(plan, first), "picked": 0}
    if by_class.wanted(task) or not judge.counts:  # then it is an ordinary hold-out
        evidence = task.evidence(model, len(first), holdout=part)
        return Result(model, state(task, judge, evidence), evidence, first, others, split)
    run = Pick(len(others), part.errors or 0, trained_on=len(first), learns=False)
    evidence = task.evidence(model, len(first), holdout=part, pick=run)
    certificate = _annotated(task, model, get("compress")().evaluate(evidence, task.delta))
    return Result(model, certificate, evidence, first, others, split)


def _told(plan: _Plan, first: Index) -> dict[str, Any]:
    return {"pretrained_on": len(first), "pilot_rate": plan.rate, "rule": plan.why}


def _annotated(task: Task, model: object, certificate: Certificate) -> Certificate:
    judge = task.judge.for_model(model)
    if judge.task == "regression" and judge.counts:
        what = f"rate of targets further than {judge.tolerance:.4g} away"
        return replace(certificate, quantity=what)
    return judge.annotate(certificate)


def _plan(task: Task) -> _Plan:
    """Every look at labels is inside the first half, which is always trained on."""
    start = task.order.cut(START)
    if too_few(task):
        return _Plan(start, pilot_rate(task, start), True, "picks: too few rows for a study")
    try:
        study = half_study(task)
    except ValueError as problem:  # a class missing in 20 % of the rows, too few rows for a search
        task.notes.append(f"The small fits behind the plan failed ({problem}).")
        return _Plan(start, pilot_rate(task, start), True, "picks: the small fits failed")
    rate = min(0.9, study.risk_at(START))
    picking, usual = _predicted(study, start, task)
    if picking <= WORTH * usual:
        return _Plan(start, rate, True, "picks: predicted to be below the 80/20 limit")
    fraction = train_fraction(study, task.n, task.delta, objective=task.options["objective"])
    why = "no picks: their tail was predicted to cost more than their accuracy is worth"
    return _Plan(task.order.cut(fraction), rate, False, why)


def _predicted(study: HalfStudy, start: int, task: Task) -> tuple[float, float]:
    """The value with about as many picks as errors, and the plain 80/20 limit."""
    n, delta = task.n, task.delta
    rest, rate = n - start, min(0.9, study.risk_at(START))
    sizes, weights = tune_multipliers(rate, rest, delta)
    picking = preferent_upper(round(rate * rest), rest, delta, sizes=sizes, weights=weights)
    usual, few = min(1.0, study.risk_at(0.8)), max(1, n - round(0.8 * n))
    if study.spread is not None:  # losses between 0 and 1: their variance is what counts
        price = math.log(1.0 / delta) / few
        return picking, usual + math.sqrt(2.0 * study.spread * price) + price / 3.0
    below = min(few - 1, math.floor(usual * few))
    share = min(1.0, usual * few - below)
    limits = [clopper_upper(k, few, delta) for k in (below, below + 1)]
    return picking, (1.0 - share) * limits[0] + share * limits[1]


def _learn_errors(
    task: Task, first: Index, others: Index, limits: Floats, batch: int
) -> tuple[Any, NDArray[np.intp]]:
    """Returns the final model and the positions picked, in the order of picking."""
    picked = np.empty(0, dtype=np.intp)
    model = _Growing(task)
    while True:
        train = np.concatenate([first, others[picked]])
        fitted = model.fit(train)
        rest = np.setdiff1d(np.arange(len(others)), picked)
        worst = _worst(task, fitted, others[rest], train, limits[rest])[:batch]
        if worst.size == 0:
            return model.finish(), picked
        picked = np.concatenate([picked, rest[worst]])


def _worst(
    task: Task, model: object, index: Index, train: Index, limits: Floats
) -> NDArray[np.intp]:
    """Positions of the wrong rows in ``index``, the worst first; ties by position."""
    if len(index) == 0:
        return np.empty(0, dtype=np.intp)
    judge, truth = task.judge.for_model(model), task.rows.labels(index)
    predicted = task.predict(model, index, train)
    scores = judge.scores(truth, predicted)
    wrong = np.flatnonzero(scores > limits)
    if wrong.size == 0:
        return wrong
    if not judge.counts:
        badness = (scores - limits)[wrong]
    elif judge.task == "regression":
        badness = np.abs(np.asarray(truth[wrong], float) - np.asarray(predicted[wrong], float))
    else:
        with task.timed("counting"):
            rows = task.rows.take(index[wrong], train)
            badness = _badness(judge.task, model, rows, truth[wrong])
    return wrong[np.argsort(-badness, kind="stable")]


def _badness(task: str, model: Any, rows: Any, truth: NDArray[Any]) -> Floats:
    if task == "novelty":
        return -np.asarray(model.decision_function(rows), dtype=np.float64).ravel()
    return shortfall(model, rows, truth, np.ones(len(truth), dtype=bool))


class _Growing:
    """A model refitted while rows are added; Mercer's machines start from their last solution."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.model = clone(task.estimator)
        cold = self.model.get_params(deep=False).get("warm_start") is False
        self.warm = cold and isinstance(self.model, Quadratic)
        if self.warm:
            self.model.set_params(warm_start=True)

    def fit(self, index: Index) -> Any:
        if not self.warm:
            self.model = clone(self.task.estimator)
        with self.task.timed("training"):
            return self.task.rows.refit(self.model, index)

    def finish(self) -> Any:
        return self.model.set_params(warm_start=False) if self.warm else self.model
