"""Newton's method for sums over rows that are read again at each step, and never held.

Minimises ½‖v‖² + C Σ w ℓ(y (φ'v + b)) for several labellings of the same rows at once, each on its
own. A pass gives value, gradient and Hessian at one point; a step that did not pay is halved at the
next pass instead of being searched for, so a step costs one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Floats = NDArray[np.float64]
ENOUGH = 1e-4  # of the promised decrease that a step must bring
SHORTEST = 2.0**-20
ROUNDING = 1e-7  # of single precision, in which batches are added up


@dataclass(frozen=True)
class LossSums:
    """Σ w ℓ, its gradient and Hessian in (v, b) for each labelling, and the rows counted."""

    value: Floats  # (k,)
    gradient: Floats  # (k, m + 1)
    hessian: Floats  # (k, m + 1, m + 1)

    @classmethod
    def of(
        cls,
        phi: NDArray[Any],
        signs: NDArray[Any],
        weight: NDArray[Any] | None,
        loss: Any,
        state: Floats,
    ) -> LossSums:
        """Of one batch at ``state`` (k, m + 1); the last coordinate is the offset.

        Parameters
        ----------
        phi : (n, m)
        signs : (n, k), of −1 and +1
        loss : a smooth margin loss
        """
        outputs = phi @ state[:, :-1].T.astype(phi.dtype) + state[:, -1]
        many, m = state.shape[0], phi.shape[1]
        value, gradient = np.zeros(many), np.zeros((many, m + 1))
        hessian = np.zeros((many, m + 1, m + 1))
        for k in range(many):
            out, sign = outputs[:, k].astype(np.float64), signs[:, k].astype(np.float64)
            scale = np.ones(len(phi)) if weight is None else weight
            value[k] = float(scale @ loss.value(out, sign))
            slope = scale * loss.gradient(out, sign)
            bend = scale * loss.curvature(out, sign)
            gradient[k, :-1] = phi.T @ slope.astype(phi.dtype)
            gradient[k, -1] = slope.sum()
            used = np.flatnonzero(bend)  # of the squared hinge: the rows inside the margin
            rows = (phi if len(used) == len(phi) else phi[used]) * np.sqrt(bend[used])[
                :, None
            ].astype(phi.dtype)
            hessian[k, :-1, :-1] = rows.T @ rows
            side = rows.T @ np.sqrt(bend[used]).astype(phi.dtype)
            hessian[k, -1, :-1] = hessian[k, :-1, -1] = side
            hessian[k, -1, -1] = bend.sum()
        return cls(value, gradient, hessian)

    def merge(self, other: LossSums) -> LossSums:
        """Of both parts."""
        return LossSums(
            self.value + other.value,
            self.gradient + other.gradient,
            self.hessian + other.hessian,
        )


@dataclass(frozen=True)
class StreamedSolution:
    """Where the method stopped; ``decrement`` bounds nothing but tells how much a step promises."""

    state: Floats
    objective: Floats
    passes: int
    decrement: float
    converged: bool


def newton(
    sums: Callable[[Floats], LossSums],
    state: Floats,
    C: float,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-5,
    max_iter: int = 30,
    told: Callable[[int, float], bool] | None = None,
) -> StreamedSolution:
    """Minimise, one pass per step.

    Parameters
    ----------
    sums : function
        One pass over the rows at a state of shape (k, m + 1).
    state : ndarray
        Where to start.
    tol : float
        Stop when a full step promises less than this part of the objective.
    told : function or None
        Called with the number of passes and the promise; true ends the method.
    """
    state = state.copy()
    best = np.full(len(state), np.inf)
    origin, step, length = state.copy(), np.zeros_like(state), np.ones(len(state))
    promise = np.full(len(state), np.inf)
    passes = 0
    for passes in range(1, max(1, max_iter) + 1):
        found = sums(state)
        objective = 0.5 * np.sum(state[:, :-1] ** 2, axis=1) + C * found.value
        for k in range(len(state)):
            slack = ENOUGH * length[k] * promise[k] if np.isfinite(promise[k]) else 0.0
            if objective[k] <= best[k] - slack or length[k] < SHORTEST or not promise[k]:
                best[k], origin[k] = min(best[k], objective[k]), state[k]
                step[k], promise[k] = _step(found, state[k], C, k, fit_intercept)
                length[k] = 1.0
            else:
                length[k] /= 2.0
            state[k] = origin[k] + length[k] * step[k]
        left = float(np.max(promise / np.maximum(1.0, np.abs(best))))
        if left <= tol or (told is not None and told(passes, left)):
            break
    done = left <= tol
    return StreamedSolution(origin if not done else state, best, passes, left, done)


def _step(
    found: LossSums, point: Floats, C: float, k: int, fit_intercept: bool
) -> tuple[Floats, float]:
    """Newton's direction and the decrease that the quadratic model promises."""
    m = len(point) - 1
    gradient = C * found.gradient[k]
    gradient[:m] += point[:m]
    hessian = C * found.hessian[k]
    hessian[np.arange(m), np.arange(m)] += 1.0
    hessian[m, m] += 1e-10 * (1.0 + hessian[m, m])  # rows inside the margin may be none
    size = m + 1 if fit_intercept else m
    step = np.zeros(m + 1)
    step[:size] = -_solve(hessian[:size, :size], gradient[:size])
    return step, float(max(0.0, -0.5 * gradient[:size] @ step[:size]))


def _solve(hessian: Floats, gradient: Floats) -> Floats:
    """Newton's equation; a Hessian that rounding made indefinite is lifted until it is not.

    With a high price of errors the identity in it is smaller than the rounding of what is added.
    Any lift gives a direction of descent, only a shorter one.
    """
    lift, whole = 0.0, float(np.trace(hessian))
    while True:
        lifted = hessian + lift * np.eye(len(hessian)) if lift else hessian
        try:
            return np.asarray(cho_solve(cho_factor(lifted), gradient))
        except LinAlgError:
            lift = 10.0 * lift or ROUNDING * whole
            if not np.isfinite(whole) or lift > whole:  # no rounding is as large as that
                raise
