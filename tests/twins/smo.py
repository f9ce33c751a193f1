"""The slow, obvious SMO: full Gram in float64, one pair at a time. The solver's oracle."""

from __future__ import annotations

import numpy as np

from mercer.solvers.quadratic import BoxProblem, Solution

FLAT = 1e-12  # stands in for a curvature that is zero or negative, as in LIBSVM


def solve(problem: BoxProblem, gram, *, tol=1e-3, max_iter=1_000_000, **_) -> Solution:
    """Minimise a BoxProblem; ``gram`` is an array or anything with ``rows(index)``."""
    K = gram if isinstance(gram, np.ndarray) else gram.rows(np.arange(problem.n))
    K = np.asarray(K, dtype=np.float64)
    shift = np.zeros(problem.n_variables) if problem.shift is None else problem.shift
    Q = problem.sign[:, None] * problem.sign * K[np.ix_(problem.index, problem.index)]
    Q = Q + np.diag(shift)
    alpha = problem.start.astype(np.float64).copy()
    gradient = Q @ alpha + problem.linear
    step = _step_free if problem.group is None else _step_pair
    stopped = "max_iter"
    for n_iter in range(max_iter + 1):
        gap = step(problem, Q, alpha, gradient, tol, moving=n_iter < max_iter)
        if gap <= tol:
            stopped = "tolerance"
            break
    coef = np.zeros(problem.n)
    np.add.at(coef, problem.index, problem.sign * alpha)
    return Solution(
        alpha=alpha,
        coef=coef,
        decision=K @ coef,
        offsets=_offsets(problem, alpha, gradient),
        objective=float(0.5 * alpha @ (gradient + problem.linear)),
        gap=float(max(gap, 0.0)),
        n_iter=n_iter,
        stopped=stopped,
    )


def _step_free(problem, Q, alpha, gradient, tol, moving):
    """No equality constraint: one Newton step on the variable that gains most."""
    violation = np.where(alpha <= 0, np.maximum(-gradient, 0), np.abs(gradient))
    violation = np.where(alpha >= problem.upper, np.maximum(gradient, 0), violation)
    gap = violation.max(initial=0.0)
    if gap <= tol or not moving:
        return gap
    curvature = np.maximum(np.diag(Q), FLAT)
    v = int(np.argmax(violation**2 / curvature))
    new = np.clip(alpha[v] - gradient[v] / curvature[v], 0.0, problem.upper[v])
    gradient += Q[:, v] * (new - alpha[v])
    alpha[v] = new
    return gap


def _step_pair(problem, Q, alpha, gradient, tol, moving):
    """Second-order choice of a pair within one group, as in LIBSVM."""
    b = problem.balance
    score = b * gradient
    best = (-np.inf, -1, -1)
    gap = -np.inf
    for g in range(problem.n_groups):
        here = problem.group == g
        up = here & np.where(b > 0, alpha < problem.upper, alpha > 0)
        low = here & np.where(b > 0, alpha > 0, alpha < problem.upper)
        if not up.any() or not low.any():
            continue
        i = int(np.flatnonzero(up)[np.argmin(score[up])])
        gap = max(gap, score[low].max() - score[i])
        rivals = np.flatnonzero(low & (score > score[i]))
        if len(rivals) == 0:
            continue
        curvature = Q[i, i] + np.diag(Q)[rivals] - 2 * b[i] * b[rivals] * Q[i, rivals]
        gain = (score[rivals] - score[i]) ** 2 / np.where(curvature > 0, curvature, FLAT)
        k = int(np.argmax(gain))
        best = max(best, (float(gain[k]), i, int(rivals[k])))
    _, i, j = best
    if gap <= tol or i < 0 or not moving:
        return gap
    curvature = Q[i, i] + Q[j, j] - 2 * b[i] * b[j] * Q[i, j]
    t = (score[j] - score[i]) / (curvature if curvature > 0 else FLAT)
    t = min(t, _room(alpha[i], problem.upper[i], b[i]), _room(alpha[j], problem.upper[j], -b[j]))
    for v, direction in ((i, b[i]), (j, -b[j])):
        new = np.clip(alpha[v] + direction * t, 0.0, problem.upper[v])
        if problem.upper[v] - new <= 1e-14 * new:  # rounding must not leave it a hair inside
            new = problem.upper[v]
        gradient += Q[:, v] * (new - alpha[v])
        alpha[v] = new
    return gap


def _room(alpha, upper, direction):
    return upper - alpha if direction > 0 else alpha


def _offsets(problem, alpha, gradient):
    """The multiplier of each group: mean over free variables, else the middle of its interval."""
    offsets = []
    for g in range(problem.n_groups):
        here = problem.group == g
        score = problem.balance * gradient
        free = here & (alpha > 0) & (alpha < problem.upper)
        if free.any():
            offsets.append(float(score[free].mean()))
            continue
        b = problem.balance
        up = here & np.where(b > 0, alpha < problem.upper, alpha > 0)
        low = here & np.where(b > 0, alpha > 0, alpha < problem.upper)
        lowest = score[up].min(initial=np.inf)
        highest = score[low].max(initial=-np.inf)
        offsets.append(float((lowest + highest) / 2))
    return tuple(offsets)
