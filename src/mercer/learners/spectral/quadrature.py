"""What samples converge to: integral operators solved by quadrature, and a counterexample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import roots_legendre

Floats = NDArray[np.float64]
OPERATORS = ("integral", "symmetric", "random-walk", "unnormalized")


@dataclass(frozen=True)
class Eigenfunctions:
    """Eigenvalues and functions of an operator on an interval."""

    values: Floats
    nodes: Floats
    at_nodes: Floats  # one column per eigenvalue
    degree: Floats  # ∫k(x, y)dP(y) at the nodes
    extend: Callable[[Any], Floats]


def gauss_legendre(low: float, high: float, n: int) -> tuple[Floats, Floats]:
    """Nodes and weights on an interval."""
    nodes, weights = roots_legendre(n)
    half = 0.5 * (high - low)
    return low + half * (nodes + 1.0), half * weights


def operator_spectrum(
    kernel: Callable[[Floats, Floats], Floats],
    density: Callable[[Floats], Floats],
    low: float,
    high: float,
    *,
    operator: str = "integral",
    k: int = 6,
    n: int = 200,
) -> Eigenfunctions:
    """Largest eigenvalues of an integral operator with this density on an interval.

    ``"integral"`` is ∫k(x,y)f(y)p(y)dy, ``"symmetric"`` and ``"random-walk"`` its normalised forms;
    ``"unnormalized"`` gives the smallest eigenvalues of d(x)f(x) − ∫k f p, of which only those
    outside the range of d are eigenvalues of the operator.
    """
    if operator not in OPERATORS:
        raise ValueError(f"operator must be one of {OPERATORS}, got {operator!r}")
    x, w = gauss_legendre(low, high, n)
    w = w * density(x)
    w = w / w.sum()
    K = np.asarray(kernel(x[:, None], x[None, :]), dtype=float)
    d = K @ w
    root = np.sqrt(w)
    if operator == "unnormalized":
        values, vectors = eigh(np.diag(d) - root[:, None] * K * root, subset_by_index=(0, k - 1))
    else:
        H = K if operator == "integral" else K / np.sqrt(np.outer(d, d))
        values, vectors = eigh(root[:, None] * H * root, subset_by_index=(n - k, n - 1))
        values, vectors = values[::-1], vectors[:, ::-1]
    functions = vectors / root[:, None]
    if operator == "random-walk":
        functions = functions / np.sqrt(d)[:, None]

    def extend(points: Any) -> Floats:
        """Eigenfunctions anywhere, by the integral equation itself (Nyström)."""
        points = np.atleast_1d(np.asarray(points, dtype=float))
        row = np.asarray(kernel(points[:, None], x[None, :]), dtype=float)
        own = row @ w
        if operator == "unnormalized":
            return (row * w) @ functions / (own[:, None] - values)
        if operator == "symmetric":
            row = row / np.sqrt(np.outer(own, d))
        elif operator == "random-walk":
            row = row / own[:, None]
        return (row * w) @ functions / values

    return Eigenfunctions(values, x, functions, d, extend)


def counterexample_density(r: float) -> Callable[[Floats], Floats]:
    """R on [4/3, 5/3), (3−r)/2 elsewhere on [1, 2]: two dense regions for small r."""
    if not 0.0 <= r <= 3.0:
        raise ValueError(f"r must lie in [0, 3], got {r!r}")
    return lambda x: np.where((x >= 4 / 3) & (x < 5 / 3), r, 0.5 * (3.0 - r))


def counterexample_g(lam: float, r: float) -> float:
    """g(λ) = ∫y²p(y)/(1.5y − λ)dy for k(x,y) = xy: λ outside [1.5, 3] is an eigenvalue iff g = 1.

    Only λ = 0 is: the unnormalised Laplacian of this similarity has no second eigenvalue that
    clustering could converge to.
    """
    if 1.5 <= lam <= 3.0:
        raise ValueError("inside the range of the degree function the integral does not exist")
    a = lam / 1.5

    def primitive(y: float) -> float:
        log = a * a * np.log(abs(y - a)) if a else 0.0
        return (y * y / 2.0 + a * y + log) / 1.5

    outer = primitive(4 / 3) - primitive(1.0) + primitive(2.0) - primitive(5 / 3)
    return float(0.5 * (3.0 - r) * outer + r * (primitive(5 / 3) - primitive(4 / 3)))


def counterexample_sample(n: int, r: float, random_state: Any = 0) -> Floats:
    """Points from `counterexample_density`."""
    rng = np.random.default_rng(random_state)
    middle = rng.random(n) < r / 3.0
    place = rng.random(n) / 3.0
    side = np.where(rng.random(n) < 0.5, 1.0, 5 / 3)
    return np.where(middle, 4 / 3, side) + place
