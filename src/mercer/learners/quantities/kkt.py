"""How well a support vector classifier meets the conditions of its optimum, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners._brief import Brief
from mercer.learners.describe import answering

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class KKT(Brief):
    """Residuals of the optimality conditions of ½‖w‖² + Σ C_i ξ_i.

    Attributes
    ----------
    complementarity : ndarray
        α_i (y_i f_i − 1 + ξ_i): zero at the optimum.
    slackness : ndarray
        (C_i − α_i) ξ_i: zero at the optimum (with squared slacks ξ_i − α_i/(2C_i) instead).
    states : ndarray of str
        "outside" (α = 0), "free" (0 < α < C), "at bound" (α = C).
    balance : float
        Σ y_i α_i, zero for a machine with an offset.
    duality_gap : float
        Primal minus dual objective.
    """

    complementarity: Floats
    slackness: Floats
    states: NDArray[np.str_]
    balance: float
    duality_gap: float

    @property
    def worst(self) -> float:
        """The largest residual in size."""
        sizes = (np.abs(self.complementarity).max(), np.abs(self.slackness).max())
        return float(max(sizes))

    def counts(self) -> dict[str, int]:
        """How many rows are in each state."""
        return {name: int(np.sum(self.states == name)) for name in ("outside", "free", "at bound")}


def kkt(model: Any, machine: int = 0) -> KKT:
    """Optimality residuals of a fitted :class:`mercer.SVC`.

    Parameters
    ----------
    model : SVC
        Fitted.
    machine : int, default=0
        Which of several binary problems.

    Returns
    -------
    KKT
        Residuals and states, one per row of the problem.
    """
    model = answering(model)
    found = model._fitted_machines()[machine]
    if not hasattr(model, "C") or model._kind != "classifier":
        raise ValueError(f"{type(model).__name__} is no support vector classifier with a price C.")
    alpha = np.abs(found.coef)
    margin = found.target * found.output
    slack = np.maximum(1.0 - margin, 0.0)
    squared = found.problem.shift is not None
    price = model.C * found.weight
    if squared:
        slackness = slack - alpha * found.problem.shift
        states = np.where(alpha > 0, "free", "outside")
    else:
        hard = np.isinf(price)
        slackness = np.where(hard, slack, (np.where(hard, 0.0, price) - alpha) * slack)
        bound = np.where(alpha >= price * (1 - 1e-12), "at bound", "free")
        states = np.where(alpha > 0, bound, "outside")
    diagnostics = model.diagnostics_
    facts = diagnostics[machine] if isinstance(diagnostics, tuple) else diagnostics
    return KKT(
        complementarity=alpha * (margin - 1.0 + slack),
        slackness=slackness,
        states=states,
        balance=float(found.target @ alpha),
        duality_gap=float(facts.gap),
    )
