"""The fast sequential relevance vector machine: start empty, change one column at a time.

Tipping and Faul 2003. With C the covariance of the targets without column m, s = φ'C^-1φ says how
much the column overlaps with what is there, and q = φ'C^-1t how well it fits what is left. The
evidence as a function of θ_m alone has its maximum at θ = (q² - s)/s² if q² > s, else at zero, so
every addition, deletion and re-estimation can be priced in advance and the best one is taken.

Most changes concern columns that are active already, and those need not look at the others: the
active ones are settled among themselves before all columns are priced again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._blas import blas_threads
from mercer.learners.bayes.rvm._books import Action, Books, Weights
from mercer.learners.bayes.rvm._posterior import WeightPosterior, regression_posterior
from mercer.learners.bayes.rvm._text import Relevance
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
BATCH = 20  # changes priced over all columns before the active ones are settled
AHEAD = 16  # columns whose products are computed at once: reading the basis is what costs
ROUGH = 0.05  # of the last batch's first gain is good enough for the active ones meanwhile
CHAIN = 200  # changes of active columns before their posterior is computed anew
ROUNDING = 1e-10  # of the log evidence


@dataclass
class State:
    """The active columns, their prior variances and the posterior they give."""

    active: list[int]
    theta: Floats
    posterior: WeightPosterior

    @property
    def log(self) -> float:
        """The log evidence."""
        return self.posterior.log_evidence


@dataclass
class Path:
    """The log evidence after every change, and how many changes are still allowed.

    Between computations of the evidence its rises are known by their prices, to rounding.
    """

    left: int
    history: list[float]
    sure: int = 1  # entries that were computed
    watch: Watch | None = None

    def rise(self, gain: float) -> None:
        """A change of that price was made."""
        self.history.append(self.history[-1] + gain)
        self.left -= 1
        self.tell(gain)

    def tell(self, gain: float) -> None:
        """What the last change has gained; after the time is over there are no more."""
        if self.watch is not None and self.watch.over(len(self.history), gain):
            self.left = 0

    def confirm(self, log: float) -> None:
        """The evidence was computed: no rise led beyond it."""
        self.history[self.sure :] = [min(value, log) for value in self.history[self.sure :]]
        if self.history[-1] != log:
            self.history.append(log)
        self.sure = len(self.history)

    def take_back(self) -> None:
        """The changes since the evidence was last computed were not made."""
        del self.history[self.sure :]


class RegressionColumns:
    """Inner products of the columns, computed once for each column that is ever used."""

    def __init__(self, X: Floats, t: Floats, weight: Floats, noise: float, learn: bool) -> None:
        if np.any(weight != 1.0):
            root = np.sqrt(weight)
            X, t = X * root[:, None], t * root
        self.X, self.rows, self.noise, self.learn = X, len(t), noise, learn
        self.shift = 0.5 * float(np.sum(np.log(weight)))
        self.moment, self.energy = X.T @ t, float(t @ t)
        self.lengths = np.einsum("ij,ij->j", X, X)
        self.floor = 1e-8 * (self.energy / self.rows if self.energy > 0 else 1.0)
        self._known: dict[int, Floats] = {}

    def products(self, column: int, books: Books | None = None) -> Floats:
        """X'X of all columns against one; those likely to come next are computed along with it."""
        if column not in self._known:
            wanted = [column]
            if books is not None:
                promising = np.argsort(books.S - books.Q**2)[: 4 * AHEAD]
                others = [int(j) for j in promising if int(j) not in self._known and j != column]
                wanted += others[: AHEAD - 1]
            self._learn_products(wanted)
        return self._known[column]

    def _learn_products(self, wanted: list[int]) -> None:
        with blas_threads(len(self.X), "numpy"):
            block = self.X.T @ self.X[:, wanted]
        self._known.update((j, np.ascontiguousarray(block[:, i])) for i, j in enumerate(wanted))

    def posterior(self, active: list[int], theta: Floats) -> WeightPosterior:
        """Of the weights of the active columns."""
        self._know(active)
        places = np.asarray(active, dtype=np.intp)
        gram = np.empty((len(active), len(active)))
        for row, j in zip(gram, active, strict=True):
            row[:] = self._known[j][places]
        return regression_posterior(
            gram, self.moment[active], self.energy, self.rows, theta, self.noise, self.shift
        )

    def cross(self, active: list[int]) -> Floats:
        """Products of all columns with the active ones."""
        if not active:
            return np.empty((len(self.moment), 0))
        self._know(active)
        return np.column_stack([self._known[j] for j in active])

    def _know(self, columns: list[int]) -> None:
        missing = [j for j in columns if j not in self._known]
        if missing:
            self._learn_products(missing)

    def books(self, state: State) -> Books:
        """Ready to price changes of all columns."""
        cross = self.cross(state.active)
        with blas_threads(len(self.moment), "numpy"):
            return Books(
                cross,
                self.lengths,
                self.moment,
                state.active,
                state.theta,
                self.noise,
                state.posterior,
            )

    def with_noise(self, state: State) -> State:
        """Update the noise, if the evidence agrees."""
        if not self.learn:
            return state
        freedom = self.rows - float(state.posterior.determined(state.theta).sum())
        if freedom <= 1e-6 * self.rows:
            return state
        old = self.noise
        self.noise = max(state.posterior.residual / freedom, self.floor)
        new = self.posterior(state.active, state.theta)
        if new.log_evidence < state.log:
            self.noise = old
            return state
        return State(state.active, state.theta, new)


