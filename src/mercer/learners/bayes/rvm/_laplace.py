"""The fast sequential relevance vector machine for two classes, Laplace's approximation inside.

Around the mode the likelihood is that of a regression whose noise is the inverse curvature, in
which many changes are made by rank-one updates at once. They are kept if the evidence at the new
mode is larger; where it is not, fewer are made, down to one whose price is tried out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from mercer._blas import blas_threads
from mercer.learners.bayes.rvm._books import best_action
from mercer.learners.bayes.rvm._fast import (
    BATCH,
    ROUGH,
    Path,
    RegressionColumns,
    State,
    _batch,
    finished,
)
from mercer.learners.bayes.rvm._fast import _settle as _settle_regression
from mercer.learners.bayes.rvm._posterior import WeightPosterior, classification_posterior
from mercer.learners.bayes.rvm._text import Relevance
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
TILE = 512  # columns priced at a time
LEAST = 1e-10  # curvature of a row
FAR = 30  # single changes, each as good as the best one: what they would not reach is given up
BROKEN = 30  # prices that the evidence has not kept


class ClassColumns:
    """Quality and overlap of columns, around the mode of the active ones."""

    def __init__(self, X: Floats, y: Floats, weight: Floats) -> None:
        self.X, self.y, self.weight = X, y, weight

    def posterior(
        self, active: list[int], theta: Floats, warm: Floats | None = None
    ) -> WeightPosterior:
        """Of the weights of the active columns."""
        if not active:
            log = float(-np.log(2.0) * self.weight.sum())
            nothing = np.zeros(len(self.y))
            return WeightPosterior(np.empty(0), np.empty((0, 0)), log, output=nothing)
        return classification_posterior(self.X[:, active], self.y, self.weight, theta, warm)

    def regression(self, state: State) -> RegressionColumns:
        """The regression that the problem looks like from the mode: unit noise, scaled rows."""
        p = expit(state.posterior.output)
        root = np.sqrt(np.maximum(self.weight * p * (1.0 - p), LEAST))
        left = self.weight * ((self.y + 1.0) / 2.0 - p)
        target = root * state.posterior.output + left / root
        with blas_threads(len(self.X), "numpy"):
            scaled = np.multiply(self.X, root[:, None], order="F")
            return RegressionColumns(scaled, target, np.ones(len(root)), 1.0, False)

    def factors(self, state: State) -> tuple[Floats, Floats, Floats]:
        """S and Q of all columns, and S without any model."""
        p = expit(state.posterior.output)
        bend = self.weight * p * (1.0 - p)
        left = self.weight * ((self.y + 1.0) / 2.0 - p)
        beside = np.column_stack([left, self.X[:, state.active] * bend[:, None]])
        with blas_threads(len(self.X), "numpy"):
            columns = range(0, self.X.shape[1], TILE)
            tiles = [self.X[:, start : start + TILE] for start in columns]
            parts = [self._priced(tile, beside, bend, state) for tile in tiles]
        S, Q, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
        return S, Q, lengths

    def _priced(
        self, tile: Floats, beside: Floats, bend: Floats, state: State
    ) -> tuple[Floats, Floats, Floats]:
        products = tile.T @ beside
        P = products[:, 1:]
        lengths = bend @ tile**2
        overlap = np.einsum("ij,ij->i", P @ state.posterior.covariance, P)
        return lengths - overlap, products[:, 0], lengths


def fit_classification(
    X: Floats,
    y: Floats,
    weight: Floats,
    *,
    start: Relevance | None = None,
    max_iter: int = 5000,
    tol: float = 1e-3,
    worth: float = -np.inf,
    watch: Watch | None = None,
) -> Relevance:
    """Sequential maximisation of the Laplace evidence of two classes, from nothing or a start.

    Where only single changes are left, and would hardly lead as far as ``worth``, the log evidence
    of a machine that is there already, it is given up.
    """
    model = ClassColumns(X, y, weight)
    active, theta = ([], np.empty(0)) if start is None else (list(start.active), start.theta)
    state = State(active, theta, model.posterior(active, theta))
    path = Path(max_iter, [state.log], watch=watch)
    size, converged = BATCH, False
    while path.left > 0 and not converged:
        path.tell(path.history[-1] - path.history[-2] if len(path.history) > 1 else np.inf)
        leapt = _leap(model, state, path, size, tol)
        if leapt is not None:
            state, size = leapt, BATCH
        elif size > 1:
            size //= 4
        else:
            new, price = _change(model, state, path, tol)
            converged = new is None
            if new is not None and new.log + FAR * (new.log - state.log) < worth:
                break
            if new is not None:
                state, size = _settle(model, new, path, max(tol, ROUGH * price)), BATCH
    return finished(state, 0.0, converged, path.history)


def _leap(model: ClassColumns, state: State, path: Path, size: int, tol: float) -> State | None:
    """Where ``size`` changes of any columns lead, and then those of the active ones.

    They are priced by the regression around the mode; None unless the evidence rises by ``tol``.
    """
    nearby = model.regression(state)
    try:
        here = State(state.active, state.theta, nearby.posterior(state.active, state.theta))
        budget = Path(path.left, [here.log])
        barred = np.zeros(model.X.shape[1], dtype=bool)
        first, moved = _batch(nearby, here, budget, barred, size, tol)
        if moved is None:
            return None
        if size == BATCH:
            moved = _settle_regression(nearby, moved, budget, max(tol, ROUGH * first.gain))
        path.left -= max(1, len(budget.history) - 1)
        theta = moved.theta
        known = dict(zip(state.active, state.posterior.mean, strict=True))
        warm = np.array([known.get(j, 0.0) for j in moved.active])
        new = State(moved.active, theta, model.posterior(moved.active, theta, warm))
    except np.linalg.LinAlgError:
        return None
    if new.log < state.log + tol:
        return None
    path.history.append(new.log)
    return new


def _settle(model: ClassColumns, state: State, path: Path, tol: float) -> State:
    """Change the active columns until no single change of them gains ``tol``."""
    while state.active and path.left > 0:
        new, _ = _change(model, state, path, tol, active_only=True)
        if new is None:
            break
        state = new
        path.tell(tol)
    return state


def _change(
    model: ClassColumns, state: State, path: Path, tol: float, active_only: bool = False
) -> tuple[State | None, float]:
    """The best change that the evidence honours, None if there is none; and the best price.

    Prices leave out how the mode's curvature changes, and may promise what the evidence does not
    keep: after so many broken promises nobody asks the columns that promise less.
    """
    if active_only:
        S = Q = lengths = np.zeros(len(state.active))
        places = np.arange(len(S))
    else:
        S, Q, lengths = model.factors(state)
        places = np.asarray(state.active, dtype=np.intp)
    mean, variance = state.posterior.mean, np.diagonal(state.posterior.covariance)
    barred = np.zeros(len(S), dtype=bool)
    price = 0.0
    for _ in range(min(BROKEN, len(S))):
        action = best_action(S, Q, lengths, places, state.theta, mean, variance, barred)
        price = max(price, action.gain)
        if action.gain < tol or path.left <= 0:
            break
        column = state.active[action.column] if active_only else action.column
        new = _improved(model, state, column, action.theta)
        path.left -= 1
        if new is not None:
            path.history.append(new.log)
            return new, price
        barred[action.column] = True
    return None, price


def _improved(model: ClassColumns, state: State, column: int, theta: float) -> State | None:
    """The state after the action, or after a smaller one; None if the evidence never rises."""
    old = state.theta[state.active.index(column)] if column in state.active else theta / 100.0
    for share in (1.0, 0.5, 0.1) if theta > 0 else (1.0,):
        size = theta**share * old ** (1.0 - share) if theta > 0 else 0.0
        new = _applied(model, state, column, size)
        if new is not None and new.log > state.log:
            return new
    return None


def _applied(model: ClassColumns, state: State, column: int, theta: float) -> State | None:
    active, values = list(state.active), list(state.theta)
    warm = list(state.posterior.mean)
    if column in active:
        place = active.index(column)
        if theta > 0:
            values[place] = theta
        else:
            del active[place], values[place], warm[place]
    else:
        active.append(column)
        values.append(theta)
        warm.append(0.0)
    new = np.asarray(values)
    try:
        return State(active, new, model.posterior(active, new, np.asarray(warm)))
    except np.linalg.LinAlgError:
        return None
