"""The fast sequential relevance vector machine: start empty, change one column at a time.

Tipping and Faul 2003. With C the covariance of the targets without column m, s = φ'C^-1φ says how
much the column overlaps with what is there, and q = φ'C^-1t how well it fits what is left. The
evidence as a function of θ_m alone has its maximum at θ = (q² - s)/s² if q² > s, else at zero, so
every addition, deletion and re-estimation can be priced in advance and the best one is taken.

Most changes concern columns that are active already, and those need not look at the others: the
active ones are settled among themselves before all columns are priced again, and by Newton's steps
where single changes would go on for long.

Inner products of the columns are all that is read at first. Where smooth kernels meet little noise
they lose what counts to rounding; then the columns themselves are factorised (``careful``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._blas import blas_threads
from mercer.learners.bayes.rvm._books import Action, Books, Weights
from mercer.learners.bayes.rvm._posterior import (
    WeightPosterior,
    factorised_posterior,
    regression_posterior,
    seen_lengths,
)
from mercer.learners.bayes.rvm._text import Relevance
from mercer.learners.bayes.rvm._together import climb
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
BATCH = 20  # changes priced over all columns before the active ones are settled, or
SHARE = 5  # one for so many active ones
AHEAD = 16  # columns whose products are computed at once: reading the basis is what costs
ROUGH = 0.05  # of the last batch's first gain is good enough for the active ones meanwhile
CHAIN = 40  # single changes of active columns, before all of them are changed at once
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

    def correct(self, log: float) -> None:
        """The evidence was computed better: what was thought to be above it was rounding."""
        self.history = [min(value, log) for value in self.history]
        self.confirm(log)


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
        self.t, self.careful = t, False
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

    def posterior(
        self, active: list[int], theta: Floats, noise: float | None = None
    ) -> WeightPosterior:
        """Of the weights of the active columns, with the present noise or another."""
        noise = self.noise if noise is None else noise
        if self.careful and active:
            return factorised_posterior(
                self.X[:, active], self.t, self.rows, theta, noise, self.shift
            )
        return regression_posterior(
            self.gram(active), self.moment[active], self.energy, self.rows, theta, noise, self.shift
        )

    def gram(self, active: list[int]) -> Floats:
        """Products of the active columns."""
        self._know(active)
        places = np.asarray(active, dtype=np.intp)
        found = np.empty((len(active), len(active)))
        for row, j in zip(found, active, strict=True):
            row[:] = self._known[j][places]
        return found

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
        cross, b = self.cross(state.active), 1.0 / self.noise
        mean, covariance = state.posterior.mean, state.posterior.covariance
        with blas_threads(len(self.moment), "numpy"):
            if self.careful and state.active:
                taken = seen_lengths(self.X, state.active, state.theta, self.noise)
                fit = b * (self.X.T @ (self.t - self.X[:, state.active] @ mean))
            else:
                taken = b * np.einsum("ij,ij->i", cross @ covariance, cross)
                fit = b * (self.moment - cross @ mean)
        lengths = b * self.lengths
        S = lengths - b * taken
        return Books(cross, S, fit, lengths, state.active, state.theta, b, state.posterior)

    def together(self, state: State, path: Path, tol: float) -> State:
        """All prior variances of the active columns and the noise by Newton's steps."""
        gram = None if self.careful else self.gram(state.active)

        def evidence_of(theta: Floats, noise: float) -> WeightPosterior:
            if gram is None:
                return self.posterior(state.active, theta, noise)
            moment = self.moment[state.active]
            return regression_posterior(
                gram, moment, self.energy, self.rows, theta, noise, self.shift
            )

        def over(gain: float) -> bool:
            path.rise(gain)
            return path.left <= 0

        posterior, theta, self.noise = climb(
            evidence_of,
            state.posterior,
            state.theta,
            self.noise,
            self.rows,
            learn=self.learn,
            floor=self.floor,
            tol=tol,
            over=over,
        )
        path.confirm(posterior.log_evidence)
        return State(state.active, theta, posterior)


def fit_regression(
    X: Floats,
    t: Floats,
    weight: Floats,
    *,
    noise: float,
    learn_noise: bool = True,
    start: Relevance | None = None,
    max_iter: int = 20_000,
    tol: float = 1e-6,
    watch: Watch | None = None,
) -> Relevance:
    """Sequential maximisation of the evidence of a regression, from nothing or from a start.

    It ends when no change gains ``tol`` for each row, or 1e-4 for all of a few.
    """
    tol = max(1e-4, tol * len(t))
    model = RegressionColumns(X, t, weight, noise if start is None else start.noise, learn_noise)
    active, theta = ([], np.empty(0)) if start is None else (list(start.active), start.theta)
    state = State(active, theta, model.posterior(active, theta))
    path = Path(max_iter, [state.log], watch=watch)
    barred = np.zeros(X.shape[1], dtype=bool)  # columns whose price rounding has spoiled
    one_by_one = converged = False
    while path.left > 0:
        size = 1 if one_by_one else max(BATCH, len(state.active) // SHARE)
        first, moved = _batch(model, state, path, barred, size, tol)
        if moved is None and size > 1:  # rounding has spoiled it: go back, and with more care
            one_by_one = True
            continue
        if moved is None and not model.careful:  # from the columns themselves, then
            model.careful, one_by_one = True, False
            state = State(state.active, state.theta, model.posterior(state.active, state.theta))
            path.correct(state.log)
            continue
        if moved is None:  # a column that is nearly spanned by others
            barred[first.column] = True
            continue
        barred[:] = False
        one_by_one = False
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
    """Change the active columns and the noise until that gains less than ``tol``."""
    while path.left > 0:
        weights = Weights(state.active, state.theta, state.posterior)
        for _ in range(CHAIN + len(weights.columns)):
            action = weights.best(tol) if weights.columns else None
            if action is None or (action.gain < tol and action.theta > 0) or path.left <= 0:
                break
            weights.change(action.column, action.theta)
            path.rise(action.gain)
        moved = _moved(model, weights, state, path)
        if moved is None:
            break
        new = model.together(moved, path, tol)
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