def fit_regression(
    X: Floats,
    t: Floats,
    weight: Floats,
    *,
    noise: float,
    learn_noise: bool = True,
    start: Relevance | None = None,
    max_iter: int = 20_000,
    tol: float = 1e-4,
    watch: Watch | None = None,
) -> Relevance:
    """Sequential maximisation of the evidence of a regression, from nothing or from a start."""
    model = RegressionColumns(X, t, weight, noise if start is None else start.noise, learn_noise)
    active, theta = ([], np.empty(0)) if start is None else (list(start.active), start.theta)
    state = State(active, theta, model.posterior(active, theta))
    path = Path(max_iter, [state.log], watch=watch)
    barred = np.zeros(X.shape[1], dtype=bool)  # columns whose price rounding has spoiled
    size, converged = BATCH, False
    while path.left > 0:
        first, moved = _batch(model, state, path, barred, size, tol)
        if moved is None:  # columns that are nearly spanned by others: go back, and with more care
            barred[first.column] |= size == 1
            size = 1
            continue
        barred[:] = False
        size = BATCH
        settled = _settle(model, moved, path, max(tol, ROUGH * first.gain))
        converged = first.gain < tol and settled.log - state.log < tol
        state = settled
        if converged:
            break
    return finished(state, model.noise, converged, path.history)


def _batch(
    model: RegressionColumns, state: State, path: Path, barred: Any, size: int, tol: float
) -> tuple[Action, State | None]:
    """Up to ``size`` changes of any columns: the first, and where all lead unless it is down."""
    books = model.books(state)
    action = first = books.best_of_all(barred)
    for _ in range(size):
        if action.gain < tol or path.left <= 0:
            break
        if action.column in books.columns:
            books.change(books.columns.index(action.column), action.theta)
        else:
            books.add(action.column, action.theta, model.products(action.column, books))
        path.rise(action.gain)
        action = books.best_of_all(barred)
    return first, _moved(model, books, state, path)


def _settle(model: RegressionColumns, state: State, path: Path, tol: float) -> State:
    """Change the active columns and the noise until no single change of them gains ``tol``."""
    while path.left > 0:
        weights = Weights(state.active, state.theta, state.posterior)
        for _ in range(CHAIN):
            action = weights.best() if weights.columns else None
            if action is None or action.gain < tol or path.left <= 0:
                break
            weights.change(action.column, action.theta)
            path.rise(action.gain)
        moved = _moved(model, weights, state, path)
        if moved is None:
            break
        new = model.with_noise(moved)
        path.confirm(new.log)
        gain, state = new.log - state.log, new
        if gain < tol:
            break
    return state


def _moved(model: RegressionColumns, weights: Weights, before: State, path: Path) -> State | None:
    """The state that changes have led to, computed anew; None if rounding has spoiled it."""
    try:
        posterior = model.posterior(weights.columns, weights.theta)
    except np.linalg.LinAlgError:
        posterior = None
    if posterior is None or posterior.log_evidence < before.log - ROUNDING * abs(before.log):
        path.take_back()
        return None
    path.confirm(posterior.log_evidence)
    return State(list(weights.columns), weights.theta.copy(), posterior)


def finished(state: State, noise: float, converged: bool, history: list[float]) -> Relevance:
    """The machine, its columns in order."""
    order = np.argsort(state.active)
    return Relevance(
        np.asarray(state.active, dtype=np.intp)[order],
        state.theta[order],
        state.posterior.mean[order],
        state.posterior.covariance[np.ix_(order, order)],
        noise,
        state.log,
        converged,
        history,
    )
