"""The conventions of the texts, converted into each other.

Mercer's own: labels −1 and +1, signed coefficients, ½‖w‖² + C Σ loss, ``length_scale`` ℓ of
exp(−‖x−y‖²/(2ℓ²)). Everything here converts to or from these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def C_from_lambda(lam: float, n: int) -> float:
    """C of ½‖w‖² + C Σ loss from λ of (1/n) Σ loss + λ‖w‖²: C = 1/(2λn)."""
    return 1.0 / (2.0 * _positive(lam, "lam") * _positive(n, "n"))


def lambda_from_C(C: float, n: int) -> float:
    """λ of (1/n) Σ loss + λ‖w‖² from C: λ = 1/(2Cn)."""
    return 1.0 / (2.0 * _positive(C, "C") * _positive(n, "n"))


def gram_shift(C: float) -> float:
    """What the squared hinge adds to the diagonal of the Gram matrix: 1/(2C), the texts' λn.

    The machine with price C Σ ξ² is the hard-margin machine of K + I/(2C).
    """
    return 1.0 / (2.0 * _positive(C, "C"))


def class_weights_from_lambdas(lambdas: Mapping[Any, float], C: float, n: int) -> dict[Any, float]:
    """``class_weight`` for a machine of price C from one λ per class: 1/(2 λ_class n C).

    The rarer class should get the *smaller* λ: a larger box, so that its errors cost more. (The
    book's remark 2.33 says the opposite, against its own formulas.)
    """
    return {label: C_from_lambda(lam, n) / _positive(C, "C") for label, lam in lambdas.items()}


def C_from_nu(rho: float) -> float:
    """C of the C-machine that a ν-machine equals: 1/ρ, in LIBSVM's scale (box 1, Σα = νn).

    ``rho`` is the ν-machine's margin variable there. In the texts' scale (box 1/n) it is 1/(ρn).
    """
    return 1.0 / _positive(rho, "rho")


def ridge_penalty(lam: float, n: int, *, averaged: bool, halved: bool = False) -> float:
    """τ of (K + τI)c = y from the λ of a text.

    Σ(y−f)² + λ‖w‖² has τ = λ; with the losses averaged τ = nλ; and with ½(y−f)² against an
    unhalved λ‖w‖² twice that.
    """
    return float(lam) * (n if averaged else 1.0) * (2.0 if halved else 1.0)


def length_scale(
    *, gamma: float | None = None, sigma: float | None = None, variance: float | None = None
) -> float:
    """ℓ from γ of exp(−γ‖x−y‖²), σ of exp(−‖x−y‖²/(2σ²)), or σ_B of exp(−‖x−y‖²/σ_B)."""
    given = [value for value in (gamma, sigma, variance) if value is not None]
    if len(given) != 1:
        raise ValueError("name exactly one of gamma, sigma and variance.")
    if gamma is not None:
        return math.sqrt(0.5 / _positive(gamma, "gamma"))
    if sigma is not None:
        return _positive(sigma, "sigma")
    return math.sqrt(0.5 * _positive(float(variance or 0.0), "variance"))


def signed(alpha: ArrayLike, y: ArrayLike) -> Floats:
    """Signed coefficients β = y α of f = Σ β k(x_i, ·) from the texts' α >= 0."""
    sign = signs(y)
    return np.asarray(alpha, dtype=np.float64) * sign


def unsigned(beta: ArrayLike, y: ArrayLike) -> Floats:
    """The texts' α = y β >= 0 from signed coefficients."""
    return np.asarray(beta, dtype=np.float64) * signs(y)


def signs(y: ArrayLike, classes: ArrayLike | None = None) -> Floats:
    """Labels as −1 and +1: of two classes the larger (or the second of ``classes``) is +1."""
    labels = np.asarray(y)
    known = np.unique(labels) if classes is None else np.asarray(classes)
    if set(np.unique(labels).tolist()) <= {-1, 1} and classes is None:
        return labels.astype(np.float64)
    if len(known) != 2:
        raise ValueError(f"two classes are needed, got {len(known)}: {known.tolist()[:5]}.")
    return np.where(labels == known[1], 1.0, -1.0)


def zero_one(y: ArrayLike) -> NDArray[np.intp]:
    """Labels as 0 and 1."""
    return (signs(y) > 0).astype(np.intp)


def numbered(y: ArrayLike) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Labels as 1…k, and the classes they stand for."""
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return codes + 1, classes


def _positive(value: float, name: str) -> float:
    if not value > 0:
        raise ValueError(f"{name} must be positive, got {value!r}.")
    return float(value)
