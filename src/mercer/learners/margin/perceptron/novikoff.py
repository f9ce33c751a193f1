"""Novikoff's limit on the updates of a perceptron, beside the updates it made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners._kernel import radius
from mercer.learners.margin.perceptron.primal import lift
from mercer.learners.margin.svm._hard import NotSeparableError
from mercer.learners.margin.svm.svc import SVC

Floats = NDArray[np.float64]


def novikoff_limit(
    radius: float,
    margin: float,
    *,
    required: float = 0.0,
    start_norm: float = 0.0,
    start_margin: float = 0.0,
) -> float:
    r"""Largest number of updates of a perceptron, whatever the order of visits.

    With :math:`M = R^2 + 2\mu` (R the radius of the data, μ the margin required for no update),
    γ the geometrical margin of a unit vector w*, and :math:`a = w^*\cdot w_0`:

    .. math::

        t \le \frac{M - 2a\gamma + \sqrt{(M-2a\gamma)^2 + 4\gamma^2(\|w_0\|^2-a^2)}}{2\gamma^2},

    which is :math:`(R/\gamma)^2` for the plain perceptron from zero. A learning rate η is covered
    by dividing μ, ‖w₀‖ and a by η.

    Parameters
    ----------
    radius : float
        R, largest √k(x, x).
    margin : float
        γ > 0.
    required : float, default=0.0
        μ.
    start_norm, start_margin : float, default=0.0
        ‖w₀‖ and a.

    Returns
    -------
    float
        The limit.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be positive, got {margin!r}.")
    size = radius**2 + 2.0 * required - 2.0 * start_margin * margin
    apart = max(start_norm**2 - start_margin**2, 0.0)
    root = math.sqrt(size**2 + 4.0 * margin**2 * apart)
    return (size + root) / (2.0 * margin**2)


def relative_limit(radius: float, margin: float, misses: Floats) -> float:
    r"""Freund and Schapire's limit on one sweep: :math:`((R+D)/\gamma)^2`, separable or not.

    ``misses`` holds :math:`\max(0, \gamma - y_iu\cdot x_i)` for some unit vector u and any γ > 0;
    D is their Euclidean norm.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be positive, got {margin!r}.")
    return ((radius + float(np.linalg.norm(misses))) / margin) ** 2


@dataclass(frozen=True)
class NovikoffReport:
    """Updates made and the most that were possible.

    Attributes
    ----------
    updates : int
        Updates made.
    limit : float
        Novikoff's limit; infinite if the sample cannot be separated.
    radius, margin : float
        R, and the largest margin of any hyperplane, zero if there is none.
    separable : bool
        Whether the sample can be separated in the feature space.
    """

    updates: int
    limit: float
    radius: float
    margin: float
    separable: bool

    @property
    def holds(self) -> bool:
        """Whether the limit was kept, as it must."""
        return self.updates <= self.limit * (1.0 + 1e-6)

    def __str__(self) -> str:
        if not self.separable:
            return f"{self.updates} updates; no hyperplane separates the sample, so no limit"
        return (
            f"{self.updates} updates, at most (R/γ)² = {self.limit:.4g} possible "
            f"(R = {self.radius:.4g}, γ = {self.margin:.4g})"
        )


def novikoff_report(model: Any, X: Any, y: Any) -> NovikoffReport:
    """Compare a fitted perceptron's updates with Novikoff's limit.

    The margin is that of the hard-margin machine on the same features, the largest there is.

    Parameters
    ----------
    model : Perceptron or KernelPerceptron
        Fitted with ``fit`` on the rows given here.
    X, y : array-like
        Its training rows.

    Returns
    -------
    NovikoffReport
        The limit and the updates.
    """
    updates = model.mistakes_.n_updates
    kernel = getattr(model, "kernel_", None)
    if kernel is None:  # the primal one: its features, the constant included
        X = X if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
        X, kernel = lift(X, model.fitted_.offset), "linear"
    machine = SVC(kernel=kernel, C=math.inf, fit_intercept=False, tol=1e-6, certify=None)
    try:
        machine.fit(X, y)
    except NotSeparableError:
        space = machine._space(machine._door.enter(machine, X, y, None), use="rows")
        return NovikoffReport(updates, math.inf, radius(space.diagonal), 0.0, False)
    facts: Any = machine.diagnostics_
    margin = float(facts.geometrical_margins.min())
    rate = float(model.learning_rate)
    norm, along = _start_against(model, machine, X)
    limit = novikoff_limit(
        facts.radius,
        margin,
        required=float(model.margin) / rate,
        start_norm=norm / rate,
        start_margin=along / rate,
    )
    return NovikoffReport(updates, limit, facts.radius, margin, True)


def _start_against(model: Any, machine: SVC, X: Any) -> tuple[float, float]:
    """‖w₀‖ and w*·w₀ for a start that is not zero."""
    if model.coef_init is None:
        return 0.0, 0.0
    start = np.asarray(model.coef_init, dtype=float)
    facts: Any = machine.diagnostics_
    length = float(facts.norm)
    if not hasattr(model, "kernel_"):
        return float(np.linalg.norm(start)), float(machine.coef_[0] @ start) / length
    squared = float(start @ model.kernel_.matmul(X, X, start))
    return math.sqrt(max(squared, 0.0)), float(start @ machine.decision_function(X)) / length
