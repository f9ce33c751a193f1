"""Pick-to-Learn: start from a model trained on one half, learn of the other half only its errors.

A pick is a row the current model gets wrong, the worst one first. When no error is left, the rows
that were never picked have tested the model, and few picks mean a small risk. Because every pick
may change the model, the tail is Chernoff's; a model that picks nothing keeps the exact binomial.
Which of the two is worth it is decided from the first half, before any counted row is seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.bounds import HalfStudy, Pick, get, train_fraction
from mercer.bounds.numerics import clopper_upper, preferent_upper, tune_multipliers
from mercer.certification._confidence import shortfall
from mercer.certification._holdout import count, half_study, too_few
from mercer.certification._pilot import pilot_rate
from mercer.certification._task import Index, Refused, Result, Task

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


def compress(task: Task) -> Result:
    """Pretrain, pick until no error is left (or not at all), certify by the number of errors."""
    task.only("random", mode="compress")
    if task.judge.task == "novelty" or not task.judge.counts:
        raise Refused(
            "mode='compress' needs rows that are right or wrong: a classifier, or a regression "
            "with tolerance=."
        )
    plan = _plan(task)
    first, others = task.first(plan.start), task.first(task.n, plan.start)
    if len(others) < 2:
        raise Refused("mode='compress' needs more rows: too few are left to pick from")
    return (
        _pick(task, plan, first, others) if plan.picks else _only_count(task, plan, first, others)
    )


def _pick(task: Task, plan: _Plan, first: Index, others: Index) -> Result:
    """Learn the errors of ``others`` one after the other."""
    sizes, weights = tune_multipliers(plan.rate, len(others), task.delta)
    batch = max(1, math.ceil(plan.rate * len(others) / ROUNDS))
    model, picked = _learn_errors(task, first, others, batch)
    run = Pick(len(others), len(picked), sizes, weights, trained_on=len(first))
    # the rows the model was trained on were selected, so its in-sample evidence is left out
    train = np.concatenate([first, others[picked]])
    evidence = task.evidence(model, len(train), own=False, pick=run)
    split = {**_told(plan, first), "picked": len(picked), "batch": batch}
    return _state(task, model, evidence, train, others, split)


def _only_count(task: Task, plan: _Plan, first: Index, others: Index) -> Result:
    """Learn nothing more: the list of errors is a plain count with the exact tail."""
    model = task.fit(first)
    judge = task.judge.for_model(model)
    part = count(task, model, judge, others, task.predict(model, others, first), plan.start)
    run = Pick(len(others), part.errors or 0, trained_on=len(first), learns=False)
    evidence = task.evidence(model, len(first), holdout=part, pick=run)
    return _state(task, model, evidence, first, others, {**_told(plan, first), "picked": 0})


def _told(plan: _Plan, first: Index) -> dict[str, Any]:
    return {"pretrained_on": len(first), "pilot_rate": plan.rate, "rule": plan.why}


def _state(
    task: Task, model: Any, evidence: Any, train: Index, others: Index, split: dict[str, Any]
) -> Result:
    certificate = get("compress")().evaluate(evidence, task.delta)
    judge = task.judge.for_model(model)
    if judge.task == "regression":
        what = f"rate of targets further than {judge.tolerance:.4g} away"
        certificate = replace(certificate, quantity=what)
    return Result(model, certificate, evidence, train, others, split)


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
    picking, usual = _predicted(study, start, task.n, task.delta)
    if picking <= WORTH * usual:
        return _Plan(start, rate, True, "picks: predicted to be below the 80/20 limit")
    fraction = train_fraction(study, task.n, task.delta, objective=task.options["objective"])
    why = "no picks: their tail was predicted to cost more than their accuracy is worth"
    return _Plan(task.order.cut(fraction), rate, False, why)


def _predicted(study: HalfStudy, start: int, n: int, delta: float) -> tuple[float, float]:
    """The value with about as many picks as errors, and the plain 80/20 limit."""
    rest, rate = n - start, min(0.9, study.risk_at(START))
    sizes, weights = tune_multipliers(rate, rest, delta)
    picks = round(rate * rest)
    usual, few = min(1.0, study.risk_at(0.8)), max(1, n - round(0.8 * n))
    below = min(few - 1, math.floor(usual * few))
    share = min(1.0, usual * few - below)
    limits = [clopper_upper(k, few, delta) for k in (below, below + 1)]
    return (
        preferent_upper(picks, rest, delta, sizes=sizes, weights=weights),
        (1.0 - share) * limits[0] + share * limits[1],
    )


def _learn_errors(
    task: Task, first: Index, others: Index, batch: int
) -> tuple[Any, NDArray[np.intp]]:
    """Returns the final model and the positions picked, in the order of picking."""
    picked = np.empty(0, dtype=np.intp)
    model = _Growing(task)
    while True:
        train = np.concatenate([first, others[picked]])
        fitted = model.fit(train)
        rest = np.setdiff1d(np.arange(len(others)), picked)
        worst = _worst(task, fitted, others[rest], train)[:batch]
        if worst.size == 0:
            return model.finish(), picked
        picked = np.concatenate([picked, rest[worst]])


def _worst(task: Task, model: Any, index: Index, train: Index) -> NDArray[np.intp]:
    """Positions of the wrong rows in ``index``, the worst first; ties by position."""
    if len(index) == 0:
        return np.empty(0, dtype=np.intp)
    judge, truth = task.judge.for_model(model), task.rows.labels(index)
    predicted = task.predict(model, index, train)
    wrong = np.flatnonzero(judge.wrong(truth, predicted))
    if wrong.size == 0:
        return wrong
    if judge.task == "regression":
        badness = np.abs(np.asarray(truth[wrong], float) - np.asarray(predicted[wrong], float))
    else:
        with task.timed("counting"):
            rows = task.rows.take(index[wrong], train)
            badness = shortfall(model, rows, truth[wrong], np.ones(len(wrong), dtype=bool))
    return wrong[np.argsort(-badness, kind="stable")]


class _Growing:
    """A model refitted while rows are added; Mercer's machines start from their last solution."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.model = clone(task.estimator)
        self.warm = hasattr(self.model, "_warmed") and not self.model.warm_start
        if self.warm:
            self.model.set_params(warm_start=True)

    def fit(self, index: Index) -> Any:
        if not self.warm:
            self.model = clone(self.task.estimator)
        with self.task.timed("training"):
            return self.task.rows.refit(self.model, index)

    def finish(self) -> Any:
        return self.model.set_params(warm_start=False) if self.warm else self.model
