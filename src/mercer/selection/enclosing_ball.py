"""The smallest ball around points of a feature space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.gram import DenseGram
from mercer.solvers import smo
from mercer.solvers._base import BoxProblem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ball:
    """Centre Σ β_i φ(x_i) with β ≥ 0, Σ β = 1, and the squared radius."""

    beta: Floats
    squared_radius: float


def enclosing_ball(K: Floats, tol: float = 1e-5) -> Ball:
    """Maximise Σ β_i K_ii − β'Kβ: the dual of the smallest enclosing ball.

    Halved, it is a support-vector dual with one equality constraint. The value of any feasible
    β is a lower limit of the squared radius, and at the optimum it is the squared radius.
    """
    K = np.ascontiguousarray(K, dtype=np.float64)
    n, diagonal = len(K), K.diagonal().copy()
    scale = max(float(diagonal.max()), 1e-300)
    start = np.full(n, 1.0 / n)
    ones = np.ones(n)
    problem = BoxProblem(
        n=n,
        sign=ones,
        linear=-0.5 * diagonal,
        upper=ones,
        start=start,
        index=np.arange(n),
        group=np.zeros(n, dtype=np.int8),
        balance=ones,
    )
    solution = smo.solve(problem, DenseGram(K, validate=False), tol=tol * scale)
    beta = solution.coef
    return Ball(beta, max(float(beta @ diagonal - beta @ K @ beta), 0.0))
