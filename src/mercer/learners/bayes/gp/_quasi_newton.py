"""Minimise a smooth function of a few variables that is expensive to evaluate.

An evidence costs a Cholesky factorisation per evaluation, so every one counts. Unlike SciPy's
L-BFGS-B this method can be told the curvature in advance, which the evidence of a part of the rows
supplies almost exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats]]
LONGEST = 2.0  # of a step in log-parameters: a factor of 7.4
DAMPING = 0.05  # smallest share of the curvature that one update may leave
SHORTEST = 1e-4  # of a step, relative to the first trial


@dataclass
class Minimum:
    """Where the search ended: point, value, gradient, curvature, and what it cost.

    ``proposal`` is one more step, which promises less than the tolerance and was not evaluated:
    worth taking by a caller who evaluates the end point anyway.
    """

    x: Floats
    value: float
    gradient: Floats
    hessian: Floats
    n_evaluations: int
    converged: bool
    proposal: Floats


def minimise(
    objective: Objective,
    start: Floats,
    bounds: Floats,
    *,
    hessian: Floats | None = None,
    flat: NDArray[np.bool_] | None = None,
    tol: float = 1e-5,
    max_evaluations: int = 200,
) -> Minimum:
    """Projected BFGS with damped updates; stops when a step promises less than ``tol``.

    Parameters
    ----------
    objective : callable
        Returns the value (may be infinite where it cannot be computed) and the gradient.
    bounds : array of shape (n, 2)
    hessian : array of shape (n, n), optional
        Positive definite curvature to start from.
    flat : array of bool, optional
        Variables whose given curvature is not to be trusted: the value may be nearly flat there,
        and the first step along them is one unit long.
    tol : float
        In units of the value.
    """
    x = np.clip(start, bounds[:, 0], bounds[:, 1])
    value, gradient = objective(x)
    count, known = 1, hessian is not None
    B = hessian.copy() if hessian is not None else np.eye(x.size)
    if not known:
        B *= max(1.0, float(np.linalg.norm(gradient)))
    elif flat is not None and flat.any():
        B[flat, :] = B[:, flat] = 0.0
        B[flat, flat] = np.abs(gradient[flat]) + 1e-3
    converged = x.size == 0 or not np.isfinite(value)
    reach = LONGEST  # what the last step has shown to be safe
    while not converged and count < max_evaluations:
        step, promise = _direction(x, gradient, B, bounds, reach)
        if promise < tol:
            converged = True
            break
        moved, new_value, new_gradient, tried = _search(
            objective, x, value, gradient, step, bounds, max_evaluations - count
        )
        count += tried
        if moved is None:  # rounding: no descent is left along the best direction known
            if known:
                B, known = np.diag(np.maximum(np.diag(B), 1e-8)), False
                continue
            converged = promise < 1e3 * tol
            break
        length = float(np.abs(moved - x).max())
        reach = min(LONGEST, (2.0 if tried > 1 else 3.0) * length)
        B = _updated(B, moved - x, new_gradient - gradient, first=not known)
        known = True
        x, value, gradient = moved, new_value, new_gradient
    step = (
        _direction(x, gradient, B, bounds, reach)[0]
        if converged and np.isfinite(value)
        else 0.0 * x
    )
    proposal = np.clip(x + step, bounds[:, 0], bounds[:, 1])
    return Minimum(x, value, gradient, B, count, converged, proposal)


def _direction(
    x: Floats, gradient: Floats, B: Floats, bounds: Floats, reach: float
) -> tuple[Floats, float]:
    """A quasi-Newton step in the variables that are free to move, and the decrease it promises."""
    pinned = ((x <= bounds[:, 0]) & (gradient > 0)) | ((x >= bounds[:, 1]) & (gradient < 0))
    free = ~pinned
    step = np.zeros_like(x)
    if free.any():
        step[free] = -np.linalg.solve(B[np.ix_(free, free)], gradient[free])
        longest = float(np.abs(step).max())
        if longest > reach:
            step *= reach / longest
    return step, float(-0.5 * gradient @ step)


def _search(
    objective: Objective,
    x: Floats,
    value: float,
    gradient: Floats,
    step: Floats,
    bounds: Floats,
    budget: int,
) -> tuple[Floats | None, float, Floats, int]:
    """Shorten the step until the value falls enough, by quadratic interpolation."""
    scale, count = 1.0, 0
    while scale > SHORTEST and count < max(1, budget):
        trial = np.clip(x + scale * step, bounds[:, 0], bounds[:, 1])
        slope = float(gradient @ (trial - x))
        new_value, new_gradient = objective(trial)
        count += 1
        if np.isfinite(new_value) and new_value <= value + 1e-4 * slope:
            return trial, new_value, new_gradient, count
        if np.isfinite(new_value):
            bend = 2.0 * (new_value - value - slope)
            scale *= float(np.clip(-slope / bend if bend > 0 else 0.1, 0.1, 0.5))
        else:
            scale *= 0.25
    return None, value, gradient, count


def _updated(B: Floats, s: Floats, y: Floats, first: bool) -> Floats:
    """Powell's damped BFGS update, which keeps B positive definite."""
    if first and float(s @ y) > 0:
        B = np.eye(s.size) * float(y @ y) / float(s @ y)
    Bs = B @ s
    curvature, sy = float(s @ Bs), float(s @ y)
    if curvature <= 0:
        return B
    if sy < DAMPING * curvature:
        share = (1.0 - DAMPING) * curvature / (curvature - sy)
        y = share * y + (1.0 - share) * Bs
        sy = float(s @ y)
    return B - np.outer(Bs, Bs) / curvature + np.outer(y, y) / sy
