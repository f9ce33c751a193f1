"""The fast sequential relevance vector machine for two classes, Laplace's approximation inside.

As for regression, but the curvature of the likelihood changes with every step, so prices are
estimates: each change is made, and kept if the evidence at the new mode is larger.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from mercer._blas import blas_threads
from mercer.learners.bayes.rvm._books import best_action
from mercer.learners.bayes.rvm._fast import ROUGH, Path, State, finished
from mercer.learners.bayes.rvm._posterior import WeightPosterior, classification_posterior
from mercer.learners.bayes.rvm._text import Relevance

Floats = NDArray[np.float64]
TILE = 512  # columns priced at a time


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
    X: Floats, y: Floats, weight: Floats, *, max_iter: int = 5000, tol: float = 1e-3
) -> Relevance:
    """Sequential maximisation of the Laplace evidence of two classes."""
    model = ClassColumns(X, y, weight)
    state = State([], np.empty(0), model.posterior([], np.empty(0)))
    path = Path(max_iter, [state.log])
    converged = False
    while path.left > 0 and not converged:
        new, price = _change(model, state, path, tol)
        converged = new is None
        if new is not None:
            state = _settle(model, new, path, max(tol, ROUGH * price))
    return finished(state, 0.0, converged, path.history)


def _settle(model: ClassColumns, state: State, path: Path, tol: float) -> State:
    """Change the active columns until no single change of them gains ``tol``."""
    while state.active and path.left > 0:
        new, _ = _change(model, state, path, tol, active_only=True)
        if new is None:
            break
        state = new
    return state


def _change(
    model: ClassColumns, state: State, path: Path, tol: float, active_only: bool = False
) -> tuple[State | None, float]:
    """The best change that the evidence honours, None if there is none; and the best price."""
    if active_only:
        S = Q = lengths = np.zeros(len(state.active))
        places = np.arange(len(S))
    else:
        S, Q, lengths = model.factors(state)
        places = np.asarray(state.active, dtype=np.intp)
    mean, variance = state.posterior.mean, np.diagonal(state.posterior.covariance)
    barred = np.zeros(len(S), dtype=bool)
    price = 0.0
    for _ in range(len(S)):
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
