"""Criteria with derivatives, followed downhill in the logarithms of all length scales and the cost.

For a radial kernel k = g(r²), r² = Σ_j (x_j − y_j)²/l_j², and a criterion with ∂L = Σ G_ik ∂K_ik,

    ∂L/∂ln l_j = Σ_ik M_ik (x_ij − x_kj)²/l_j²,   M = −2 G ∘ g'(r²),

which costs two matrix products for all columns together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from mercer._types import Samples
from mercer.gram import DenseGram
from mercer.kernels.distances import squared_distances
from mercer.kernels.vectors.radial import RadialKernel
from mercer.learners.margin.svm.svdd import enclosing_ball
from mercer.solvers import problems, smo

Floats = NDArray[np.float64]
# kernel matrix and ln cost -> value, G, derivative by ln cost
Objective = Callable[[Floats, float], tuple[float, Floats, float]]


@dataclass(frozen=True)
class Descent:
    """Where the search ended."""

    length_scale: Any
    cost: float
    value: float
    evaluations: int


def radius_margin(y: Floats, fit_intercept: bool, tol: float = 1e-6) -> Objective:
    """R²‖w‖²/n of the squared hinge loss; y holds −1 and +1, the cost is C."""

    def objective(K: Floats, log_cost: float) -> tuple[float, Floats, float]:
        n, shift = len(y), 0.5 * np.exp(-log_cost)
        K = K + shift * np.eye(n)
        problem = problems.c_svc(y, np.inf, n=n, fit_intercept=fit_intercept)
        found = smo.solve(problem, DenseGram(K, validate=False), tol=tol)
        beta = found.coef
        norm = 2.0 * float(np.abs(beta).sum()) - float(beta @ K @ beta)
        ball = enclosing_ball(DenseGram(K, validate=False), tol=tol)
        squared_radius = ball.squared_from_below  # of the dual: errs by the square of the tolerance
        around = np.diag(ball.weights) - np.outer(ball.weights, ball.weights)
        G = (norm * around - squared_radius * np.outer(beta, beta)) / n
        return squared_radius * norm / n, G, -shift * float(np.trace(G))

    return objective


def ridge_leave_one_out(y: Floats, fit_intercept: bool) -> Objective:
    """Logarithm of the mean squared leave-one-out residual of kernel ridge; the cost is alpha.

    With an intercept, as if it were an infinitely wide constant in the kernel: the row and column
    means are taken out, and every leverage grows by 1/n.
    """
    n = len(y)
    z = y - y.mean() if fit_intercept else y

    def objective(K: Floats, log_cost: float) -> tuple[float, Floats, float]:
        alpha = np.exp(log_cost)
        B = _inverse(_projected(K, fit_intercept), alpha)
        if fit_intercept:
            B = B - 1.0 / (alpha * n)  # the direction of the intercept takes no residual
        c, d = B @ z, np.diag(B)
        left = c / d
        value = float(left @ left) / n
        u, v = 2.0 * left / d / n, 2.0 * left**2 / d / n
        G = -np.outer(B @ u, c) + (B * v) @ B
        G = _projected((G + G.T) / 2.0, fit_intercept) / value
        return float(np.log(value)), G, alpha * float(np.trace(G))

    return objective


def ridge_marginal_likelihood(y: Floats, fit_intercept: bool) -> Objective:
    """Minus the log evidence per row of a Gaussian process with covariance v(K + alpha I)."""
    n = len(y)
    z = y - y.mean() if fit_intercept else y
    m = n - 1 if fit_intercept else n

    def objective(K: Floats, log_cost: float) -> tuple[float, Floats, float]:
        alpha = np.exp(log_cost)
        factor = cho_factor(_projected(K, fit_intercept) + alpha * np.eye(n), lower=True)
        B = cho_solve(factor, np.eye(n))
        logs = 2.0 * float(np.sum(np.log(np.diag(factor[0]))))
        if fit_intercept:
            logs -= np.log(alpha)
            B = B - 1.0 / (alpha * n)
        c = B @ z
        quadratic = float(z @ c)
        value = 0.5 * (np.log(2.0 * np.pi * math.e * quadratic / m) + logs / m)
        G = _projected(0.5 * (B / m - np.outer(c, c) / quadratic), fit_intercept)
        return float(value), G, alpha * float(np.trace(G))

    return objective


def descend(
    objective: Objective,
    X: Samples,
    kernel: RadialKernel,
    cost: float,
    *,
    ard: bool = False,
    max_evaluations: int = 60,
) -> Descent:
    """Follow the gradient from the kernel's length scale and the given cost."""
    X = np.asarray(X, dtype=np.float64)
    scale = np.asarray(kernel.length_scale, dtype=np.float64)
    if ard and scale.ndim == 0:
        scale = np.full(X.shape[1], float(scale))
    start = np.append(np.log(scale), np.log(cost))
    count = 0

    def both(theta: Floats) -> tuple[float, Floats]:
        nonlocal count
        count += 1
        return value_and_gradient(objective, X, kernel, theta)

    reach = [(t - 7.0, t + 7.0) for t in start]
    found = minimize(
        both, start, jac=True, method="L-BFGS-B", bounds=reach, options={"maxfun": max_evaluations}
    )
    scales = np.exp(found.x[:-1])
    length = scales if scale.ndim else float(scales[0])
    return Descent(length, float(np.exp(found.x[-1])), float(found.fun), count)


def value_and_gradient(
    objective: Objective, X: Floats, kernel: RadialKernel, theta: Floats
) -> tuple[float, Floats]:
    """Of the criterion at ln length scales (one or one per column) and ln cost."""
    scales = np.exp(theta[:-1])
    Z = X / scales
    r2 = squared_distances(Z, Z)
    value, G, by_cost = objective(kernel._profile(r2), float(theta[-1]))
    M = -2.0 * G * kernel._profile_slope(r2)
    if len(scales) == 1:
        return value, np.array([float(np.sum(M * r2)), by_cost])
    by_scale = 2.0 * (M.sum(axis=1) @ Z**2 - np.einsum("ij,ij->j", Z, M @ Z))
    return value, np.append(by_scale, by_cost)


def _projected(K: Floats, fit_intercept: bool) -> Floats:
    if not fit_intercept:
        return K
    row = K.mean(axis=0)
    return K - row[None, :] - K.mean(axis=1)[:, None] + row.mean()


def _inverse(K: Floats, alpha: float) -> Floats:
    return cho_solve(cho_factor(K + alpha * np.eye(len(K)), lower=True), np.eye(len(K)))
