r"""Linear programmes of the slack form ``min cost·ξ + tie·Σα``, ``A α + ξ >= 1``, ``α, ξ >= 0``.

The leave-one-out and adaptive margin machines are of this form, with a dense square ``A``. SciPy's
HiGHS solves small ones. For large ones its simplex method is slow on dense matrices, so an interior
point method (one Cholesky factorisation per step) comes near the optimum, a few simplex steps find
which constraints are active there, and a linear system then gives the vertex itself, whose
optimality is checked against the dual. The tiny cost ``tie`` of α chooses the smallest among
equally good solutions and keeps the optimum bounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from mercer.solvers._crossover import cross_over
from mercer.solvers._interior import Interior
from mercer.solvers._vertex import Partition, strictly_complementary, vertex

Floats = NDArray[np.float64]

SMALL = 250  # rows up to which HiGHS gets the whole programme
RESTRICTED = 4_000_000  # entries of a restricted programme that HiGHS may be given
TIE = 1e-8
CROSS = 1e-3  # relative gap at which simplex steps are first tried
STEPS = 400  # of each kind: further from the optimum interior steps are cheaper


@dataclass(frozen=True)
class SlackSolution:
    """What was found: ``gap`` is primal minus dual objective, a bound on what is left to gain.

    ``vertex`` tells whether α is a corner of the feasible set (as sparse as it can be), ``unique``
    whether it was shown to be the only optimum; ``state`` is what a related programme can start
    from.
    """

    alpha: Floats
    slack: Floats
    dual: Floats
    objective: float
    gap: float
    n_iter: int
    stopped: str  # "tolerance" | "max_iter" | "time_limit" | "interrupt" | "stalled"
    vertex: bool
    seconds: float
    unique: bool = False
    state: tuple[Floats, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stopped == "tolerance"


def solve(
    A: Floats,
    cost: Floats | None = None,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    time_limit: float | None = None,
    start: SlackSolution | None = None,
    callback: Callable[[dict[str, Any]], Any] | None = None,
    method: str = "auto",
) -> SlackSolution:
    """Solve one programme.

    Parameters
    ----------
    A : ndarray of shape (m, n)
        Constraint matrix.
    cost : ndarray of shape (m,), optional
        Price of each slack, positive; 1 by default.
    tol : float, default=1e-8
        Accepted gap between primal and dual, relative to the objective.
    max_iter : int, default=200
        Largest number of interior-point steps.
    time_limit : float, optional
        Seconds after which the best solution so far is returned.
    start : SlackSolution, optional
        Solution of a programme of the same shape; a good one saves steps.
    callback : callable, optional
        Called after each step with a dict (``gap``, ``n_iter``, ``seconds``); a true answer stops.
    method : {"auto", "highs", "interior-point"}, default="auto"
        HiGHS for at most 250 rows, else the interior point method.

    Returns
    -------
    SlackSolution
        The best found.
    """
    A = np.ascontiguousarray(A, dtype=np.float64)
    price = np.ones(len(A)) if cost is None else np.asarray(cost, dtype=np.float64)
    began = time.perf_counter()
    if method == "highs" or (method == "auto" and max(A.shape) <= SMALL):
        return _by_highs(A, price, began, time_limit)
    run = Interior(A, price, TIE, () if start is None else start.state)
    stopped, cross_at = "max_iter", CROSS

    def late() -> bool:
        return time_limit is not None and time.perf_counter() - began > time_limit

    for _ in range(max_iter):
        seconds = time.perf_counter() - began
        report = {"gap": run.relative_gap(), "n_iter": run.n_iter, "seconds": seconds}
        if callback is not None and callback(report):
            stopped = "interrupt"
            break
        if late():
            stopped = "time_limit"
            break
        cross = run.relative_gap() <= cross_at
        found = _finish(A, price, run, tol, began, late if cross else None)
        if found is not None:
            return found
        if cross:
            cross_at = 0.1 * run.relative_gap()
        if not run.step():
            stopped = "stalled"
            break
    return _rest(A, price, run, tol, stopped, began)


def _finish(
    A: Floats,
    cost: Floats,
    run: Interior,
    tol: float,
    began: float,
    late: Callable[[], bool] | None,
) -> SlackSolution | None:
    """The vertex the iterate points to, if it is optimal; looked for once the gap is small.

    With ``late``, which says when to give up, simplex steps may change what it points to.
    """
    if run.relative_gap() > 1e-2:
        return None
    corner = vertex(A, cost, TIE, Partition.of(run))
    if corner is None and late is not None:
        guess = cross_over(A, cost, TIE, run, STEPS, late)
        corner = None if guess is None else vertex(A, cost, TIE, guess)
    if corner is not None:
        alpha, dual = corner
        return _solution(A, cost, alpha, dual, run, "tolerance", True, began)
    if run.relative_gap() > 1e-3 * tol or run.residual() > 1e-7:
        return None
    return _rest(A, cost, run, tol, "tolerance", began)


def _rest(
    A: Floats, cost: Floats, run: Interior, tol: float, stopped: str, began: float
) -> SlackSolution:
    """No vertex was pointed to: let HiGHS choose one among the columns in use, if that is cheap."""
    alpha, dual = run.alpha, run.dual
    found = _solution(A, cost, alpha, dual, run, stopped, False, began)
    columns = np.flatnonzero(alpha > 1e-9 * max(float(alpha.max(initial=0.0)), 1e-300))
    if stopped == "stalled":  # then the iterate may have missed some
        columns = np.arange(len(alpha))
    if stopped not in ("tolerance", "stalled") or len(columns) * len(A) > RESTRICTED:
        return found
    some, _, prices, _ = _highs(A[:, columns], cost, None)
    if some is None:
        return found
    full = np.zeros(A.shape[1])
    full[columns] = some
    corner = _solution(A, cost, full, prices, run, stopped, True, began)
    before, after = (one.objective + TIE * float(one.alpha.sum()) for one in (found, corner))
    if after > before + max(1e-6, tol) * (1.0 + before):
        return found
    # The multipliers of the interior point bound the optimum for the vertex too.
    gap = min(corner.gap, found.gap + corner.objective - found.objective)
    return replace(corner, gap=max(gap, 0.0), stopped="tolerance")


def _solution(
    A: Floats,
    cost: Floats,
    alpha: Floats,
    dual: Floats,
    run: Interior | None,
    stopped: str,
    is_vertex: bool,
    began: float,
) -> SlackSolution:
    """Objective, slacks and gap recomputed from α and the multipliers alone."""
    alpha = np.maximum(alpha, 0.0)
    dual = np.clip(dual, 0.0, cost)
    slack = np.maximum(1.0 - A @ alpha, 0.0)
    objective = float(cost @ slack)
    # Weak duality: Σ dual is at most cost·ξ + (largest entry of A'dual)·Σα for every feasible pair.
    worst = max(float((A.T @ dual).max(initial=0.0)), 0.0)
    gap = max(objective + worst * float(alpha.sum()) - float(dual.sum()), 0.0)
    return SlackSolution(
        alpha=alpha,
        slack=slack,
        dual=dual,
        objective=objective,
        gap=float(gap),
        n_iter=0 if run is None else run.n_iter,
        stopped=stopped,
        vertex=is_vertex,
        seconds=time.perf_counter() - began,
        unique=is_vertex and strictly_complementary(A, cost, TIE, alpha, dual),
        state=() if run is None else run.state(),
    )


def _by_highs(A: Floats, cost: Floats, began: float, time_limit: float | None) -> SlackSolution:
    alpha, _, dual, status = _highs(A, cost, time_limit)
    if alpha is None:
        nothing = np.zeros(A.shape[1])
        return _solution(A, cost, nothing, np.zeros(len(A)), None, status, True, began)
    return _solution(A, cost, alpha, dual, None, status, True, began)


def _highs(
    A: Floats, cost: Floats, time_limit: float | None
) -> tuple[Floats | None, Floats | None, Floats, str]:
    """α, slacks and dual by SciPy's HiGHS; no α if it found none within its limits."""
    m, n = A.shape
    matrix = sparse.hstack([sparse.csc_array(-A), -sparse.eye_array(m)], format="csc")
    options: dict[str, Any] = {"presolve": True}
    if time_limit is not None:
        options["time_limit"] = float(time_limit)
    found = linprog(
        np.concatenate([np.full(n, TIE), cost]),
        A_ub=matrix,
        b_ub=-np.ones(m),
        bounds=(0, None),
        method="highs",
        options=options,
    )
    if found.x is None:
        return None, None, np.zeros(m), "time_limit" if time_limit is not None else "stalled"
    status = "tolerance" if found.status == 0 else "time_limit"
    return found.x[:n], found.x[n:], -found.ineqlin.marginals, status
