"""½‖f‖² + Σ p_i ℓ(f(x_i) + b, y_i) for any convex loss, with a duality gap.

By the representer theorem f = Σ β_i k(x_i, ·); at the optimum β_i = −p_i ∂ℓ, and the dual is
−½ β'Kβ − Σ p_i ℓ*(−β_i/p_i) with Σ β_i = 0 if there is an offset b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mercer.losses import Loss
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]

ROUNDING = 1e-15


@dataclass(frozen=True)
class RiskProblem:
    """``price`` is C times the weight of each row, all positive."""

    K: Floats
    y: Floats
    loss: Loss
    price: Floats
    fit_intercept: bool

    def primal(self, coef: Floats, image: Floats, offset: float) -> float:
        """The objective at f = Σ coef_i k(x_i, ·), whose values at the rows are ``image``."""
        losses = self.loss.value(image + offset, self.y)
        return float(0.5 * coef @ image + self.price @ losses)

    def gap(self, coef: Floats, image: Floats, offset: float, dual: Floats) -> float:
        """Primal minus dual value at the feasible dual point ``dual``.

        An offset wants Σ dual_i = 0; what is missing is charged for offsets up to 2|b| + 1.
        """
        conjugates = self.loss.conjugate(-dual / self.price, self.y)
        if not np.all(np.isfinite(conjugates)):
            return math.inf
        value = -0.5 * dual @ (self.K @ dual) - self.price @ conjugates
        if self.fit_intercept:
            value -= abs(float(dual.sum())) * (2.0 * abs(offset) + 1.0)
        return self.primal(coef, image, offset) - float(value)


@dataclass(frozen=True)
class RiskSolution:
    """Coefficients, offset, values without offset, and how far from optimal the objective is."""

    coef: Floats
    offset: float
    image: Floats
    primal: float
    gap: float
    n_iter: int
    stopped: str  # "tolerance", "max_iter", "time_limit" or "stalled"
    method: str

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stopped == "tolerance"


def newton(
    problem: RiskProblem,
    tol: float,
    max_iter: int,
    watch: Watch | None = None,
    start: tuple[Floats, float] | None = None,
) -> RiskSolution:
    """Newton's method for smooth losses, with step halving, from zero or from ``start``.

    The step solves (I + SKS) x = S(f − Kr − b) for S = √(p ℓ''), r = −p ℓ' and β = r + Sx, which
    stays well conditioned when the curvature vanishes.
    """
    coef, offset = (np.zeros(len(problem.y)), _first_offset(problem)) if start is None else start
    image = problem.K @ coef
    value, gap, stopped, count = problem.primal(coef, image, offset), math.inf, "max_iter", 0
    while count < max_iter:
        count += 1
        new, moved = _newton_point(problem, image, offset)
        new_image = problem.K @ new
        last = value
        step, value = _halve(problem, (coef, image, offset), (new, new_image, moved), value)
        coef = coef + step * (new - coef)
        image = image + step * (new_image - image)
        offset = offset + step * (moved - offset)
        dual = -problem.price * problem.loss.gradient(image + offset, problem.y)
        before, gap = gap, problem.gap(coef, image, offset, dual)
        if gap <= tol * max(1.0, abs(value)):
            stopped = "tolerance"
            break
        if step == 0.0 or (count > 1 and last - value <= ROUNDING * abs(value) and gap >= before):
            stopped = "stalled"
            break
        if watch is not None and watch.over(count, gap):
            stopped = "time_limit"
            break
    return RiskSolution(coef, offset, image, value, gap, count, stopped, "newton")


def _first_offset(problem: RiskProblem) -> float:
    """A start inside the data, so that some rows have curvature."""
    return float(np.median(problem.y)) if problem.fit_intercept else 0.0


def _newton_point(problem: RiskProblem, image: Floats, offset: float) -> tuple[Floats, float]:
    f = image + offset
    r = -problem.price * problem.loss.gradient(f, problem.y)
    bend = problem.loss.curvature(f, problem.y)
    if not bend.any():
        bend = np.full_like(bend, 1e-3)  # nothing to go by: a short, safe step
    active = np.flatnonzero(bend > 0)
    s = np.sqrt(problem.price[active] * bend[active])
    square = s[:, None] * problem.K[np.ix_(active, active)] * s
    square[np.diag_indices_from(square)] += 1.0
    factor = cho_factor(square, lower=True, overwrite_a=True, check_finite=False)
    right = s * (f[active] - problem.K[active] @ r)
    x = cho_solve(factor, right, check_finite=False)
    if problem.fit_intercept:
        of_one = cho_solve(factor, s, check_finite=False)
        offset = float((r.sum() + s @ x) / (s @ of_one))
        x = x - offset * of_one
    new = r.copy()
    new[active] += s * x
    return new, offset


def _halve(
    problem: RiskProblem,
    old: tuple[Floats, Floats, float],
    new: tuple[Floats, Floats, float],
    value: float,
) -> tuple[float, float]:
    """The longest of the steps 1, ½, ¼, … that lowers the objective, and the new value."""
    step = 1.0
    for _ in range(60):
        coef = old[0] + step * (new[0] - old[0])
        image = old[1] + step * (new[1] - old[1])
        found = problem.primal(coef, image, old[2] + step * (new[2] - old[2]))
        if found <= value + ROUNDING * abs(value):  # the last steps gain less than can be seen
            return step, found
        step *= 0.5
    return 0.0, value


def splitting(
    problem: RiskProblem, tol: float, max_iter: int, watch: Watch | None = None
) -> RiskSolution:
    """Alternating directions for any convex loss: needs its gradient only, through ``prox``."""
    n = len(problem.y)
    z, u = np.zeros(n), np.zeros(n)
    rho = float(np.mean(problem.price)) or 1.0
    system = _ShiftedSystem(problem, rho)
    best: RiskSolution | None = None
    for count in range(1, max_iter + 1):
        coef, offset = system.solve(z - u)
        image = problem.K @ coef
        relaxed = 1.6 * (image + offset) - 0.6 * z
        before, z = z, problem.loss.prox(relaxed + u, problem.y, problem.price / rho)
        u = u + relaxed - z
        late = watch is not None and watch.over(count, math.inf if best is None else best.gap)
        if count % 10 == 0 or count == max_iter or late:
            value = problem.primal(coef, image, offset)
            gap = problem.gap(coef, image, offset, -rho * u)
            met = gap <= tol * max(1.0, abs(value))
            if best is None or gap < best.gap:
                stopped = "tolerance" if met else ("time_limit" if late else "max_iter")
                best = RiskSolution(coef, offset, image, value, gap, count, stopped, "splitting")
            if met or late:
                break
        if count in (20, 40, 80, 160, 320):  # balance how far the copies differ and how they move
            ratio = np.linalg.norm(image + offset - z) / max(
                float(np.linalg.norm(problem.K @ (rho * (z - before)))), 1e-300
            )
            factor = float(np.clip(np.sqrt(ratio), 0.1, 10.0))
            rho, u = rho * factor, u / factor
            system = _ShiftedSystem(problem, rho)
    assert best is not None
    return best


class _ShiftedSystem:
    """(K + I/ρ)β + b = v with Σ β = 0: the quadratic half of a splitting step."""

    def __init__(self, problem: RiskProblem, rho: float) -> None:
        square = problem.K.copy()
        square[np.diag_indices_from(square)] += 1.0 / rho
        self.factor = cho_factor(square, lower=True, overwrite_a=True, check_finite=False)
        ones = np.ones(len(problem.y)) if problem.fit_intercept else None
        self.of_one = None if ones is None else cho_solve(self.factor, ones)

    def solve(self, v: Floats) -> tuple[Floats, float]:
        coef = cho_solve(self.factor, v, check_finite=False)
        if self.of_one is None:
            return coef, 0.0
        offset = float(coef.sum() / self.of_one.sum())
        return coef - offset * self.of_one, offset
