"""Losses with kinks whose dual is a box problem: the compiled solver takes them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import DenseGram
from mercer.losses import EpsilonInsensitive, Hinge, Quantile
from mercer.solvers import problems, smo
from mercer.solvers.quadratic import BoxProblem
from mercer.solvers.risk import RiskProblem, RiskSolution
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]


def box_problem(problem: RiskProblem) -> BoxProblem | None:
    """The dual as a box problem, None if the loss is not of that kind."""
    rules: dict[str, Any] = {"weight": problem.price, "fit_intercept": problem.fit_intercept}
    if isinstance(problem.loss, Hinge):
        return problems.c_svc(problem.y, 1.0, **rules)
    if isinstance(problem.loss, EpsilonInsensitive):
        return problems.epsilon_svr(problem.y, 1.0, problem.loss.epsilon, **rules)
    if isinstance(problem.loss, Quantile):
        tube = problems.epsilon_svr(problem.y, 1.0, 0.0, **rules)
        # the first half of the variables pulls outputs up to targets above them
        level = problem.loss.level
        price = np.repeat((level, 1.0 - level), len(tube.upper) // 2)
        return replace(tube, upper=tube.upper * price)
    return None


def solve_box(
    problem: RiskProblem, box: BoxProblem, tol: float, max_iter: int, watch: Watch
) -> RiskSolution:
    """Solve by working sets until the duality gap is small enough."""
    gram = DenseGram(problem.K, validate=False)
    accuracy = 1e-3
    while True:
        limit = None if math.isinf(watch.seconds) else watch.left
        found = smo.solve(box, gram, tol=accuracy, max_iter=max_iter, time_limit=limit)
        image = problem.K @ found.coef
        offset = -found.offsets[0] if problem.fit_intercept else 0.0
        value = problem.primal(found.coef, image, offset)
        gap = problem.gap(found.coef, image, offset, found.coef)
        late = watch.over(int(found.n_iter), gap)
        if gap <= tol * max(1.0, abs(value)) or not found.converged or accuracy < 1e-11 or late:
            break
        accuracy *= 0.1
        box = replace(box, start=found.alpha)
    met = gap <= tol * max(1.0, abs(value))
    stopped = "tolerance" if met else ("stalled" if found.converged else found.stopped)
    return RiskSolution(
        found.coef, offset, image, value, gap, int(found.n_iter), stopped, "working sets"
    )
