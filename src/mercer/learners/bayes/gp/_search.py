"""Maximise an evidence: many starts on a few rows, then few evaluations on all of them.

The evidence of a random part of the rows has its maxima near those of all rows, and nearly their
shape. So the starts compete on a small part, and the winner is followed through growing parts,
carrying its curvature along; the full matrix is factored a handful of times.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._blas import blas_threads
from mercer.learners._progress import ProgressLine
from mercer.learners.bayes.gp._quasi_newton import Minimum, Objective, minimise

Floats = NDArray[np.float64]
FIRST = 300  # rows on which the starts compete
GROWTH = 3
WORTH = 1.6  # a part is worth a stage of its own if all rows are this many times more
CHEAP = 600  # rows: up to here another evaluation costs next to nothing
FLAT = 2.3  # this close to its leash a length scale is long enough to hardly matter
ROUGH = 10  # times the tolerance is good enough for a stage that is not the last
TOL = 1e-3  # nats; the answer is better than that, because the last step is taken


class TimeUpError(Exception):
    """The time limit has passed; the best point so far is kept."""


@dataclass
class Clock:
    """Counts evaluations, watches the time limit, and tells the user."""

    time_limit: float | None = None
    verbose: bool = False
    title: str = "evidence"
    n_evaluations: int = 0
    timed_out: bool = False
    _start: float = field(default_factory=time.perf_counter)
    _line: ProgressLine | None = None

    def __enter__(self) -> Clock:
        if self.verbose:
            self._line = ProgressLine(self.title, TOL).__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._line is not None:
            self._line.__exit__(*error)

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self._start

    def watched(self, objective: Objective) -> Objective:
        """The same function, counted and stopped when the time is up."""

        def counted(x: Floats) -> tuple[float, Floats]:
            limit = self.time_limit
            if limit is not None and self.n_evaluations > 0 and self.seconds > limit:
                raise TimeUpError
            self.n_evaluations += 1
            value, gradient = objective(x)
            if self._line is not None:
                gap = float(np.linalg.norm(gradient))
                self._line({"gap": gap, "n_iter": self.n_evaluations, "seconds": self.seconds})
            return value, gradient

        return counted


def stages(n: int) -> list[int]:
    """Numbers of rows to work on, growing up to all n."""
    sizes, size = [], FIRST
    while size * WORTH < n:
        sizes.append(size)
        size *= GROWTH
    return [*sizes, n]


def maximise(
    objective_of: Callable[[NDArray[np.intp] | None], Objective],
    n: int,
    starts: list[Floats],
    bounds: Floats,
    rng: np.random.Generator,
    clock: Clock,
    leash: Floats | None = None,
) -> Minimum:
    """The best minimum of the negative evidence that the starts lead to.

    Parameters
    ----------
    objective_of : callable
        From row numbers (None for all rows) to the function to minimise.
    leash : array, optional
        Largest values with which a stage may start: an input that few rows found irrelevant must
        not begin so far out that more rows cannot call it back.
    """
    order = rng.permutation(n)
    best = nowhere(starts[0])
    previous = 0
    final = TOL if n > CHEAP else TOL / 100
    try:
        for size in stages(n):
            rows = None if size == n else np.sort(order[:size])
            objective = clock.watched(objective_of(rows))
            tol = final if size == n else ROUGH * TOL
            with blas_threads(size):
                if previous == 0:
                    best = _compete(objective, starts, bounds, tol)
                else:
                    grown = best.hessian * (size / previous)
                    start = best.proposal if leash is None else np.minimum(best.proposal, leash)
                    flat = None if leash is None else start > leash - FLAT
                    best = minimise(objective, start, bounds, hessian=grown, flat=flat, tol=tol)
            previous = size
    except TimeUpError:
        clock.timed_out = True
        best.converged = False
    return best


def nowhere(start: Floats) -> Minimum:
    """No minimum yet."""
    return Minimum(start, np.inf, np.zeros(0), np.eye(len(start)), 0, False, start)


def _compete(objective: Objective, starts: list[Floats], bounds: Floats, tol: float) -> Minimum:
    """The best end of all starts."""
    ends: list[Minimum] = []
    for start in starts:
        try:
            ends.append(minimise(objective, start, bounds, tol=tol))
        except TimeUpError:
            if not ends:
                raise
            break
    return min(ends, key=lambda end: end.value)


def draw_starts(
    given: Floats, bounds: Floats, restarts: int, rng: np.random.Generator, reach: float = 2.3
) -> list[Floats]:
    """The given point and random ones within a factor of exp(reach) around it."""
    low = np.maximum(bounds[:, 0], given - reach)
    high = np.minimum(bounds[:, 1], given + reach)
    return [given, *(rng.uniform(low, high) for _ in range(restarts))]


def uniform_starts(given: Floats, bounds: Floats, restarts: int, rng: Any) -> list[Floats]:
    """The given point and random ones between the bounds, those that scikit-learn draws."""
    if restarts and not np.all(np.isfinite(bounds)):
        raise ValueError(
            "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are "
            "finite."
        )
    return [given, *(rng.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(restarts))]


def by_scipy(
    objective: Objective, starts: list[Floats], bounds: Floats, optimizer: Any, clock: Clock
) -> Minimum:
    """The evidence of all rows by SciPy's L-BFGS-B, or by the user's function, from every start."""
    best = nowhere(starts[0])
    seen = nowhere(starts[0])  # the best point evaluated, for when the time is up

    def evaluated(x: Floats) -> tuple[float, Floats]:
        nonlocal seen
        value, gradient = watched(x)
        if value < seen.value:
            seen = replace(nowhere(np.array(x)), value=value)
        return value, gradient

    def theirs(x: Floats, eval_gradient: bool = True) -> Any:
        return evaluated(x) if eval_gradient else evaluated(x)[0]

    watched = clock.watched(objective)
    try:
        for start in starts:
            if callable(optimizer):
                x, value = optimizer(theirs, start, bounds=bounds)
                end = replace(nowhere(np.asarray(x, dtype=np.float64)), value=float(value))
                end.converged = True
            else:
                end = _l_bfgs_b(evaluated, start, bounds)
            best = min(best, end, key=lambda one: one.value)
    except TimeUpError:
        clock.timed_out = True
        best = min(best, seen, key=lambda one: one.value)
        best.converged = False
    return best


def _l_bfgs_b(objective: Objective, start: Floats, bounds: Floats) -> Minimum:
    from scipy.optimize import minimize

    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    if found.status != 0:
        warnings.warn(
            f"L-BFGS-B stopped early (status {found.status}): {found.message}. Scale the data, or "
            "use optimizer='staged'.",
            ConvergenceWarning,
            stacklevel=10,  # whoever called fit
        )
    return replace(nowhere(found.x), value=float(found.fun), converged=bool(found.success))
