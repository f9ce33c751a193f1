"""Start a problem from the solution of a similar one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer.solvers.quadratic import BoxProblem, Floats


def warm(problem: BoxProblem, alpha: Floats | None) -> BoxProblem:
    """Return ``problem`` starting from the feasible point near ``alpha``.

    ``alpha`` may come from other costs, labels or kernels: it is clipped to the box, and where
    that breaks an equality constraint the variables are moved in proportion to the room they have.
    An ``alpha`` of another length is ignored, because its variables mean something else.
    """
    if alpha is None or len(alpha) != problem.n_variables:
        return problem
    start = np.clip(alpha, 0.0, problem.upper)
    if problem.group is not None and problem.balance is not None:
        for g in range(problem.n_groups):
            members = problem.group == g
            target = float(problem.balance[members] @ problem.start[members])
            start[members] = _rebalanced(
                start[members], problem.balance[members], problem.upper[members], target
            )
    return replace(problem, start=start)


def _rebalanced(alpha: Floats, balance: Floats, upper: Floats, target: float) -> Floats:
    """Move ``alpha`` within its box until ``balance @ alpha == target``, shrinking first."""
    missing = target - float(balance @ alpha)
    shrinkable = np.where(balance * missing < 0, alpha, 0.0)
    moved = alpha - shrinkable * min(1.0, abs(missing) / max(shrinkable.sum(), 1e-300))
    missing = target - float(balance @ moved)
    side = balance * missing > 0
    room = np.where(side, np.minimum(upper - moved, abs(missing)), 0.0)
    if abs(missing) <= 1e-12 * max(1.0, abs(target)) or not room.any():
        return moved
    return moved + room * min(1.0, abs(missing) / room.sum())
