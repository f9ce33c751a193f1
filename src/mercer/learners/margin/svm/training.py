"""Run the solver for a learner: options, progress, time limit, warnings."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from mercer import _compat
from mercer._storable import record
from mercer.learners._progress import ProgressLine
from mercer.solvers import smo
from mercer.solvers.quadratic import BoxProblem, Solution


@record("training-budget")
@dataclass(frozen=True)
class Budget:
    """How hard the solver may try."""

    tol: float
    max_iter: int
    cache_mb: float | str
    deadline: float | None
    n_threads: int | None
    callback: Callable[[Mapping[str, Any]], bool] | None

    def options(self) -> dict[str, Any]:
        """Keyword arguments of ``mercer.solvers.smo.solve``."""
        left = None
        if self.deadline is not None:
            left = max(self.deadline - time.monotonic(), 1e-3)
        return {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "time_limit": left,
            "cache_mb": self.cache_mb,
            "callback": self.callback,
            "n_threads": self.n_threads,
        }

    def solve(self, problems: Sequence[BoxProblem], gram: Any, **changes: Any) -> list[Solution]:
        """Solve the problems; several of them share the rows of the Gram."""
        return smo.solve_many(problems, gram, **(self._most(gram.n) | changes))

    def _most(self, n: int) -> dict[str, Any]:
        """Without a limit of the user's one of ours: columns of very different size never end."""
        options = self.options()
        return options if self.max_iter >= 0 else options | {"max_iter": most_steps(n)}


def most_steps(n: int) -> int:
    """What ``max_iter=-1`` means: LIBSVM's limit, and more for more than a thousand rows."""
    return max(10**7, 10**4 * n)


def thread_count(n_jobs: int | None) -> int | None:
    """scikit-learn's ``n_jobs`` as a number of threads; None leaves it to Mercer's settings."""
    if n_jobs is None or n_jobs > 0:
        return n_jobs
    return max(1, (os.cpu_count() or 1) + 1 + n_jobs)


class Training:
    """Context of one fit: shows progress, serves callbacks, and reports early ends."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.estimator = estimator
        self._data = {"X": X, "y": y}
        self._stack = ExitStack()
        self._line: ProgressLine | None = None
        self._started = time.monotonic()

    def __enter__(self) -> Training:
        estimator = self.estimator
        self._step, close = _compat.fit_tasks(estimator, **self._data)
        self._stack.callback(close)
        if estimator.verbose:
            line = ProgressLine(type(estimator).__name__, estimator.tol)
            self._line = self._stack.enter_context(line)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def budget(self) -> Budget:
        """The estimator's limits, counted from the start of this fit."""
        estimator = self.estimator
        limit = estimator.time_limit
        return Budget(
            tol=estimator.tol,
            max_iter=estimator.max_iter,
            cache_mb=estimator.cache_size,
            deadline=None if limit is None else self._started + limit,
            n_threads=thread_count(estimator.n_jobs),
            callback=self._report if self._watched() else None,
        )

    def _watched(self) -> bool:
        return self._line is not None or bool(getattr(self.estimator, "_skl_callbacks", None))

    def _report(self, progress: Mapping[str, Any]) -> bool:
        if self._line is not None:
            self._line(progress)
        return self._step()

    def finish(self, solutions: Sequence[Any]) -> None:
        """Draw the last state and warn if the tolerance was not reached."""
        worst = max(solutions, key=lambda solution: solution.gap)
        total = sum(solution.n_iter for solution in solutions)
        if self._line is not None:
            self._line.finish(worst.gap, total, time.monotonic() - self._started)
        unfinished = [solution for solution in solutions if not solution.converged]
        if unfinished:
            message = early_end(self.estimator, unfinished, len(solutions))
            warnings.warn(message, ConvergenceWarning, stacklevel=5)


def early_end(estimator: Any, unfinished: Sequence[Solution], count: int) -> str:
    """Say why the solver stopped, how far it got and what to do."""
    worst = max(unfinished, key=lambda solution: solution.gap)
    most = estimator.max_iter if estimator.max_iter >= 0 else f"-1, {worst.n_iter:,} here"
    where = "" if count == 1 else f" in {len(unfinished)} of {count} binary problems"
    reasons = {
        "max_iter": (
            f"Solver terminated early (max_iter={most}).  Consider pre-processing "
            "your data with StandardScaler or MinMaxScaler."
        ),
        "time_limit": f"Solver stopped by the time limit ({estimator.time_limit} s).",
        "interrupt": "Solver interrupted.",
        "stalled": (
            "Solver stalled: rounding stops it from improving further; the data may need "
            "scaling, or C may be too large for this kernel."
        ),
    }
    advice = {
        "max_iter": "raise max_iter, scale the data or accept a larger tol",
        "time_limit": "raise time_limit, scale the data or accept a larger tol",
        "interrupt": "fit again, with warm_start=True to go on from here",
        "stalled": "scale the data, lower C or accept a larger tol",
    }
    return (
        f"{reasons.get(worst.stopped, 'Solver stopped.')} The best solution so far is kept{where}: "
        f"its optimality gap is {worst.gap:.3g}, the tolerance {estimator.tol:.3g} "
        f"({worst.n_iter} iterations). To get closer: {advice.get(worst.stopped, 'fit again')}."
    )
