"""Hard margins: solved where they exist, refused with the culprits named where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners.margin.svm.training import Budget
from mercer.solvers.problems import nearest_points
from mercer.solvers.quadratic import BoxProblem, Floats, Solution

RESOLUTION = 1e-5  # a margin below this share of the data's radius counts as none
TUBE_LADDER = (1e3, 1e5, 1e7, 1e9)
TUBE_ITERATIONS = 200_000


class NotSeparableError(ValueError):
    """No hyperplane (or tube) meets the hard constraints.

    Attributes
    ----------
    rows : ndarray
        Row numbers, in the training data, of the points that exclude each other.
    """

    def __init__(self, message: str, rows: NDArray[np.intp]) -> None:
        super().__init__(message, rows)
        self.rows = rows

    def __str__(self) -> str:
        return str(self.args[0])


def hard_margin(problem: BoxProblem, gram: Any, radius: float, budget: Budget) -> Solution:
    """Solve the hard-margin problem of a classifier.

    The dual of a hard margin is unbounded if the classes overlap, so the bounded problem of the
    hulls' nearest points comes first. Its tolerance is tightened until the current hyperplane
    separates the classes, or until the hulls are shown to touch.
    """
    with_offset = problem.group is not None
    hull = nearest_points(problem.sign, rows=problem.index, n=problem.n, fit_intercept=with_offset)
    tolerance = 1e-3 * radius**2
    while True:
        found = budget.solve([hull], gram, tol=tolerance)[0]
        squared_distance = 2.0 * found.objective
        width = _separation(problem, found, with_offset)
        if width > 0.5 * squared_distance:
            break  # the hyperplane separates, and nearly as widely as is possible
        factor = 2.0 if with_offset else 1.0
        touching = squared_distance <= (factor * RESOLUTION * radius) ** 2
        if touching or found.stopped == "stalled":
            raise _not_separable(problem.index, found.alpha)
        if found.stopped not in ("tolerance", "max_iter"):
            break
        if found.stopped == "max_iter":
            return budget.solve([problem], gram)[0]
        hull = replace(hull, start=found.alpha)
        tolerance /= 100.0
    scaled = found.alpha * (2.0 if with_offset else 1.0) / squared_distance
    return budget.solve([replace(problem, start=_balanced(problem, scaled))], gram)[0]


def hard_tube(problem: BoxProblem, gram: Any, scale: float, budget: Budget) -> Solution:
    """Solve the hard-tube problem of a regression: ever larger boxes, until none is touched."""
    limit = TUBE_ITERATIONS if budget.max_iter < 0 else budget.max_iter
    start = problem.start
    for step in TUBE_LADDER:
        boxed = replace(problem, upper=np.full(problem.n_variables, step * scale), start=start)
        found = budget.solve([boxed], gram, max_iter=limit)[0]
        if found.stopped in ("time_limit", "interrupt"):
            return found
        if found.converged and found.alpha.max(initial=0.0) < step * scale:
            return found
        if found.stopped == "max_iter" and budget.max_iter >= 0:
            return found
        start = found.alpha
    rows = np.unique(problem.index[found.alpha >= 0.5 * found.alpha.max()])
    raise NotSeparableError(
        "C=inf asks for a tube that holds every target, and none was found in this kernel's "
        f"feature space. {_name_rows(rows)} resist most. "
        "Use a finite C, a larger epsilon, or a richer kernel.",
        rows,
    )


def _separation(problem: BoxProblem, found: Solution, with_offset: bool) -> float:
    """Width, times ‖w‖, of the empty strip along the current normal vector."""
    output = problem.sign * found.decision[problem.index]
    if not with_offset:
        return float(output.min())
    positive = problem.sign > 0
    return float(output[positive].min() + output[~positive].min())


def _balanced(problem: BoxProblem, alpha: Floats) -> Floats:
    """Remove the rounding left in ``sum(y * alpha)`` from the largest variable."""
    if problem.balance is None:
        return alpha
    largest = int(alpha.argmax())
    alpha = alpha.copy()
    alpha[largest] -= problem.balance[largest] * float(problem.balance @ alpha)
    return alpha


def _not_separable(index: NDArray[np.intp], weight: Floats) -> NotSeparableError:
    order = np.argsort(-weight, kind="stable")
    rows = index[order[weight[order] > 1e-6 * weight.max()]]
    return NotSeparableError(
        "C=inf asks for a hard margin, but no hyperplane separates the classes in this kernel's "
        f"feature space: {_name_rows(rows)} cannot be separated even from each other (the convex "
        "hulls of their two classes meet). Use a finite C, remove contradictory points, or "
        "choose a richer kernel.",
        rows,
    )


def _name_rows(rows: Sequence[int] | NDArray[np.intp], show: int = 10) -> str:
    names = ", ".join(str(int(row)) for row in rows[:show])
    more = f" and {len(rows) - show} more" if len(rows) > show else ""
    return f"rows {names}{more}"
