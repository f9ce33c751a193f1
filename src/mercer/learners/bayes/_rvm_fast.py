"""The fast sequential relevance vector machine: start empty, change one column at a time.

Tipping and Faul 2003. With C the covariance of the targets without column m, s = φ'C^-1φ says how
much the column overlaps with what is there, and q = φ'C^-1t how well it fits what is left. The
evidence as a function of θ_m alone has its maximum at θ = (q² - s)/s² if q² > s, else at zero, so
every addition, deletion and re-estimation can be priced in advance and the best one is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from mercer.learners.bayes._rvm_posterior import (
    WeightPosterior,
    classification_posterior,
    regression_posterior,
)
from mercer.learners.bayes._rvm_text import Relevance

Floats = NDArray[np.float64]
ALIGNED = 1e-9  # of its own length: a column with less left outside the model is not added
NOISE_EVERY = 5


@dataclass
class _State:
    """The active columns, their prior variances and the posterior they give."""

    active: list[int]
    theta: Floats
    posterior: WeightPosterior


class _Regression:
    """Quality and overlap of all columns, from inner products computed once per column."""

    def __init__(self, X: Floats, t: Floats, weight: Floats, noise: float, learn: bool) -> None:
        root = np.sqrt(weight)
        self.X, self.t, self.rows = X * root[:, None], t * root, float(weight.sum())
        self.noise, self.learn = noise, learn
        self.moment, self.energy = self.X.T @ self.t, float(self.t @ self.t)
        self.lengths = np.einsum("ij,ij->j", self.X, self.X)
        self.floor = 1e-8 * (self.energy / self.rows if self.energy > 0 else 1.0)
        self._columns: dict[int, Floats] = {}

    def products(self, active: list[int]) -> Floats:
        """X'X of all columns against the active ones."""
        for j in active:
            if j not in self._columns:
                self._columns[j] = self.X.T @ self.X[:, j]
        if not active:
            return np.empty((self.X.shape[1], 0))
        return np.column_stack([self._columns[j] for j in active])

    def posterior(self, active: list[int], theta: Floats, warm: Any = None) -> WeightPosterior:
        P = self.products(active)[active]
        return regression_posterior(
            P, self.moment[active], self.energy, self.rows, theta, self.noise
        )

    def factors(self, state: _State) -> tuple[Floats, Floats]:
        """S and Q of every column, with the active ones in the model."""
        P, b = self.products(state.active), 1.0 / self.noise
        S = b * self.lengths - b**2 * np.einsum("ij,ij->i", P @ state.posterior.covariance, P)
        return S, b * (self.moment - P @ state.posterior.mean)

    def refine(self, state: _State) -> _State:
        """Update the noise, if the evidence agrees."""
        if not self.learn:
            return state
        freedom = self.rows - float(state.posterior.determined(state.theta).sum())
        if freedom <= 1e-6 * self.rows:
            return state
        old = self.noise
        self.noise = max(state.posterior.residual / freedom, self.floor)
        new = self.posterior(state.active, state.theta)
        if new.log_evidence < state.posterior.log_evidence:
            self.noise = old
            return state
        return _State(state.active, state.theta, new)


class _Classification:
    """The same with Laplace's approximation inside: weights of the rows change all the time."""

    noise = 0.0

    def __init__(self, X: Floats, y: Floats, weight: Floats) -> None:
        self.X, self.y, self.weight = X, y, weight
        self.squares = X**2

    def posterior(self, active: list[int], theta: Floats, warm: Any = None) -> WeightPosterior:
        if not active:
            output = np.zeros(len(self.y))
            log = float(-np.log(2.0) * self.weight.sum())
            return WeightPosterior(np.empty(0), np.empty((0, 0)), log, output=output)
        return classification_posterior(self.X[:, active], self.y, self.weight, theta, warm)

    def factors(self, state: _State) -> tuple[Floats, Floats]:
        p = expit(state.posterior.output)
        bend = self.weight * p * (1.0 - p)
        Q = self.X.T @ (self.weight * ((self.y + 1.0) / 2.0 - p))
        S = self.squares.T @ bend
        if state.active:
            P = self.X.T @ (self.X[:, state.active] * bend[:, None])
            S -= np.einsum("ij,ij->i", P @ state.posterior.covariance, P)
        return S, Q

    def refine(self, state: _State) -> _State:
        """Nothing besides the weights is learned."""
        return state


