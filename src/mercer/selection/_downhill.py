"""From a candidate of the grid to one at the bottom of its valley, where there is a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mercer.kernels.vectors.radial import RadialKernel
from mercer.selection import _gradient as gradient
from mercer.selection._margin_route import MarginRoute
from mercer.selection._ridge_route import RidgeRoute
from mercer.selection.criteria import NotForThis
from mercer.selection.space import ARD, Candidate

MOST_ROWS = 3000  # an evaluation costs a few products of n x n matrices
RIDGE = {
    "loo": gradient.ridge_leave_one_out,
    "marginal-likelihood": gradient.ridge_marginal_likelihood,
}


def downhill(route: Any, best: Candidate) -> Candidate | None:
    """The candidate to which the gradient leads, None if there is no gradient to follow."""
    objective = _objective(route)
    ard = best.family == ARD
    kernel = best.kernel
    dense = isinstance(getattr(route, "X", None), np.ndarray) and not sparse.issparse(route.X)
    ready = dense and len(route.task.y) <= MOST_ROWS
    if kernel is None or kernel.radial != "euclidean":  # derivatives of a function of |x - y|²
        ready = False
    if objective is None or not ready or not isinstance(kernel, RadialKernel):
        if ard:
            raise NotForThis(
                "kernels='ard' follows a gradient: use SVC(loss='squared_hinge') with "
                "criterion='radius-margin', KernelRidge with criterion='loo' or "
                "'marginal-likelihood', or a "
                f"Gaussian process, on at most {MOST_ROWS} dense rows"
            )
        return None
    name = "C" if isinstance(route, MarginRoute) else "alpha"
    found = gradient.descend(objective, route.X, kernel, float(best.params[name]), ard=ard)
    moved = type(kernel)(**{**kernel.get_params(), "length_scale": found.length_scale})
    return Candidate(moved, {**best.params, name: found.cost}, best.family)


def _objective(route: Any) -> gradient.Objective | None:
    code = route.task.criterion.code
    if np.ptp(route.weight) > 0 if hasattr(route, "weight") else True:
        return None  # the derivatives are for equal weights
    final = route.task.final
    if isinstance(route, RidgeRoute) and code in RIDGE:
        return RIDGE[code](route.y, bool(final.fit_intercept))
    if isinstance(route, MarginRoute) and code == "radius-margin":
        classes = np.unique(route.y)
        if len(classes) == 2 and getattr(final, "loss", "") == "squared_hinge":
            return gradient.radius_margin(
                np.where(route.y == classes[1], 1.0, -1.0), bool(final.fit_intercept)
            )
    return None
