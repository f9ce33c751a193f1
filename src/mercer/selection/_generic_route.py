"""Any scikit-learn estimator or pipeline: one training per candidate and fold."""

from __future__ import annotations

import time
from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing
from sklearn.utils._tags import get_tags

from mercer.selection._outcome import LATE, PRUNED, Outcome, failed
from mercer.selection._task import SearchTask, last_step
from mercer.selection.space import Candidate


class GenericRoute:
    """Clone, set parameters, fit, score. Slow, and right for everything."""

    name = "one training per candidate and fold"

    def __init__(self, task: SearchTask, rows: Any = None) -> None:
        self.task = task
        self.X = task.X if rows is None else rows  # what bandwidths are measured on
        self.scorer = check_scoring(task.estimator, scoring=task.scoring)
        self.pairwise = bool(get_tags(task.estimator).input_tags.pairwise)

    def units(self, candidates: Sequence[Candidate]) -> list[list[Candidate]]:
        """Nothing is shared: every candidate by itself."""
        return [[candidate] for candidate in candidates]

    def evaluate(
        self, unit: Sequence[Candidate], bar: float, deadline: float | None
    ) -> list[Outcome]:
        """Cross-validate each candidate of the unit."""
        return [self._one(candidate, bar, deadline) for candidate in unit]

    def _one(self, candidate: Candidate, bar: float, deadline: float | None) -> Outcome:
        start = time.perf_counter()
        scores: list[float] = []
        bounded = self.task.scoring is None and self.task.classifier
        for train, test in self.task.folds:
            if deadline is not None and time.monotonic() > deadline:
                return Outcome(np.nan, LATE, seconds=time.perf_counter() - start)
            try:
                scores.append(self._fold(candidate, train, test))
            except Exception as error:  # the candidate's own: it is reported, the others go on
                return failed(error, time.perf_counter() - start)
            at_best = sum(1.0 - s for s in scores) / len(self.task.folds)
            if bounded and at_best > bar and len(scores) < len(self.task.folds):
                seconds = time.perf_counter() - start
                return Outcome(at_best, PRUNED, folds=tuple(scores), seconds=seconds)
        mean = float(np.mean(scores))
        return Outcome(
            value=1.0 - mean if bounded else -mean,
            score=mean,
            spread=float(np.std(scores)),
            folds=tuple(scores),
            seconds=time.perf_counter() - start,
        )

    def _fold(self, candidate: Candidate, train: Any, test: Any) -> float:
        task = self.task
        model = configured(task, candidate)
        fit_params = {}
        if task.weight is not None:
            fit_params[f"{task.prefix}sample_weight"] = task.weight[train]
        X_train, X_test = _safe_indexing(task.X, train), _safe_indexing(task.X, test)
        if self.pairwise:
            X_train, X_test = X_train[:, train], X_test[:, train]
        model.fit(X_train, task.y[train], **fit_params)
        extra = {}
        if task.weight is not None and task.scoring is None and _weighs(last_step(model)):
            extra["sample_weight"] = task.weight[test]
        return float(self.scorer(model, X_test, task.y[test], **extra))


def _weighs(model: Any) -> bool:
    """Whether its own score takes weights; one that does not counts every row once."""
    parameters = signature(model.score).parameters
    return "sample_weight" in parameters or any(
        p.kind == p.VAR_KEYWORD for p in parameters.values()
    )


def configured(task: SearchTask, candidate: Candidate) -> Any:
    """A clone of the estimator with the candidate's parameters."""
    known = task.estimator.get_params()
    changes = {}
    for name, value in candidate.named().items() if candidate.kernel else candidate.params.items():
        outer = name if name in known else f"{task.prefix}{name}"
        changes[outer] = clone(value, safe=False)
    return clone(task.estimator).set_params(**changes)