def fit_regression(
    X: Floats,
    t: Floats,
    weight: Floats,
    *,
    noise: float,
    learn_noise: bool = True,
    max_iter: int = 5000,
    tol: float = 1e-4,
) -> Relevance:
    """Sequential maximisation of the evidence of a regression."""
    return _climb(_Regression(X, t, weight, noise, learn_noise), X.shape[1], max_iter, tol)


def fit_classification(
    X: Floats, y: Floats, weight: Floats, *, max_iter: int = 2000, tol: float = 1e-3
) -> Relevance:
    """Sequential maximisation of the Laplace evidence of two classes."""
    return _climb(_Classification(X, y, weight), X.shape[1], max_iter, tol)


def _climb(model: Any, n_columns: int, max_iter: int, tol: float) -> Relevance:
    state = _State([], np.empty(0), model.posterior([], np.empty(0)))
    history, converged = [state.posterior.log_evidence], False
    barred = np.zeros(n_columns, dtype=bool)  # actions that Laplace's evidence did not honour
    for step in range(max_iter):
        column, theta, gain = _best_action(model, state, barred)
        if gain < tol:
            before = state.posterior.log_evidence
            state = model.refine(state)
            history.append(state.posterior.log_evidence)
            if state.posterior.log_evidence - before < tol:
                converged = True
                break
            continue
        new = _improved(model, state, column, theta)
        if new is None:
            barred[column] = True
            continue
        state = new
        barred[:] = False
        if step % NOISE_EVERY == NOISE_EVERY - 1:
            state = model.refine(state)
        history.append(state.posterior.log_evidence)
    order = np.argsort(state.active)
    return Relevance(
        np.asarray(state.active, dtype=np.intp)[order],
        state.theta[order],
        state.posterior.mean[order],
        state.posterior.covariance[np.ix_(order, order)],
        model.noise,
        state.posterior.log_evidence,
        converged,
        history,
    )


def _best_action(model: Any, state: _State, barred: Any) -> tuple[int, float, float]:
    """The column to change, its new θ (zero: take it out) and the gain in evidence."""
    S, Q = model.factors(state)
    s, q = S.copy(), Q.copy()
    old = np.zeros(len(S))
    if state.active:
        old[state.active] = state.theta
        outside = 1.0 - state.theta * S[state.active]  # (α - S)/α
        outside = np.maximum(outside, 1e-12)
        s[state.active] = S[state.active] / outside
        q[state.active] = Q[state.active] / outside
    useful = (s > 0) & (q**2 > s)
    aligned = (old == 0) & (s <= ALIGNED * _lengths(model))
    useful &= ~aligned
    new = np.zeros_like(s)
    new[useful] = (q[useful] ** 2 - s[useful]) / s[useful] ** 2
    gain = _profile(s, q, new) - _profile(s, q, old)
    gain[(old == 0) & (new == 0)] = 0.0
    gain[barred] = 0.0
    column = int(np.argmax(gain))
    return column, float(new[column]), float(gain[column])


def _profile(s: Floats, q: Floats, theta: Floats) -> Floats:
    """The part of the log evidence that depends on one column's θ."""
    grown = 1.0 + theta * np.maximum(s, 0.0)
    return 0.5 * (theta * q**2 / grown - np.log(grown))


def _lengths(model: Any) -> Any:
    return model.lengths / model.noise if hasattr(model, "lengths") else 0.0


def _improved(model: Any, state: _State, column: int, theta: float) -> _State | None:
    """The state after the action, or after a smaller one; None if the evidence never rises.

    For regression the price is exact. Laplace's evidence moves its expansion point as well, and a
    bold action may overshoot.
    """
    old = state.theta[state.active.index(column)] if column in state.active else theta / 100.0
    for share in (1.0, 0.5, 0.1) if theta > 0 else (1.0,):
        size = theta**share * old ** (1.0 - share) if theta > 0 else 0.0
        new = _applied(model, state, column, size)
        if new is not None and new.posterior.log_evidence > state.posterior.log_evidence:
            return new
    return None


def _applied(model: Any, state: _State, column: int, theta: float) -> _State | None:
    active, values = list(state.active), list(state.theta)
    warm = list(state.posterior.mean)
    if column in active:
        place = active.index(column)
        if theta > 0:
            values[place] = theta
        else:
            del active[place], values[place], warm[place]
    elif theta > 0:
        active.append(column)
        values.append(theta)
        warm.append(0.0)
    else:
        return None
    new = np.asarray(values)
    try:
        return _State(active, new, model.posterior(active, new, np.asarray(warm)))
    except np.linalg.LinAlgError:
        return None
