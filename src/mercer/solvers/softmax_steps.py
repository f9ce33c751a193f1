"""Minimisers of the multinomial logistic risk, each with its number of steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import OptimizeResult, minimize
from scipy.sparse.linalg import svds

from mercer.solvers.softmax import SoftmaxRisk
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
Found = tuple[Floats, int, bool]  # where, after how many steps, and whether tol was met

INNER = 200  # most steps for one Newton direction


def quasi_newton(
    risk: SoftmaxRisk, beta: Floats, tol: float, most: int, watch: Watch | None = None
) -> Found:
    """Limited-memory BFGS."""
    seen = [np.inf]

    def told(intermediate_result: OptimizeResult) -> None:
        seen.append(float(intermediate_result.fun))
        if watch is not None and watch.over(len(seen) - 1, seen[-2] - seen[-1]):
            raise StopIteration

    options = {"maxiter": most, "gtol": tol, "ftol": 64 * np.finfo(float).eps, "maxls": 50}
    found = minimize(
        risk.value_and_gradient, beta, jac=True, method="L-BFGS-B", options=options, callback=told
    )
    return found.x, int(found.nit), bool(found.success)


def newton(
    risk: SoftmaxRisk, beta: Floats, tol: float, most: int, watch: Watch | None = None
) -> Found:
    """Newton's method; its equations are solved by conjugate gradients, as far as it pays."""
    value, gradient = risk.value_and_gradient(beta)
    for count in range(most):
        size = float(np.abs(gradient).max())
        if size <= tol:
            return beta, count, True
        if watch is not None and watch.over(count, size):
            return beta, count, False
        step = _truncated(risk.curvature(beta), gradient)
        length, slope = 1.0, float(step @ gradient)
        while length > 1e-10:
            new = beta - length * step
            new_value, new_gradient = risk.value_and_gradient(new)
            if new_value <= value - 1e-4 * length * slope + 1e-15 * abs(value):
                break
            length *= 0.5
        else:
            return beta, count, size <= 100 * tol  # rounding hides any further gain
        beta, value, gradient = new, new_value, new_gradient
    return beta, most, bool(np.abs(gradient).max() <= tol)


def descend(
    risk: SoftmaxRisk, beta: Floats, tol: float, most: int, watch: Watch | None = None
) -> Found:
    """Plain descent with the step 1/L."""
    step = 1.0 / _smoothness(risk)
    for count in range(most):
        _, gradient = risk.value_and_gradient(beta)
        size = float(np.abs(gradient).max())
        if size <= tol:
            return beta, count, True
        if watch is not None and watch.over(count, size):
            return beta, count, False
        beta = beta - step * gradient
    return beta, most, False


METHODS = {"newton": newton, "gradient": descend, "lbfgs": quasi_newton}


def _truncated(product: Callable[[Floats], Floats], gradient: Floats) -> Floats:
    """An approximate Newton direction: exact where the gradient is already small."""
    size = float(np.linalg.norm(gradient))
    goal = min(0.5, np.sqrt(size)) * size
    step, residual = np.zeros_like(gradient), gradient.copy()
    along, square = residual.copy(), size**2
    for _ in range(INNER):
        if np.sqrt(square) <= goal:
            break
        image = product(along)
        curvature = float(along @ image)
        if curvature <= 1e-16 * float(along @ along):
            return step if step.any() else gradient  # flat: constants added to all scores
        step += (square / curvature) * along
        residual -= (square / curvature) * image
        last, square = square, float(residual @ residual)
        along = residual + (square / last) * along
    return step


def _smoothness(risk: SoftmaxRisk) -> float:
    """Lipschitz constant of the gradient: ‖√w X‖²/4 for two classes, /2 for more, + penalty."""
    root = np.sqrt(risk.weight)
    ones = np.ones((len(root), int(risk.fit_intercept)))
    if sparse.issparse(risk.X):
        lifted = sparse.diags_array(root) @ sparse.hstack([risk.X, sparse.csr_array(ones)])
        side = min(lifted.shape)
        start = np.random.default_rng(0).normal(size=side)  # the same step every time
        top = (
            float(svds(lifted, k=1, v0=start, return_singular_vectors=False)[0])
            if side > 1
            else float(sparse.linalg.norm(lifted))
        )
    else:
        top = float(np.linalg.norm(root[:, None] * np.hstack([risk.X, ones]), 2))
    return top**2 / (4.0 if risk.outputs == 1 else 2.0) + risk.penalty
