"""Stability measured: how much the loss moves when a row is deleted or replaced."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Estimator, Samples

Floats = NDArray[np.float64]
Loss = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class StabilityProbe:
    """Largest observed change of the loss, against the constant the theory promises."""

    largest: float  # a lower limit of the true constant: only some rows and points were tried
    mean: float
    refits: int

    def respects(self, beta: float, *, slack: float = 1e-9) -> bool:
        """Whether no observed change exceeds ``beta``."""
        return self.largest <= beta + slack


def regularized_beta(lipschitz: float, kappa2: float, lam: float, m: int) -> float:
    """Q²κ²/(2λm): one row deleted, (1/m)Σ loss + λ‖f‖² with a convex Q-Lipschitz loss."""
    return lipschitz**2 * kappa2 / (2.0 * lam * m)


def loss_ceiling(
    loss: str, target: float, kappa2: float, lam: float, *, epsilon: float = 0.0
) -> float:
    """The largest loss of a machine on targets |t| ≤ ``target``: b of the stability bounds.

    The minimiser of (1/m)Σ loss + λ‖f‖² is no worse than f = 0, so λ‖f‖² ≤ l(0, t), and
    |f(x)| ≤ ‖f‖κ. ``loss`` is "epsilon-insensitive" or "squared"; leaving rows out or repeating
    them changes nothing, so ``(0, loss_ceiling(...))`` serves as ``loss_range``.
    """
    if loss == "epsilon-insensitive":
        at_zero = max(target - epsilon, 0.0)
        return max(target + math.sqrt(kappa2 * at_zero / lam) - epsilon, 0.0)
    if loss == "squared":
        return target**2 * (1.0 + math.sqrt(kappa2 / lam)) ** 2
    raise ValueError(f"loss must be 'epsilon-insensitive' or 'squared', got {loss!r}")


def lipschitz_constant(loss: Loss, targets: Any, low: float, high: float, n: int = 2001) -> float:
    """Largest slope of the loss in its first argument over [low, high], on a grid."""
    outputs = np.linspace(low, high, n)
    values = np.array([[loss(o, t) for o in outputs] for t in np.atleast_1d(targets)], dtype=float)
    return float(np.abs(np.diff(values, axis=1)).max() / (outputs[1] - outputs[0]))


def delete_one(
    fit: Callable[[Any, Any, Floats], Callable[[Any], Any]],
    loss: Loss,
    X: Samples,
    y: ArrayLike,
    fresh: tuple[Any, Any],
    *,
    rows: Any = None,
) -> StabilityProbe:
    """Refit without each row and compare the losses on fresh points.

    ``fit(X, y, weight)`` returns a prediction function; a deleted row gets weight 0, so that 1/m in
    front of the sum stays 1/m, as the theory wants it.
    """
    X, y = np.asarray(X), np.asarray(y)
    points, targets = fresh
    base = np.asarray(loss(fit(X, y, np.ones(len(y)))(points), targets), dtype=float)
    changes = []
    for i in range(len(y)) if rows is None else rows:
        weight = np.ones(len(y))
        weight[i] = 0.0
        changes.append(np.abs(np.asarray(loss(fit(X, y, weight)(points), targets)) - base))
    return _summary(changes)


def replace_one(
    fit: Callable[[Any, Any, Floats], Callable[[Any], Any]],
    loss: Loss,
    X: Samples,
    y: ArrayLike,
    fresh: tuple[Any, Any],
    substitutes: tuple[Any, Any],
) -> StabilityProbe:
    """Refit with row i replaced by the i-th substitute; the theory allows twice the deletion."""
    X, y = np.asarray(X), np.asarray(y)
    points, targets = fresh
    base = np.asarray(loss(fit(X, y, np.ones(len(y)))(points), targets), dtype=float)
    changes = []
    for i, (x_new, y_new) in enumerate(zip(*substitutes, strict=True)):
        X_new, y_new_all = X.copy(), y.copy()
        X_new[i], y_new_all[i] = x_new, y_new
        model = fit(X_new, y_new_all, np.ones(len(y)))
        changes.append(np.abs(np.asarray(loss(model(points), targets)) - base))
    return _summary(changes)


def leave_one_out(
    estimator: Estimator, X: Samples, y: ArrayLike, loss: Loss | None = None
) -> Floats:
    """Loss of each row under the model trained on all the others, by refitting (slow and exact)."""
    from sklearn.base import clone

    X, y = np.asarray(X), np.asarray(y)
    losses = np.empty(len(y))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        answer = clone(estimator).fit(X[others], y[others]).predict(X[i : i + 1])
        value = answer != y[i : i + 1] if loss is None else loss(answer, y[i : i + 1])
        losses[i] = float(np.asarray(value, dtype=float)[0])
    return losses


def _summary(changes: list[Any]) -> StabilityProbe:
    table = np.stack(changes)
    return StabilityProbe(float(table.max()), float(table.mean()), len(table))
