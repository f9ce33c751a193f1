"""Many machines over one Gram matrix: all folds and classes, along a path of costs.

The compiled version (csrc/paths.cpp) works on a matrix in memory and on machines whose box grows in
proportion to the cost. Everything else takes the slow version, which is also the oracle of the
tests: one call of the ordinary solver per step, warm-started.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config, _paths
from mercer.gram import Gram
from mercer.solvers import smo
from mercer.solvers.quadratic import BoxProblem, Solution
from mercer.solvers.warm import warm

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Job:
    """A machine to be trained at every step of a path.

    ``make(step)`` is its problem at that step; its outputs are also wanted at the rows ``test``.
    """

    make: Callable[[Any], BoxProblem]
    test: Index


@dataclass(frozen=True)
class Limits:
    """How hard the solver may try."""

    tol: float = 1e-3
    max_iter: int = -1
    deadline: float | None = None
    cache_mb: float = 500.0
    n_threads: int | None = None

    def seconds(self) -> float | None:
        """Time left; a deadline that has passed leaves next to none."""
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 1e-9)


def solve_paths(
    gram: Gram, jobs: Sequence[Job], steps: Sequence[Any], costs: Sequence[float], limits: Limits
) -> list[list[Solution]]:
    """Train every job at every step, each from the solution of the step before.

    ``costs`` holds the cost of each step, ascending. ``decision`` of a solution is right at the
    rows of its problem and at ``test``.
    """
    problems = [job.make(steps[0]) for job in jobs]
    array = getattr(gram, "array", None)
    ready = array is not None and array.dtype in (np.float32, np.float64)
    if ready and all(_scales_with_cost(problem) for problem in problems):
        return _compiled(np.ascontiguousarray(array), jobs, problems, costs, limits)
    return solve_paths_slowly(gram, jobs, steps, limits)


def solve_paths_slowly(
    gram: Gram, jobs: Sequence[Job], steps: Sequence[Any], limits: Limits
) -> list[list[Solution]]:
    """The same, one step after the other through the ordinary solver."""
    found: list[list[Solution]] = [[] for _ in jobs]
    for step in steps:
        problems = [
            warm(job.make(step), before[-1].alpha if before else None)
            for job, before in zip(jobs, found, strict=True)
        ]
        solutions = smo.solve_many(
            problems,
            gram,
            tol=limits.tol,
            max_iter=limits.max_iter,
            time_limit=limits.seconds(),
            cache_mb=limits.cache_mb,
            n_threads=limits.n_threads,
        )
        for job, solution, kept in zip(jobs, solutions, found, strict=True):
            kept.append(_with_outputs(gram, job.test, solution))
    return found


def _with_outputs(gram: Gram, rows: Index, solution: Solution) -> Solution:
    support = np.flatnonzero(solution.coef)
    decision = solution.decision.copy()
    decision[rows] = 0.0
    if support.size:
        tile = np.asarray(gram.tile(rows, support), dtype=np.float64)
        decision[rows] = tile @ solution.coef[support]
    return replace(solution, decision=decision)


def _scales_with_cost(problem: BoxProblem) -> bool:
    """Whether the box of the problem is the cost times fixed weights and its signs cancel."""
    direction = problem.sign if problem.balance is None else problem.balance
    same = direction is problem.sign or np.array_equal(direction, problem.sign)
    return same and problem.n_groups <= 1 and not problem.start.any()


def _compiled(
    K: NDArray[Any],
    jobs: Sequence[Job],
    problems: Sequence[BoxProblem],
    costs: Sequence[float],
    limits: Limits,
) -> list[list[Solution]]:
    started = time.perf_counter()
    seconds = limits.seconds()
    arrays = [_arrays(job, problem, costs[0]) for job, problem in zip(jobs, problems, strict=True)]
    results = _paths.paths(
        K,
        arrays,
        [float(c) for c in costs],
        limits.tol,
        int(limits.max_iter),
        -1.0 if seconds is None else seconds,
        _config.n_threads(limits.n_threads),
    )
    took = time.perf_counter() - started
    return [
        [_solution(job, problem, result, k, took) for k in range(len(costs))]
        for job, problem, result in zip(jobs, problems, results, strict=True)
    ]


def _arrays(job: Job, problem: BoxProblem, cost: float) -> tuple[Any, ...]:
    direction = np.ascontiguousarray(problem.sign, dtype=np.float64)
    shift = np.zeros(0) if problem.shift is None else problem.shift * cost
    return (
        np.ascontiguousarray(problem.index, dtype=np.int32),
        direction,
        direction * problem.linear,
        problem.upper / cost,
        np.ascontiguousarray(shift, dtype=np.float64),
        problem.n_groups,
        np.ascontiguousarray(job.test, dtype=np.int32),
    )


def _solution(
    job: Job, problem: BoxProblem, result: tuple[Any, ...], k: int, seconds: float
) -> Solution:
    g, variables, tests, steps = result
    offset, objective, gap, n_iter, stopped = steps[k]
    decision = np.zeros(problem.n)
    decision[problem.index] = variables[k]
    decision[job.test] = tests[k]
    coef = np.zeros(problem.n)
    np.add.at(coef, problem.index, g[k])  # a regression has two variables per row
    return Solution(
        alpha=g[k] * problem.sign,
        coef=coef,
        decision=decision,
        offsets=(offset,) if problem.n_groups else (),
        objective=objective,
        gap=gap,
        n_iter=n_iter,
        stopped=stopped,
        seconds=seconds,
    )
