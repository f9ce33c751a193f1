"""Pick-to-Learn: start from a model trained on one part, learn of the other part only its errors.

A pick is a row the current model gets wrong, the worst one first. When no error is left, the rows
that were never picked have tested the model, and few picks mean a small risk.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.bounds import Pick, get
from mercer.bounds.numerics import tune_multipliers
from mercer.certification._confidence import shortfall
from mercer.certification._pilot import pilot_rate
from mercer.certification._task import Index, Refused, Result, Task

START = 0.4
NOISY = ((0.2, 0.6), (0.1, 0.5))  # above this pilot error rate, pretrain on this share
ROUNDS = 60  # refits to aim at; more picks than that are made several at a time


def compress(task: Task) -> Result:
    """Pretrain, pick until no error is left, certify by the number of picks."""
    task.only("random", mode="compress")
    if task.judge.task == "novelty" or not task.judge.counts:
        raise Refused(
            "mode='compress' needs rows that are right or wrong: a classifier, or a regression "
            "with tolerance=."
        )
    start, rate = _pretraining(task)
    first, others = task.first(start), task.first(task.n, start)
    if len(others) < 2:
        raise Refused("mode='compress' needs more rows: too few are left to pick from")
    sizes, weights = tune_multipliers(rate, len(others), task.delta)
    batch = max(1, math.ceil(rate * len(others) / ROUNDS))
    model, picked = _learn_errors(task, first, others, batch)
    run = Pick(len(others), len(picked), sizes, weights, trained_on=len(first))
    # the rows the model was trained on were selected, so its in-sample evidence is left out
    train = np.concatenate([first, others[picked]])
    evidence = task.evidence(model, len(train), own=False, pick=run)
    certificate = get("compress")().evaluate(evidence, task.delta)
    judge = task.judge.for_model(model)
    if judge.task == "regression":
        what = f"rate of targets further than {judge.tolerance:.4g} away"
        certificate = replace(certificate, quantity=what)
    split = {"pretrained_on": len(first), "picked": len(picked), "pilot_rate": rate, "batch": batch}
    return Result(model, certificate, evidence, train, others, split)


def _pretraining(task: Task) -> tuple[int, float]:
    """How many rows to pretrain on. Every look at labels is inside those rows."""
    start = task.order.cut(START)
    rate = pilot_rate(task, start)
    for above, share in NOISY:
        if rate > above:
            return task.order.cut(share), rate
    return start, rate


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
