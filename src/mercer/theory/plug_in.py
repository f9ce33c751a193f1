"""Generative rules: how close densities must be for the plug-in rule to be good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad

Density = Callable[[float], float]


def l1_distance(f: Density, g: Density, low: float = -np.inf, high: float = np.inf) -> float:
    """∫|f − g| on the line."""
    return float(quad(lambda x: abs(f(x) - g(x)), low, high, limit=500)[0])


def total_variation(p: Any, q: Any) -> float:
    """Largest |P(A) − Q(A)| of two laws on a finite set: half of Σ|p − q| (Scheffé)."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    if p.shape != q.shape:
        raise ValueError(f"the laws live on different sets: shapes {p.shape} and {q.shape}")
    return 0.5 * float(np.abs(p - q).sum())


def scheffe_set(p: Any, q: Any) -> Any:
    """The set {p > q}, on which the total variation is attained."""
    return np.flatnonzero(np.asarray(p, dtype=float) > np.asarray(q, dtype=float))


def plug_in_excess(estimated: Any, true: Any) -> float:
    """Excess risk of the rule of an estimated joint law: at most its ℓ₁ distance from the truth.

    Rows are points, columns labels.
    """
    return 2.0 * total_variation(estimated, true)


def plug_in_risk(estimated: Any, true: Any) -> float:
    """Risk under the true joint law of the rule that maximises the estimated one, per point."""
    estimated, true = np.asarray(estimated, dtype=float), np.asarray(true, dtype=float)
    chosen = true[np.arange(len(true)), estimated.argmax(axis=1)]
    return float(true.sum() - chosen.sum())
