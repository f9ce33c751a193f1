"""Many machines over one Gram matrix: all folds and classes, along a path of costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.solvers import smo
from mercer.solvers._base import BoxProblem, Solution
from mercer.solvers.warm import warm

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Job:
    """A machine to be trained at every step of a path.

    ``make(step)`` is its problem at that step; its outputs are also wanted at the rows ``test``.
    """

    make: Callable[[Any], BoxProblem]
    test: Index


def solve_paths(
    gram: Gram,
    jobs: Sequence[Job],
    steps: Sequence[Any],
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    deadline: float | None = None,
    cache_mb: float = 500.0,
    n_threads: int | None = None,
) -> list[list[Solution]]:
    """Train every job at every step, each from the solution of the step before.

    ``decision`` of a solution is right at the rows of its problem and at ``test``.
    """
    found: list[list[Solution]] = [[] for _ in jobs]
    for step in steps:
        problems = [
            warm(job.make(step), before[-1].alpha if before else None)
            for job, before in zip(jobs, found, strict=True)
        ]
        limit = None if deadline is None else max(deadline - time.monotonic(), 1e-3)
        solutions = smo.solve_many(
            problems,
            gram,
            tol=tol,
            max_iter=max_iter,
            time_limit=limit,
            cache_mb=cache_mb,
            n_threads=n_threads,
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
