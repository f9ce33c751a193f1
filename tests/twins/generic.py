"""A BoxProblem handed to SciPy's general-purpose SLSQP: independent of any SMO thinking."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def minimum(problem, K):
    """Return (alpha, objective) of a tiny BoxProblem."""
    shift = np.zeros(problem.n_variables) if problem.shift is None else problem.shift
    Q = problem.sign[:, None] * problem.sign * K[np.ix_(problem.index, problem.index)]
    Q = Q + np.diag(shift)

    def value(a):
        return 0.5 * a @ Q @ a + problem.linear @ a

    def slope(a):
        return Q @ a + problem.linear

    constraints = []
    for g in range(problem.n_groups):
        row = np.where(problem.group == g, problem.balance, 0.0)
        constraints.append(
            {
                "type": "eq",
                "fun": lambda a, row=row: row @ (a - problem.start),
                "jac": lambda a, row=row: row,
            }
        )
    found = minimize(
        value,
        problem.start,
        jac=slope,
        bounds=[(0.0, None if np.isinf(u) else u) for u in problem.upper],
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    return found.x, float(value(found.x))
