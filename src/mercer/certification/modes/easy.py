"""Easy: held-out rows drawn among those that look easy, the exact ratio paid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import EasyHoldOuts, get
from mercer.bounds.numerics.easy import easy_upper, log_ratio
from mercer.certification.answers.mixture import ProgressiveMixture
from mercer.certification.core import arguments
from mercer.certification.core.hashing import hash_key
from mercer.certification.core.repeats import Repeats, affordable, routing_words
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes._base import Mode, Option
from mercer.certification.modes._easy_rows import DrawnModels, draw_models, rows_to_hold_out

FEWEST = 30  # below, ln(1/δ)/m alone is most of one
TICKS = 2**32  # shares of the models in whole numbers; what rounding costs is paid


class EasyMode(Mode):
    """Every hard row is trained on by every model; what is held out was chosen to be easy."""

    name = "easy"
    title = "a mixture of models (models=1: one) that all learned every hard row"
    by_class = False  # how many rows of a class are held out is no function of n alone
    fits = 24
    options: ClassVar[Mapping[str, Option]] = {
        "models": Option(12, arguments.whole, "number of models; 1 gives a single one")
    }

    def check(self, task: Task) -> None:
        """Refuse what the theorem or common sense speaks against, before anything is fitted."""
        super().check(task)
        if task.n < FEWEST:
            raise Refused(
                f"mode='easy' needs {FEWEST} rows, there are {task.n}: it would hold out a few of "
                "them and say nothing. Use mode='auto'."
            )

    def run(self, task: Task) -> Result:
        """The limit of the mean risk, weighted as the theorem asks."""
        count = task.options["models"]
        repeats = Repeats.among(task.rows.X)
        if count > 1:
            affordable(repeats, task.delta, self.name)
        drawn = draw_models(task, count, rows_to_hold_out(task.n, task.delta, count))
        record = _record(task, drawn, repeats)
        model = drawn.models[0] if count == 1 else _mixture(task, drawn, record)
        trained = task.n - record.rows
        evidence = task.evidence(drawn.models[0], trained, own=False, easy_holdouts=record)
        code = (
            f"easy-{'holdout' if count == 1 else 'mixture'}{'' if task.judge.counts else '-loss'}"
        )
        scores = np.concatenate(drawn.scores)
        certificate = drawn.judge.annotate(get(code)().evaluate(evidence, task.delta), scores)
        if count > 1:
            words = routing_words(repeats)
            certificate = replace(certificate, assumptions=(*certificate.assumptions, words))
        split = {"models": count, "held_out": record.rows, "easy": record.easy,
                 "sums": list(record.sums)}  # fmt: skip
        held = np.unique(np.concatenate(drawn.held))
        everyone = np.sort(task.order.rows)
        train = np.setdiff1d(everyone, held) if count == 1 else everyone
        return Result(model, certificate, evidence, train, held, split)


def _record(task: Task, drawn: DrawnModels, repeats: Repeats) -> EasyHoldOuts:
    """What was drawn and counted, with the shares that the theorem proves something about."""
    rows, sums = len(drawn.held[0]), [float(scores.sum()) for scores in drawn.scores]
    if task.judge.counts:
        sums = [round(s) for s in sums]
    bets = drawn.bets
    ratios = [log_ratio(task.n, drawn.easy, rows)] * len(sums)
    _, shares = easy_upper(ratios, sums, rows, task.delta, bets=bets)
    return EasyHoldOuts(
        rows,
        total=task.n,
        easy=drawn.easy,
        sums=tuple(sums),
        shares=tuple(_whole(shares)),
        bets=tuple(bets),
        losses=not task.judge.counts,
        inputs=repeats.rows,
        repeated=repeats.repeated if len(sums) > 1 else 0,
        equal_pairs=repeats.equal_pairs if len(sums) > 1 else 0,
        seed=task.order.seed,
    )


def _whole(shares: NDArray[np.float64]) -> list[int]:
    """Shares in ticks; the largest takes what rounding leaves over."""
    if len(shares) == 1:
        return [1]
    ticks = [math.floor(share * TICKS) for share in shares]
    ticks[int(np.argmax(shares))] += TICKS - sum(ticks)
    return ticks


def _mixture(task: Task, drawn: DrawnModels, record: EasyHoldOuts) -> ProgressiveMixture:
    """The models that have a share, and the hash that chooses among them."""
    used = [j for j, share in enumerate(record.shares) if share]
    columns: list[Index] | None = [drawn.trained[j] for j in used] if task.rows.pairwise else None
    sizes = [record.shares[j] for j in used]
    key: Any = hash_key(task.order.seed)
    return ProgressiveMixture([drawn.models[j] for j in used], sizes, key, columns)
