"""Which rows look easy, and models whose held-out rows are drawn among them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from mercer.bounds.numerics.checks import as_level
from mercer.bounds.numerics.easy import Bets, log_ratio
from mercer.certification.core.loss import Loss
from mercer.certification.core.task import Index, Refused, Task

Floats = NDArray[np.float64]

REPEATS, FOLDS = 3, 4  # of the cross-validation that marks hard rows
SHARE, SHARE_OF_ONE, HARD = 0.8, 0.6, 0.06  # of the rule for the number of held-out rows
STEEP = 5.0  # e^{−5} for an error: hold-outs with errors hardly count
SEVERAL: Bets = ((STEEP, 1.0),)
ONE: Bets = ((STEEP, 0.85), (2.0, 0.1), (1.0, 0.05))  # one hold-out may have errors
MOST = 64  # thresholds to try
_MARK = 0x65617379  # keeps these draws apart from others of the same seed


@dataclass(frozen=True)
class DrawnModels:
    """Models with the rows each was trained on, those it was held from, and its losses there."""

    models: list[Any]
    trained: list[Index]
    held: list[Index]
    scores: list[Floats]
    easy: int
    bets: Bets
    judge: Loss


def rows_to_hold_out(n: int, delta: float, count: int) -> int:
    """Hold out m = 0.8·n·(1 − exp(−√(2·ln(1/δ)/(0.06·n)))); 0.6 for one model.

    Nothing but n and δ is looked at. It is the best share for 6 % of hard rows, and a little less,
    because models get worse without rows.
    """
    share = SHARE_OF_ONE if count == 1 else SHARE
    share *= -math.expm1(-math.sqrt(-2.0 * as_level(delta).log / (HARD * n)))
    return max(1, math.floor(share * n))


def draw_models(task: Task, count: int, rows: int) -> DrawnModels:
    """``count`` models, each without ``rows`` rows drawn among those that look easy."""
    rng = np.random.default_rng([task.order.seed or 0, _MARK])
    bets = ONE if count == 1 else SEVERAL
    losses = cross_validated(task, rng)
    easy = easy_rows(losses, rows, count)
    models, trained, held, scores = [], [], [], []
    judge = task.judge
    for j in range(count):
        out = np.sort(rng.choice(easy, rows, replace=False))
        train = np.setdiff1d(np.arange(task.n), out)
        model = task.fit(train)
        own = task.judge.for_model(model)
        judge = own if j == 0 else judge
        if own.tolerance != judge.tolerance:
            raise Refused(
                "mode='easy' speaks about one tolerance, and these models found "
                f"{judge.tolerance:.4g} and {own.tolerance:.4g} by themselves. Give tolerance=."
            )
        predicted = task.predict(model, out, train)
        models.append(model)
        trained.append(train)
        held.append(out)
        scores.append(own.scores(task.rows.labels(out), predicted))
    return DrawnModels(models, trained, held, scores, len(easy), bets, judge)


def cross_validated(task: Task, rng: np.random.Generator) -> Floats:
    """Losses of every row, one line for each repetition; 1 where its model could not be made.

    All labels are looked at: it only shapes the proposal, which the theorem leaves free.
    """
    losses = np.ones((REPEATS, task.n))
    for line in losses:
        places = rng.permutation(task.n)
        for fold in range(FOLDS):
            test, train = places[fold::FOLDS], np.sort(np.delete(places, np.s_[fold::FOLDS]))
            try:
                model = task.fit_trial(train, "cross-validation")
            except ValueError:  # a class that is missing in this part: its rows stay hard
                continue
            line[test] = task.scores(model, test, train)
    return losses


def easy_rows(losses: Floats, rows: int, count: int) -> Index:
    """The rows to draw from: as many hard ones left out as make the limit to expect smallest.

    The mean of e^{−cS} over ``count`` draws is carried by the luckiest of them, so what is rarer
    than one draw in ``count`` is not hoped for. Rows of equal loss are easy together.
    """
    mean, n = losses.mean(axis=0), losses.shape[1]
    order = np.argsort(mean, kind="stable")
    sizes = np.flatnonzero(np.append(np.diff(mean[order]) > 0, True)) + 1
    sizes = sizes[sizes >= rows]
    if len(sizes) > MOST:  # every row has a loss of its own
        sizes = sizes[np.linspace(0, len(sizes) - 1, MOST).astype(np.intp)]
    wrong = np.cumsum(mean[order])[sizes - 1]
    value = [
        log_ratio(n, int(size), rows) + _log_kept(int(size), round(bad), rows, count)
        for size, bad in zip(sizes, wrong, strict=True)
    ]
    return np.sort(order[: sizes[int(np.argmax(value))]]).astype(np.intp)


def _log_kept(size: int, wrong: int, rows: int, count: int) -> float:
    """Logarithm of the mean of e^{−cS} to expect from so many draws of ``rows`` among ``size``."""
    law = hypergeom(size, wrong, rows)
    first = int(law.ppf(min(0.5, 1.0 / count)))
    later = np.arange(first + 1, min(rows, wrong) + 1)
    rest = law.logpmf(later) - STEEP * later
    return float(np.logaddexp.reduce([law.logcdf(first) - STEEP * first, *rest]))
