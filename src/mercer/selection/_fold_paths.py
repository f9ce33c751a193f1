"""A path of costs through the folds of a cross-validation."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mercer.gram import Gram
from mercer.selection._losses import HeldOut, fold_score
from mercer.selection._outcome import LATE, PRUNED, SKIPPED, Outcome
from mercer.selection._paths import Job
from mercer.selection.criteria.smooth_kfold import SmoothKFold, soft_errors

STAGES = (2, 5, 10)  # folds after which candidates that cannot win any more are dropped
CHEAP_COST = 10.0  # up to here every cost is tried; beyond, each decade takes ten times as long
REACH = 4.0


def straight(
    route: Any, models: Sequence[Any], gram: Gram, bar: float, deadline: float | None
) -> list[Outcome]:
    """All costs."""
    return Folds(route, models, gram, bar, deadline).run()


def climb(
    route: Any, models: Sequence[Any], gram: Gram, bar: float, deadline: float | None
) -> list[Outcome]:
    """Cheap costs first, dear ones one by one while there is hope that they help.

    There is none if a cost did worse than a smaller one by more than the standard error of their
    difference over the folds, or if four times what the last step gained would not reach the best
    value known. On the draws on which the default was chosen, leaving these out changed the choice
    in one of a hundred (benchmarks/model_selection).
    """
    cheap = max(1, sum(float(model.C) <= CHEAP_COST for model in models))
    part = Folds(route, models[:cheap], gram, bar, deadline)
    found, losses = part.run(), part.losses
    for k in range(cheap, len(models)):
        bar = min([bar, *(o.value for o in found if o.usable)])
        if _worsens(losses) or _cannot_reach(found, bar):
            return [*found, *(Outcome(math.nan, SKIPPED) for _ in models[k:])]
        part = Folds(route, [models[k]], gram, bar, deadline, below=models[k - 1 : k])
        found += part.run()
        losses += part.losses
    return found


def _worsens(losses: Sequence[Sequence[float]]) -> bool:
    """Whether the last cost did worse than one before, on the folds that both have."""
    for before in losses[:-1]:
        folds = min(len(before), len(losses[-1]))
        if folds < 2:
            continue
        gap = np.subtract(losses[-1][:folds], before[:folds])
        if gap.mean() > gap.std(ddof=1) / math.sqrt(folds):
            return True
    return False


def _cannot_reach(found: Sequence[Outcome], bar: float) -> bool:
    if len(found) < 2 or not (found[-1].usable and found[-2].usable):
        return False
    gain = max(found[-2].value - found[-1].value, 0.0)
    return found[-1].value - REACH * gain > bar


class Folds:
    """A path of candidates through the folds; what cannot win any more is left behind.

    The rule is sound where no fold can lower the sum: errors, smoothed or not, and the share of
    the variance that a regression leaves. A candidate whose sum so far exceeds the best total
    found cannot end below it. Other scorers see every fold.
    """

    def __init__(
        self,
        route: Any,
        models: Sequence[Any],
        gram: Gram,
        bar: float,
        deadline: float | None,
        below: Sequence[Any] = (),
    ) -> None:
        self.route = route
        self.task = route.task
        self.models = models
        self.below = list(below)  # smaller costs, trained to start from and not scored
        self.gram = gram
        self.bar = bar
        self.deadline = deadline
        self.counts = self.task.scoring is None and self.task.classifier
        self.smooth = self.task.criterion.code == SmoothKFold.code
        self.adds = self.task.scoring is None  # losses of a fold are not negative
        self.scores: list[list[float]] = [[] for _ in models]  # greater is better
        self.losses: list[list[float]] = [[] for _ in models]  # smaller is better
        self.depths: list[list[float]] = [[] for _ in models]

    def run(self) -> list[Outcome]:
        folds = self.task.folds
        cuts = [0, *(c for c in STAGES if self.adds and c < len(folds)), len(folds)]
        alive = list(range(len(self.models)))
        for part in (folds[a:b] for a, b in itertools.pairwise(cuts)):
            alive = [i for i in alive if self._at_best(i) <= self.bar]
            if not alive:
                break
            late = self.deadline is not None and time.monotonic() > self.deadline
            if late:
                break
            self._train(alive, part)
        return [self._outcome(i) for i in range(len(self.models))]

    def _at_best(self, i: int) -> float:
        if not self.adds or not self.losses[i]:
            return -np.inf
        return self._shifted(sum(self.losses[i]) / len(self.task.folds))

    def _shifted(self, loss: float) -> float:
        """A mean loss as a value: shares of errors as they are, R² with its sign changed."""
        return loss if self.counts else loss - 1.0

    def _train(self, alive: Sequence[int], folds: Sequence[Any]) -> None:
        route = self.route
        models = [*self.below, *(self.models[i] for i in alive)]
        jobs: list[Job] = []
        spans = []
        for train, test in folds:
            own, tasks = route.jobs(models, train, test)
            spans.append((len(jobs), tasks.parts, test, tasks.classes))
            jobs += own
        solutions = route.solve(self.gram, jobs, models, self.deadline)
        for at, tasks, test, classes in spans:
            for step, i in enumerate(alive, len(self.below)):
                found = [solutions[at + k][step] for k in range(len(tasks))]
                if any(solution.stopped == "time_limit" for solution in found):
                    continue  # what was trained in part says little: the candidate comes late
                columns = []
                for k, (_, target, weight) in enumerate(tasks):
                    problem = jobs[at + k].make(step)
                    machine = route.read(models[step], problem, found[k], target, weight)
                    columns.append(found[k].decision[test] / machine.scale + machine.intercept)
                score = self._score(models[step], columns, test, classes)
                self.scores[i].append(score)
                if self.smooth:
                    signs = np.where(route.y[test] == classes[1], 1.0, -1.0)
                    score = 1.0 - soft_errors(signs, columns[0], route.weight[test], route.n)
                self.losses[i].append(1.0 - score)
                self.depths[i].append(_depth(columns, route.y[test], classes))

    def _score(self, model: Any, columns: list[Any], test: Any, classes: Any) -> float:
        values = np.column_stack(columns)
        y, weight = self.route.y[test], self.route.weight[test]
        if classes is None:
            held = HeldOut(values[:, 0], values[:, 0], None)
        else:
            predicted = classes[model._winners(values, len(classes), model.multi_class)]
            decision = values[:, 0] if len(classes) == 2 else values
            held = HeldOut(predicted, decision, classes)
        X = None if self.task.scoring is None else _safe_indexing(self.task.X, test)
        return fold_score(self.task.scoring, held, X, y, weight)

    def _outcome(self, i: int) -> Outcome:
        scores = self.scores[i]
        if len(scores) < len(self.task.folds):
            if scores and self._at_best(i) > self.bar:
                return Outcome(self._at_best(i), PRUNED, folds=tuple(scores))
            return Outcome(np.nan, LATE, folds=tuple(scores))
        mean = float(np.mean(scores))
        return Outcome(
            self._shifted(float(np.mean(self.losses[i]))) if self.adds else -mean,
            score=mean,
            spread=float(np.std(scores)),
            folds=tuple(scores),
            tie=float(np.mean(self.depths[i])) if self.counts and not self.smooth else 0.0,
        )


def _depth(columns: Sequence[NDArray[Any]], y: NDArray[Any], classes: Any) -> float:
    """How far the outputs of two classes lie on the wrong side of their margin, 0 to 1."""
    if classes is None or len(classes) != 2:
        return 0.0
    margin = np.where(y == classes[1], 1.0, -1.0) * columns[0]
    return float(np.mean(np.clip(0.5 - 0.5 * margin, 0.0, 1.0)))
