"""Shortlist: the best few candidates of a search meet the held-out rows, and all are paid for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.bounds import Choice, Evidence, HoldOut, charge_candidates, get
from mercer.bounds.numerics import clopper_upper
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes._base import CLASSIFIERS, Mode
from mercer.learners.describe import last_step

LENGTH = 5
START = 0.8


class ShortlistMode(Mode):
    """The best by the criterion on the training part, then the best of them on the rest."""

    name = "shortlist"
    title = "the best of the finalists of a search on the held-out rows"
    tasks = CLASSIFIERS
    why_not = "it compares finalists by the errors they make. Use mode='auto'."
    by_class = False
    needs = frozenset({"search"})
    fits = 5

    def run(self, task: Task) -> Result:
        """The exact binomial limit of the winner, δ divided over the finalists."""
        if isinstance(getattr(task.estimator, "estimator", None), list | tuple):
            raise Refused("mode='shortlist' compares candidates of one learner; use mode='auto'.")
        position = task.order.cut(START)
        train, test = task.first(position), task.first(task.n, position)
        search = task.fit(train)
        if not hasattr(search, "results_"):
            raise Refused(
                f"mode='shortlist' takes a search that keeps results_ of its candidates, such as "
                f"mercer.KernelSearch; {type(search).__name__} does not. Use mode='auto'."
            )
        places = _places(search)
        models = [_trained(task, search, place, train) for place in places]
        wrong = [int(task.scores(model, test, train).sum()) for model in models]
        share = task.delta / len(models)
        best = int(np.argmin([clopper_upper(k, len(test), share) for k in wrong]))
        search.best_estimator_, search.best_index_ = models[best], places[best]
        search.best_params_ = search.results_["params"][places[best]]
        tried = len(search.results_["params"])
        how = f"best of {len(models)} on the held-out rows, chosen from {tried}"
        evidence = Evidence(
            len(train),
            learner=f"this {type(last_step(models[best])).__name__}",
            n_classes=max(2, len(models[best].classes_)),
            holdout=HoldOut(len(test), errors=wrong[best], trained_on=len(train)),
            choices=(
                Choice("hyper-parameters", how, rows="fresh", candidates=len(models), paid=True),
                *task.uncovered,
            ),
        )
        certificate = get("holdout")().evaluate(evidence, share)
        certificate = charge_candidates(certificate, task.delta, share, len(models), how)
        split = {"fraction": position / task.n, "shortlist": len(models)}
        return Result(search, certificate, evidence, train, test, split)


def _places(search: Any) -> list[int]:
    """Rows of the table of results that hold the best finished candidates."""
    ranks = np.argsort(search.results_["rank_test_score"], kind="stable")
    return [int(i) for i in ranks if search.results_["status"][i] == "done"][:LENGTH]


def _trained(task: Task, search: Any, place: int, train: Index) -> Any:
    if place == search.best_index_:
        return search.best_estimator_
    model = clone(search.best_estimator_).set_params(**search.results_["params"][place])
    with task.timed("training"):
        return task.rows.refit(model, train)
