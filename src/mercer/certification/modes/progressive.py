"""Progressive validation: every model is tested on the block it learns next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Progressive, get
from mercer.bounds.numerics import tune_c
from mercer.certification.answers.mixture import ProgressiveMixture
from mercer.certification.core import arguments
from mercer.certification.core.hashing import hash_key
from mercer.certification.core.repeats import Repeats, affordable, routing_words
from mercer.certification.core.task import Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._base import Mode, Option
from mercer.certification.modes._pilot import pilot_rate

START = 0.5


class ProgressiveMode(Mode):
    """Train on half, then test and learn block by block; certify the mixture of the models."""

    name = "progressive"
    title = "a mixture of models, each tested on the rows it learns next"
    fits = 21
    options: ClassVar[Mapping[str, Option]] = {
        "blocks": Option(20, arguments.whole, "number of models")
    }

    @classmethod
    def keeps_unseen(cls, split: Mapping[str, Any]) -> bool:
        """No model of the mixture has seen the last block."""
        return True

    def run(self, task: Task) -> Result:
        """The mean error of the models, each on its own block."""
        repeats = Repeats.among(task.rows.X)
        affordable(repeats, task.delta, self.name)
        start = task.order.cut(START)
        count = min(task.options["blocks"], task.n - start)
        rate = pilot_rate(task, start)
        c = tune_c(rate, task.n - start, task.delta)
        ends = start + (np.arange(1, count + 1) * (task.n - start)) // count
        starts = np.concatenate([[start], ends[:-1]])
        models, wrong, judge = [], [], task.judge
        if by_class.wanted(task):  # a row counts for one class only, so wrong rows are rarer
            labels = np.unique(task.rows.labels(task.first(start)))
            c = tune_c(rate / max(2, len(labels)), task.n - start, task.delta / max(2, len(labels)))
        for begin, end in zip(starts, ends, strict=True):
            train, block = task.first(int(begin)), task.first(int(end), int(begin))
            models.append(task.fit(train))
            # one tolerance for all models: that of the first, known before the first block
            judge = judge.for_model(models[0])
            predicted = task.predict(models[-1], block, train)
            wrong.append(judge.scores(task.rows.labels(block), predicted))
        scores = np.concatenate(wrong)
        total = float(scores.sum())
        mixture = ProgressiveMixture(
            models,
            [int(size) for size in ends - starts],
            hash_key(task.order.seed),
            [task.first(int(b)) for b in starts] if task.rows.pairwise else None,
        )
        rows, code = task.n - start, "progressive" if task.judge.counts else "progressive-loss"
        run = Progressive(rows, round(total), models=count, c=c, trained_on=start)
        if not task.judge.counts:
            mean = min(1.0, total / rows)
            run = Progressive(rows, models=count, c=c, trained_on=start, mean_loss=mean)
        if by_class.wanted(task):
            run = replace(run, classes=_table(task, mixture, start, scores))
        run = replace(
            run, inputs=repeats.rows, repeated=repeats.repeated, equal_pairs=repeats.equal_pairs
        )
        evidence = task.evidence(models[-1], start, own=False, progressive=run)
        if by_class.wanted(task):
            certificate = by_class.certificate(task, evidence, "progressive-classes")
            words = repeats.words(task.delta)  # within a class inputs may repeat more often
            certificate = replace(certificate, found=(*certificate.found, *words))
        else:
            certificate = judge.annotate(get(code)().evaluate(evidence, task.delta), scores)
        certificate = replace(
            certificate, assumptions=(*certificate.assumptions, routing_words(repeats))
        )
        split = {"start": start, "models": count, "c": c, "pilot_rate": rate, "errors": total}
        train = task.first(int(starts[-1]))
        return Result(mixture, certificate, evidence, train, task.first(task.n, start), split)


def _table(
    task: Task, mixture: ProgressiveMixture, start: int, wrong: NDArray[np.float64]
) -> dict[str, tuple[int, int]]:
    """Rows and errors of every class over all blocks."""
    masks = by_class.class_masks(mixture, task.rows.labels(task.first(task.n, start)))
    return {k: (int(mine.sum()), round(float(wrong[mine].sum()))) for k, mine in masks.items()}
