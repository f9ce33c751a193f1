"""One trained binary classifier or regressor: the solver's answer in the user's terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.quadratic import BoxProblem, Floats, Solution


@dataclass(frozen=True)
class Machine:
    """``f(x) = sum_i coef_i k(x_rows[i], x) + intercept`` and what it came from.

    ``output`` is f at the training rows. ``scale`` is what the solver's coefficients were divided
    by (ν-SVM: rho, so that the margin is at 1; 1 otherwise). ``solution`` is the solver's own, with
    ``coef`` and ``decision`` restricted to the machine's rows.
    """

    problem: BoxProblem
    solution: Solution
    rows: NDArray[np.intp]
    target: Floats
    weight: Floats
    coef: Floats
    intercept: float
    output: Floats
    scale: float = 1.0
    tube: float = 0.0  # half-width of the insensitive tube of a regression

    @property
    def squared_norm(self) -> float:
        """‖w‖² of the weight vector in feature space (negative only if the kernel is not PSD)."""
        return float(self.coef @ (self.output - self.intercept))

    @property
    def support(self) -> NDArray[np.intp]:
        """Row numbers, in the training data, of the support vectors."""
        return self.rows[self.coef != 0]


def read_machine(
    problem: BoxProblem,
    solution: Solution,
    target: Floats,
    weight: Floats,
    *,
    intercept: float = 0.0,
    scale: float = 1.0,
    tube: float = 0.0,
) -> Machine:
    """Turn a solved problem into a machine; ``target`` and ``weight`` follow the data rows."""
    # Regressions have two variables per sample: the first half names each row once.
    rows = problem.index[: len(target)]
    coef, decision = solution.coef[rows], solution.decision[rows]
    return Machine(
        problem=problem,
        solution=_with(solution, coef, decision),
        rows=rows,
        target=target,
        weight=weight,
        coef=coef / scale,
        intercept=intercept / scale,
        output=(decision + intercept) / scale,
        scale=scale,
        tube=tube,
    )


def _with(solution: Solution, coef: Floats, decision: Floats) -> Solution:
    return Solution(
        solution.alpha,
        coef,
        decision,
        solution.offsets,
        solution.objective,
        solution.gap,
        solution.n_iter,
        solution.stopped,
        solution.seconds,
        solution.stats,
    )


def primal_objective(problem: BoxProblem, solution: Solution) -> float:
    r"""Value of the primal problem at a machine's weight vector and multipliers.

    With :math:`h_v = sign_v f_v + p_v - \rho_{g(v)} b_v`, the slack of variable v is
    :math:`\xi_v = \max(0, -h_v)` and the primal is
    :math:`½‖w‖² + Σ_v upper_v ξ_v - Σ_g ρ_g c_g`, with :math:`ξ_v²/(2 d_v)` for a shifted variable;
    :math:`c_g` is the constant of the constraint. This one formula covers every machine. A hard
    margin admits no slack: there w is first stretched until the worst point fits. A hard tube
    counts slack within the solver's tolerance as none.

    ``solution`` is a machine's: ``coef`` and ``decision`` belong to its rows, in their order.
    """
    repeats = problem.n_variables // max(len(solution.decision), 1)
    reserve = problem.sign * np.tile(solution.decision, repeats) + problem.linear
    constants = 0.0
    if problem.group is not None and problem.balance is not None:
        multiplier = np.asarray(solution.offsets)[problem.group]
        reserve = reserve - multiplier * problem.balance
        constants = float(multiplier @ (problem.balance * problem.start))
    slack = np.maximum(-reserve, 0.0)
    half_norm = 0.5 * float(solution.coef @ solution.decision)
    if problem.shift is not None:
        return half_norm + float(np.sum(slack**2 / (2 * problem.shift))) - constants
    if np.all(np.isinf(problem.upper)):
        hard_margin = repeats == 1
        stretch = max(1.0 - slack.max(initial=0.0), 1e-300) if hard_margin else 1.0
        return half_norm / stretch**2 - constants
    return half_norm + float(problem.upper @ slack) - constants
