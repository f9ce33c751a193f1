"""Tube: the model of all rows lies near models that did not see some, within a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from mercer.bounds import MarginTubes, get
from mercer.bounds.numerics.easy import Bets, easy_upper, log_ratio
from mercer.certification.core import arguments
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes._base import CLASSIFIERS, Mode, Option
from mercer.certification.modes._tube_anchors import (
    FOLDS,
    INNER_FOLDS,
    SEED,
    WIDTHS,
    NothingEasy,
    Trainer,
    anchor,
    rows_to_hold_out,
)
from mercer.certification.modes._tube_space import refused, space_of
from mercer.learners.describe import classes_of

FEWEST = 50
BETS: Bets = ((math.inf, 0.7), (3.0, 0.3))
FORESEEN = 0.4  # a limit that is foreseen to be larger is not worth the fits
_MARK = 0x74756265  # keeps these draws apart from others of the same seed


class TubeMode(Mode):
    """No row is kept from the model that is returned; anchors pay for what is said about it."""

    name = "tube"
    title = "the model on all rows, by tubes around anchors that did not see easy ones"
    spends = False
    by_class = False
    tasks = CLASSIFIERS
    why_not = "a tube is about the sign of one function. Use mode='auto'."
    needs = frozenset({"a space of functions fixed before the data"})
    fits = 200
    options: ClassVar[Mapping[str, Option]] = {
        "anchors": Option(10, arguments.whole, "number of hold-outs with an anchor each")
    }

    def check(self, task: Task) -> None:
        """Refuse what the theorem or common sense speaks against, before anything is fitted."""
        super().check(task)
        if task.n < FEWEST:
            raise Refused(f"mode='tube' needs {FEWEST} rows, there are {task.n}. Use mode='auto'.")
        if len(np.unique(task.rows.labels(np.arange(task.n)))) != 2:
            raise refused("it needs two classes")
        inside = task.estimator
        if hasattr(inside, "param_grid") or hasattr(inside, "param_distributions"):
            raise refused("a search chooses among spaces")
        if isinstance(inside, Pipeline) and task.rows.pairwise:
            raise refused("a kernel matrix needs no pipeline")

    def run(self, task: Task) -> Result:
        """The model of all rows, its anchors, and the limit."""
        everyone = np.arange(task.n)
        model = task.fit(everyone)
        classes = classes_of(model)
        assert classes is not None
        signs = np.where(task.rows.labels(everyone) == classes[1], 1.0, -1.0)
        trainer = Trainer(task, space_of(model, task.rows), signs)
        f = trainer.space.of(model, task.rows, everyone)
        rng = np.random.default_rng([task.order.seed or 0, _MARK])
        m = rows_to_hold_out(task.n, task.delta)
        # rows outside the tube to be expected, from all rows and labels: the ratio pays for it
        try:
            easy = np.flatnonzero(~anchor(trainer, everyone, m, FOLDS, rng).hard)
        except NothingEasy:
            easy = everyone[:0]
        self._worth_it(task, len(easy), m)
        inside, first, held = [], [], []
        for _ in range(task.options["anchors"]):
            out = np.sort(rng.choice(easy, m, replace=False))
            line, place = _one(trainer, f, out)
            inside.append(line)
            first.append(place)
            held.append(out)
        record = MarginTubes(
            m, total=task.n, easy=len(easy), widths=tuple(WIDTHS), inside=tuple(inside),
            first=tuple(first), bets=tuple(BETS), seed=task.order.seed,
        )  # fmt: skip
        evidence = task.evidence(model, task.n, tubes=record)
        certificate = get("margin-tube")().evaluate(evidence, task.delta)
        split = {"anchors": len(first), "held_out": m, "easy": len(easy), "first": list(first)}
        return Result(
            model, certificate, evidence, everyone, np.unique(np.concatenate(held)), split
        )

    @staticmethod
    def _worth_it(task: Task, easy: int, m: int) -> None:
        """No number is made where it would say nothing; anchors have not been looked at yet."""
        if easy < m:
            value = 1.0
        else:
            value, _ = easy_upper([log_ratio(task.n, easy, m)], [0], m, task.delta, bets=BETS)
        if value > FORESEEN:
            raise refused(
                f"{task.n - easy} of {task.n} rows lie too near to the border for models of fewer "
                f"rows, so that the limit would be {100 * value:.0f} % or more"
            )


def _one(trainer: Trainer, f: NDArray[np.float64], out: Index) -> tuple[tuple[int, ...], int]:
    """Rows inside each tube of one anchor, and the first tube that reaches f."""
    used = np.setdiff1d(np.arange(trainer.task.n), out)
    try:
        made = anchor(trainer, used, len(out), INNER_FOLDS, np.random.default_rng(SEED))
    except ValueError:  # a class is missing
        return (len(out),) * len(WIDTHS), len(WIDTHS)
    reach = made.half_widths()
    margins = trainer.margins(made.g, out) / made.shape.width(trainer.space.rows[out], made.g)
    inside = tuple(int(np.count_nonzero(~(margins > r))) for r in reach)  # no number is inside
    return inside, int(np.searchsorted(reach, made.shape.distance(f, made.g)))
