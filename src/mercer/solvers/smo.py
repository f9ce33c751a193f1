"""Sequential minimal optimisation, the solver behind every support vector machine here.

The work is done in ``csrc/``: blocks of a thousand variables are solved by pairs chosen with
second-order information, and kernel rows are computed only for what moved.
``tests/twins/smo.py`` is the slow and obvious version of the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config, _native
from mercer.gram import Gram
from mercer.solvers._sources import source_of
from mercer.solvers.quadratic import BoxProblem, Floats, Solution

Callback = Callable[[dict[str, Any]], Any]

INNER = 1024  # variables of one block, solved pair by pair
MIDDLE = 1280  # that many or fewer that are left are finished as one problem in memory
AUTO_MB = 1000.0  # for kernel rows, where the caller leaves it to us

# blocks solved, problems made smaller, kernel rows and values computed, rows added to the gradient
_WORK = ("steps", "reductions", "rows", "values", "block_values", "rows_added")


def solve(problem: BoxProblem, gram: Gram, **options: Any) -> Solution:
    """Solve one problem; the options are those of :func:`solve_many`."""
    return solve_many([problem], gram, **options)[0]


def solve_many(
    problems: Sequence[BoxProblem],
    gram: Gram,
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    time_limit: float | None = None,
    cache_mb: float | str = "auto",
    callback: Callback | None = None,
    n_threads: int | None = None,
) -> list[Solution]:
    """Solve problems over rows of one Gram, sharing kernel rows and running on all threads.

    Parameters
    ----------
    problems : sequence of BoxProblem
        Each with ``n == gram.n``; a problem may touch only some of the rows.
    gram : Gram
        Where kernel values come from.
    tol : float, default=1e-3
        Stop when the optimality conditions hold to this accuracy (LIBSVM's ``eps``).
    max_iter : int, default=-1
        Largest number of pair steps per problem; -1 for no limit.
    time_limit : float, optional
        Seconds for all problems together.
    cache_mb : float or "auto", default="auto"
        Memory for kernel rows. "auto" takes pieces of memory while rows prove to be used again, up
        to `AUTO_MB` or a quarter of the memory limit.
    callback : callable, optional
        Called about ten times a second with a dict (``n_iter``, ``gap``, ``objective``,
        ``seconds``, ``finished``, ``problems``); a true answer stops the solver.
    n_threads : int, optional
        Threads to use; all that this process may use by default.

    Returns
    -------
    list of Solution
        The best found so far if something stopped the solver early; see ``Solution.stopped``.
    """
    if not tol > 0:
        raise ValueError(f"tol must be positive, got {tol!r}.")
    for k, problem in enumerate(problems):
        if problem.n != gram.n:
            raise ValueError(
                f"problem {k} is about {problem.n} rows, but the Gram matrix has {gram.n}."
            )
    threads = _config.n_threads(n_threads)
    auto = isinstance(cache_mb, str)
    room = min(AUTO_MB * 1e6, _config.memory_limit() / 4) if auto else float(cache_mb) * 1e6
    order = _grouping(problems, gram.n)
    where = _inverse(order)
    reach = max(map(_reach, problems), default=0.0)
    results = _native.solve_many(
        source_of(gram, tol, threads, order, reach),
        [_arrays(problem, where) for problem in problems],
        tol,
        int(max_iter),
        -1.0 if time_limit is None else float(time_limit),
        room,
        INNER,
        MIDDLE,
        threads,
        callback,
        auto,
    )
    return [_solution(p, r, where) for p, r in zip(problems, results, strict=True)]


def _grouping(problems: Sequence[BoxProblem], n: int) -> NDArray[np.intp] | None:
    """An order in which rows used by the same problems stand together.

    Kernel rows are computed in chunks of neighbouring columns; with the classes side by side a
    problem of two classes asks only for the chunks of those two.
    """
    if len(problems) < 3 or n < 1024:  # a few chunks in all: nothing to gain
        return None
    rng = np.random.default_rng(0)
    signature = np.zeros(n)
    for problem in problems:
        touched = np.zeros(n, dtype=bool)
        touched[problem.index] = True
        signature[touched] += rng.random()
    return np.argsort(signature, kind="stable")


def _reach(problem: BoxProblem) -> float:
    """How large the norm of the coefficients can become."""
    upper = problem.upper
    if problem.shift is not None:  # a slack of one
        upper = np.minimum(upper, 1.0 / np.maximum(problem.shift, 1e-300))
    with np.errstate(over="ignore"):
        norm = float(np.sqrt(upper @ upper))
    if problem.balance is not None and np.all(problem.balance > 0):  # their sum is given
        norm = min(norm, float(problem.start.sum()))
    return norm


def _inverse(order: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
    if order is None:
        return None
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse


def _direction(problem: BoxProblem) -> Floats:
    """The sign under which a variable enters the equality constraint."""
    return problem.sign if problem.balance is None else problem.balance


def _arrays(problem: BoxProblem, where: NDArray[np.intp] | None) -> tuple[Any, ...]:
    """The problem in signed variables ``g = direction * alpha``, as the compiled solver has it."""
    c = np.asarray(_direction(problem), dtype=np.float64)
    upper = np.asarray(problem.upper, dtype=np.float64)
    empty = np.zeros(0)
    index = problem.index if where is None else where[problem.index]
    return (
        np.ascontiguousarray(index, dtype=np.int32),
        np.asarray(problem.sign, dtype=np.float64) * c,
        c * problem.linear,
        empty if problem.shift is None else np.ascontiguousarray(problem.shift, dtype=np.float64),
        np.where(c > 0, 0.0, -upper),
        np.where(c > 0, upper, 0.0),
        c * problem.start + 0.0,
        np.zeros(0, np.int8) if problem.group is None else problem.group.astype(np.int8),
        problem.n_groups,
    )


def _solution(
    problem: BoxProblem, result: dict[str, Any], where: NDArray[np.intp] | None
) -> Solution:
    alpha = result["g"][0] * _direction(problem) + 0.0
    total = np.bincount(problem.index, weights=problem.sign * alpha, minlength=problem.n)
    coef = np.asarray(total, dtype=np.float64)
    outputs = result["outputs"][0]
    if where is not None:
        outputs = outputs[where]
    timings = ("seconds_rows", "seconds_block", "seconds_inner", "seconds_select")
    return Solution(
        alpha=alpha,
        coef=coef,
        decision=outputs,
        offsets=tuple(result["offsets"][: problem.n_groups]),
        objective=result["objective"],
        gap=result["gap"],
        n_iter=result["n_iter"],
        stopped=result["stopped"],
        seconds=result["seconds"],
        stats={k: float(result[k]) for k in (*_WORK, *timings)},
    )
