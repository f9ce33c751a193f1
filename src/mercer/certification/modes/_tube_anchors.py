"""Which rows may be kept from a model because they lie outside its tube, and the tubes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.bounds.numerics.checks import as_level
from mercer.certification.core.task import Index, Task
from mercer.certification.modes._tube_shape import Shape
from mercer.certification.modes._tube_space import FixedSpace, takes_weights

Floats = NDArray[np.float64]

SHARE, HARD = 0.7, 0.06  # of the rule for the number of held-out rows
FOLDS, INNER_FOLDS = 8, 5  # of the cross-validations that mark hard rows
REFITS, INNER_REFITS = 3, 6  # without random easy rows, to foresee a distance: first, then
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)  # how much of the spread of the columns is added to Q
WIDER = 1.05  # hard is what lies within so many foreseen half-widths
COPIES = 5  # of a row of weight 1, for learners that take no weights
PLACES = np.linspace(-2.0, 4.0, 25)  # half-widths: of the foreseen one, times e^{spread·place}
WIDTHS = np.exp(-0.5 * (PLACES - 0.6) ** 2)
WIDTHS = WIDTHS / WIDTHS.sum()
SEED = 12345  # of what an anchor draws: it is then a function of its rows


def rows_to_hold_out(n: int, delta: float) -> int:
    """Hold out m = 0.7·n·(1 − exp(−√(2·ln(1/δ)/(0.06·n)))); n and δ are all that is looked at."""
    share = -SHARE * math.expm1(-math.sqrt(-2.0 * as_level(delta).log / (HARD * n)))
    return max(1, math.floor(share * n))


class NothingEasy(ValueError):
    """No row can be left out: all of them lie in the tube."""


@dataclass(frozen=True)
class Trainer:
    """Models of some rows, as coordinates."""

    task: Task
    space: FixedSpace
    signs: Floats  # +1 and −1

    def fit(self, used: Index, weight: Floats) -> Floats:
        """Coordinates of the model of these rows with these weights."""
        if takes_weights(self.task.estimator):
            whole = np.ones(self.task.n) if self.task.rows.weight is None else self.task.rows.weight
            whole = whole.copy()
            whole[used] *= weight
            rows, index = replace(self.task.rows, weight=whole), used
        else:
            steps = np.floor(np.cumsum(np.append(0.5, COPIES * weight))).astype(np.intp)
            rows, index = self.task.rows, np.repeat(used, np.diff(steps))
        with self.task.timed("anchors"):
            model = rows.fit(self.task.estimator, index)
            return self.space.of(model, rows, index)

    def left_out(self, used: Index, weight: Floats, folds: int, rng: np.random.Generator) -> Floats:
        """y·f(x) of every row by a model that did not see it; −∞ where there was none."""
        found = np.full(len(used), -np.inf)
        order = rng.permutation(len(used))
        for fold in range(folds):
            out, rest = order[fold::folds], np.sort(np.delete(order, np.s_[fold::folds]))
            try:
                f = self.fit(used[rest], weight[rest] * folds / (folds - 1))
            except ValueError:  # a class is missing: its rows stay hard
                continue
            found[out] = self.margins(f, used[out])
        return found

    def margins(self, f: Floats, rows: Index) -> Floats:
        """y·f(x)."""
        return np.asarray(self.signs[rows] * (self.space.rows[rows] @ f))


@dataclass(frozen=True)
class Anchor:
    """A model with its tube: foreseen distance of a model of all rows, and how that varies."""

    g: Floats
    shape: Shape
    distance: float
    spread: float
    hard: NDArray[np.bool_]

    def half_widths(self) -> Floats:
        """The half-widths tried, in units of the width at a row."""
        return np.asarray(self.distance * np.exp(self.spread * PLACES))


def anchor(
    trainer: Trainer, used: Index, missing: int, folds: int, rng: np.random.Generator
) -> Anchor:
    """A model of the rows ``used``, which must not know the ``missing`` others.

    The others were easy, so easy rows count for more: that is how near it comes to the model of all
    rows. How near is foreseen by leaving out random easy rows once more.
    """
    total = len(used) + missing
    weight = np.full(len(used), total / len(used))
    left_out = trainer.left_out(used, weight, folds, rng)
    hard = left_out <= 0
    again = math.sqrt(len(used) / total)
    ridge, g, shape, found = 0.0, np.empty(0), None, np.empty(0)
    for refits in (REFITS, INNER_REFITS):
        weight = _weights(hard, total)
        g = trainer.fit(used, weight)
        others = [trainer.fit(*_fewer(used, hard, weight, missing, total, rng))
                  for _ in range(refits)]  # fmt: skip
        shapes = {r: _shape(trainer, used, weight, r) for r in RIDGES if not ridge or r == ridge}
        tried = []
        for r, made in shapes.items():
            gaps = np.array([made.distance(f, g) for f in others]) * again
            reach = WIDER * math.sqrt(float(np.mean(gaps**2)))
            inside = left_out <= reach * made.width(trainer.space.rows[used], g)
            tried.append((int(inside.sum()), r, made, gaps, inside))
        _, ridge, shape, found, hard = min(tried, key=lambda one: one[0])
    assert shape is not None
    distance = math.sqrt(float(np.mean(found**2)))
    if math.isfinite(distance):
        varies = float(np.std(found, ddof=1)) / max(float(np.mean(found)), 1e-300)
        spread = min(max(varies, 0.1), 0.6)
    else:  # a model that points the other way: no tube is wide enough
        spread = 0.6
    return Anchor(g, shape, distance, spread, hard)


def _weights(hard: NDArray[np.bool_], total: int) -> Floats:
    """1 for hard rows, all of which are there; the easy ones make up for those that are not."""
    s, easy = int(hard.sum()), int(np.count_nonzero(~hard))
    return np.where(hard, 1.0, (total - s) / max(easy, 1))


def _fewer(
    used: Index, hard: NDArray[np.bool_], weight: Floats, missing: int, total: int,
    rng: np.random.Generator,
) -> tuple[Index, Floats]:  # fmt: skip
    """The rows without as large a share of the easy ones as is missing, the others heavier."""
    easy = np.flatnonzero(~hard)
    if len(easy) < 2:
        raise NothingEasy
    share = len(easy) / max(len(easy) + missing, 1)
    kept = min(max(round(share * len(easy)), 5), max(len(easy) - 1, 1))
    here = np.sort(np.append(np.flatnonzero(hard), rng.choice(easy, kept, replace=False)))
    return used[here], np.where(hard[here], 1.0, weight[here] * len(easy) / kept)


def _shape(trainer: Trainer, used: Index, weight: Floats, ridge: float) -> Shape:
    rows = trainer.space.rows[used]
    form = (rows * weight[:, None]).T @ rows / weight.sum()
    return Shape.of(form + ridge * trainer.space.penalty(used, weight))
