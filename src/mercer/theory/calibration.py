"""Surrogate losses: which of them lead to the Bayes rule, and at what rate.

A loss is a convex function φ of the margin s = y f(x), such as max(0, 1 − s).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize_scalar

MarginLoss = Callable[[float], float]

LOSSES: dict[str, MarginLoss] = {
    "hinge": lambda s: max(0.0, 1.0 - s),
    "squared hinge": lambda s: max(0.0, 1.0 - s) ** 2,
    "square": lambda s: (1.0 - s) ** 2,
    "logistic": lambda s: float(np.logaddexp(0.0, -s)),
    "exponential": lambda s: math.exp(-s),
}
_RANGE = 40.0  # margins beyond this change no conditional risk to double precision


def conditional_risk(loss: MarginLoss, eta: float, low: float, high: float) -> float:
    """Smallest ηφ(s) + (1−η)φ(−s) over low ≤ s ≤ high, by golden section (φ is convex)."""
    found = minimize_scalar(
        lambda s: eta * loss(s) + (1.0 - eta) * loss(-s),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-12},
    )
    ends = (eta * loss(s) + (1.0 - eta) * loss(-s) for s in (low, high))
    return min(float(found.fun), *ends)


def is_calibrated(loss: str | MarginLoss, *, step: float = 1e-6) -> bool:
    """Whether minimising the loss leads to the Bayes rule: φ differentiable at 0 with φ'(0) < 0."""
    phi = _loss(loss)
    right, left = (phi(step) - phi(0.0)) / step, (phi(0.0) - phi(-step)) / step
    return abs(right - left) < 1e-3 * max(1.0, abs(right)) and right < -1e-9


def psi_transform(loss: str | MarginLoss, theta: float) -> float:
    """ψ(θ) = H⁻((1+θ)/2) − H((1+θ)/2): ψ(excess 0-1 risk) ≤ excess surrogate risk.

    H(η) is the smallest conditional risk, H⁻(η) the smallest among answers of the wrong sign.
    Closed forms: hinge |θ|, square θ², exponential 1 − √(1−θ²).
    """
    if not -1.0 <= theta <= 1.0:
        raise ValueError(f"theta must lie in [-1, 1], got {theta!r}")
    phi, eta = _loss(loss), 0.5 * (1.0 + abs(theta))
    wrong = conditional_risk(phi, eta, -_RANGE, 0.0)
    return max(0.0, wrong - conditional_risk(phi, eta, -_RANGE, _RANGE))


def excess_transfer(loss: str | MarginLoss, excess: float) -> float:
    """Largest excess 0-1 risk that an excess surrogate risk allows: ψ⁻¹."""
    if excess < 0:
        raise ValueError(f"an excess risk is not negative, got {excess!r}")
    if psi_transform(loss, 1.0) <= excess:
        return 1.0
    return float(brentq(lambda t: psi_transform(loss, t) - excess, 0.0, 1.0, xtol=1e-10))


def _loss(loss: str | MarginLoss) -> MarginLoss:
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}; there are {sorted(LOSSES)}, or pass a function")
    return LOSSES[loss]
