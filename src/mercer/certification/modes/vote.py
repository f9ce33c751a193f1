"""Votes: several models on different rows of one half, weighed and certified on the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Evidence, NotApplicable, Pool, Vote, best_of
from mercer.bounds.numerics import kl_upper, log_maurer
from mercer.certification.answers.vote import WeightedVote
from mercer.certification.core import arguments
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import CLASSIFIERS, Mode, Option
from mercer.certification.modes.transfer import unlabeled

Floats = NDArray[np.float64]

START = 0.5
SHARE = 0.5  # of the first half that each member is trained on
DECLARED = ("vote-tandem", "vote-c-bound", "vote-first-order", "vote-c-bound-pool")


class VoteMode(Mode):
    """Members on random halves of the first half; weights and certificate from the second half."""

    name = "vote"
    title = "a weighted majority vote of several models"
    tasks = CLASSIFIERS
    why_not = (
        "its bounds are about majorities of labels, and regressions have none. Use mode='auto', "
        "'compress' or 'progressive'."
    )
    fits = 15
    options: ClassVar[Mapping[str, Option]] = {
        "members": Option(15, arguments.whole, "number of models")
    }

    def run(self, task: Task) -> Result:
        """The best of a declared set of bounds on votes."""
        start = task.order.cut(START)
        first, others = task.first(start), task.first(task.n, start)
        models, parts = _members(task, first)
        wrong = np.array(
            [task.scores(model, others, part) for model, part in zip(models, parts, strict=True)]
        )
        weights = _weights(wrong, task.delta)
        share = weights @ wrong
        record = Vote(
            len(others),
            gibbs=float(share.mean()),
            tandem=float(np.mean(share**2)),
            disagreement=_differ(
                [task.predict(m, others, part) for m, part in zip(models, parts, strict=True)],
                weights,
            ),
            kl=_kl(weights),
        )
        model = WeightedVote(models, weights, parts if task.rows.pairwise else None)
        evidence = task.evidence(
            model, len(first), own=False, vote=record, pool=_pool_pairs(task, model)
        )
        if by_class.wanted(task):
            evidence = _by_class(task, model, evidence, others, share, record)
            certificate = by_class.certificate(task, evidence, "by-class-vote")
        else:
            certificate = best_of(evidence, task.delta, DECLARED)
        task.notes.append(
            "These bounds hold for every weighing at once, and a vote can be wrong twice (or, in "
            "second order, four times) as often as its members suggest: expect mode='auto' to be "
            "tighter."
        )
        split = {"members": len(models), "trained_on": len(first), "weights": weights.tolist()}
        return Result(model, certificate, evidence, first, others, split)


def _by_class(
    task: Task, model: WeightedVote, evidence: Evidence, others: Index, share: Floats, record: Vote
) -> Evidence:
    """The tandem loss among the rows of every class; the weights are the same."""
    records: dict[str, tuple[int, dict[str, Any]]] = {}
    for label, mine in by_class.class_masks(model, task.rows.labels(others)).items():
        rows = int(mine.sum())
        if rows == 0:
            raise NotApplicable(f"no counted row of class {label!r}")
        gibbs, tandem = float(share[mine].mean()), float(np.mean(share[mine] ** 2))
        part = replace(record, rows=rows, gibbs=gibbs, tandem=tandem, disagreement=None)
        records[label] = rows, {"vote": part}
    return by_class.parts(evidence, records)


def _members(task: Task, first: Index) -> tuple[list[Any], list[Index]]:
    """Models on random parts of the first half; a part that lacks a class is drawn again."""
    rng = np.random.default_rng([task.order.seed or 0, 0x766F7465])
    size = max(1, round(SHARE * len(first)))
    needed = len(np.unique(task.rows.labels(first)))
    if needed < 2:
        raise Refused("mode='vote': the first half of the rows has only one class")
    models, parts = [], []
    for _ in range(50 * task.options["members"]):
        part = np.sort(rng.choice(first, size, replace=False))
        if len(np.unique(task.rows.labels(part))) == needed:
            models.append(task.fit(part))
            parts.append(part)
            if len(models) == task.options["members"]:
                return models, parts
    raise Refused("mode='vote' needs more rows: random quarters of them lack a class")


def _kl(weights: Floats) -> float:
    """Divergence from equal weights, which were declared in advance."""
    used = weights[weights > 0]
    return max(0.0, float(np.sum(used * np.log(used * len(weights)))))


def _weights(wrong: Floats, delta: float) -> Floats:
    """Weights that minimise the second-order bound, which holds for all of them at once."""
    count, m = wrong.shape
    pairs = wrong @ wrong.T / m
    price = log_maurer(m) - np.log(delta / len(DECLARED))

    def bound(weights: Floats) -> float:
        tandem = min(1.0, max(0.0, float(weights @ pairs @ weights)))
        return kl_upper(tandem, (2.0 * _kl(weights) + price) / m)

    best = equal = np.full(count, 1.0 / count)
    for strength in m * np.array([0.1, 0.3, 1.0, 3.0]):
        weights = equal
        for _ in range(50):  # a damped fixed point of weights ~ exp(−strength · tandem gradient)
            logits = -strength * (pairs @ weights)
            target = np.exp(logits - logits.max())
            weights = 0.5 * weights + 0.5 * target / target.sum()
        best = min((best, weights), key=bound)
    return best


def _differ(labels: Sequence[Any], weights: Floats) -> float:
    """Weighted share of pairs of members that give different labels."""
    table = np.array(labels)
    same = np.zeros(table.shape[1])
    for label in np.unique(table):
        same += (weights @ (table == label)) ** 2
    return float(np.mean(1.0 - same))


def _pool_pairs(task: Task, model: WeightedVote) -> Pool | None:
    """The members' disagreement on unlabelled rows, if there are any."""
    if task.options["pool"] is None:
        return None
    pool = unlabeled(task)
    with task.timed("counting"):
        views = [pool] * len(model.models)
        if model.columns is not None:
            views = [np.asarray(pool)[:, part] for part in model.columns]
        labels = [m.predict(view) for m, view in zip(model.models, views, strict=True)]
    return Pool(len(labels[0]), pairs=_differ(labels, np.asarray(model.weights)))
