"""What samples converge to: integral operators solved by quadrature, and a counterexample.

On an interval or a box. A rule of Gauss is exact for smooth functions only, so it is put together
from parts at the places where a density jumps (``breaks``); `PiecewiseConstant` knows its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import roots_legendre

from mercer._types import RandomState, Samples

Floats = NDArray[np.float64]
OPERATORS = ("integral", "symmetric", "random-walk", "unnormalized")
RULES = ("gauss", "cells")


@dataclass(frozen=True)
class PiecewiseConstant:
    """A density that is constant between edges: on the line, or on the cells of a grid.

    Parameters
    ----------
    edges : sequence of float, or one sequence per coordinate
        Rising; the first and last are the ends of the domain.
    heights : array
        One value per cell, of shape (cells of coordinate 1, cells of coordinate 2, …); brought to
        total mass one.
    """

    edges: Any
    heights: Any

    @property
    def axes(self) -> tuple[Floats, ...]:
        """The edges of each coordinate."""
        first = np.asarray(self.edges[0])
        parts = [self.edges] if first.ndim == 0 else list(self.edges)
        return tuple(np.asarray(part, dtype=np.float64) for part in parts)

    @property
    def breaks(self) -> tuple[Floats, ...]:
        """Where it jumps, for each coordinate."""
        return tuple(edges[1:-1] for edges in self.axes)

    @property
    def mass(self) -> Floats:
        """Probability of each cell."""
        volume: Any = np.ones(())
        for edges in self.axes:
            volume = np.multiply.outer(volume, np.diff(edges))
        found = np.asarray(self.heights, dtype=np.float64) * volume
        return found / found.sum()

    def __call__(self, x: Any) -> Floats:
        """The density at points: numbers, or rows with one column per coordinate."""
        points = np.asarray(x, dtype=np.float64)
        columns = [points] if len(self.axes) == 1 else list(np.moveaxis(points, -1, 0))
        if len(self.axes) == 1 and points.ndim == 2 and points.shape[1] == 1:
            columns = [points[:, 0]]
        place = tuple(
            np.clip(np.searchsorted(edges, column, side="right") - 1, 0, len(edges) - 2)
            for edges, column in zip(self.axes, columns, strict=True)
        )
        volume: Any = np.ones(())
        for edges in self.axes:
            volume = np.multiply.outer(volume, np.diff(edges))
        found: Floats = (self.mass / volume)[place]
        return found

    def sample(self, n: int, random_state: RandomState = 0) -> Floats:
        """Points drawn from it, shape (n, d)."""
        rng = np.random.default_rng(random_state)
        cells = rng.choice(self.mass.size, size=n, p=self.mass.ravel())
        place = np.unravel_index(cells, self.mass.shape)
        return np.column_stack(
            [
                edges[k] + rng.random(n) * np.diff(edges)[k]
                for edges, k in zip(self.axes, place, strict=True)
            ]
        )


@dataclass(frozen=True)
class Eigenfunctions:
    """Eigenvalues and functions of an operator on an interval or a box."""

    values: Floats
    nodes: Floats  # of shape (m,) on an interval, (m, d) in a box
    at_nodes: Floats  # one column per eigenvalue
    degree: Floats  # ∫k(x, y)dP(y) at the nodes
    extend: Callable[[Any], Floats]
    weights: Floats  # P of the nodes: Σ weights · at_nodes² = 1


def gauss_legendre(
    low: float, high: float, n: int, breaks: Sequence[float] | Floats = ()
) -> tuple[Floats, Floats]:
    """Nodes and weights on an interval; with breaks one rule per part, nodes by length."""
    inner = sorted(float(b) for b in breaks if low < b < high)
    nodes, weights = [], []
    for left, right in pairwise([low, *inner, high]):
        share = n if not inner else max(8, round(n * (right - left) / (high - low)))
        x, w = roots_legendre(share)
        half = 0.5 * (right - left)
        nodes.append(left + half * (x + 1.0))
        weights.append(half * w)
    return np.concatenate(nodes), np.concatenate(weights)


def _product(rules: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The rule of a box from those of its sides."""
    mesh = np.meshgrid(*(nodes for nodes, _ in rules), indexing="ij")
    weights: Any = np.ones(())
    for _, part in rules:
        weights = np.multiply.outer(weights, part)
    return np.column_stack([m.ravel() for m in mesh]), weights.ravel()


def _nodes(
    density: Callable[[Floats], Floats], low: Any, high: Any, n: int, rule: str, breaks: Any
) -> tuple[Floats, Floats]:
    """Nodes and their probabilities."""
    lows, highs = np.atleast_1d(low).astype(float), np.atleast_1d(high).astype(float)
    d = len(lows)
    if breaks is None:
        breaks = getattr(density, "breaks", ((),) * d)
    elif d == 1 and (len(breaks) == 0 or np.ndim(breaks[0]) == 0):
        breaks = (breaks,)
    sides = list(zip(lows, highs, breaks, strict=True))
    flat = d == 1

    def points(x: Floats) -> Floats:
        return x[:, 0] if flat else x

    if rule == "gauss":
        x, w = _product([gauss_legendre(a, b, n, cuts) for a, b, cuts in sides])
        w = w * np.asarray(density(points(x)), dtype=float)
        return points(x), w / w.sum()
    # the kernel is taken constant on equal cells, whose probabilities are the weights
    inner = 8
    mids, masses = [], []
    for a, b, _ in sides:
        edges = np.linspace(a, b, n + 1)
        mids.append((0.5 * (edges[1:] + edges[:-1]), np.ones(n)))
        parts = [gauss_legendre(lo, hi, inner) for lo, hi in pairwise(edges)]
        masses.append(
            (np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]))
        )
    x, _ = _product(mids)
    fine, w = _product(masses)
    mass = w * np.asarray(density(points(fine)), dtype=float)
    for axis in range(d):  # sum the fine nodes of every cell
        shape = [n] * axis + [n, inner] + [n * inner] * (d - axis - 1)
        mass = mass.reshape(shape).sum(axis=axis + 1)
    return points(x), mass.ravel() / mass.sum()


def _similarity(kernel: Any, x: Floats, y: Floats) -> Floats:
    """Functions of numbers on an interval; functions of rows, or kernels, anywhere."""
    if x.ndim == 1 and not hasattr(kernel, "diag"):
        return np.asarray(kernel(x[:, None], y[None, :]), dtype=float)
    rows = (x[:, None], y[:, None]) if x.ndim == 1 else (x, y)
    return np.asarray(kernel(*rows), dtype=float)


def operator_spectrum(
    kernel: Any,
    density: Callable[[Floats], Floats],
    low: Any,
    high: Any,
    *,
    operator: str = "integral",
    k: int = 6,
    n: int = 200,
    breaks: Any = None,
    rule: str = "gauss",
) -> Eigenfunctions:
    """Largest eigenvalues of an integral operator with this density on an interval or a box.

    ``"integral"`` is ∫k(x,y)f(y)p(y)dy, ``"symmetric"`` and ``"random-walk"`` its normalised forms;
    ``"unnormalized"`` gives the smallest eigenvalues of d(x)f(x) − ∫k f p, of which only those
    outside the range of d are eigenvalues of the operator.

    Parameters
    ----------
    kernel : callable or Kernel
        On an interval a function of two arrays of numbers (or a kernel of `mercer.kernels`); in a
        box a function of two arrays of rows.
    density : callable
        p at numbers or rows; need not integrate to one. `PiecewiseConstant` brings its breaks.
    low, high : float or sequence of float
        The ends of the interval, or the corners of the box.
    operator : {"integral", "symmetric", "random-walk", "unnormalized"}, default="integral"
        Which operator.
    k : int, default=6
        Number of eigenvalues.
    n : int, default=200
        Nodes along each coordinate.
    breaks : sequence, default=None
        Where the density or the kernel jumps (one sequence per coordinate); the rule is put
        together from parts there.
    rule : {"gauss", "cells"}, default="gauss"
        "cells" solves the operator of the kernel made constant on n equal cells (thesis II.10):
        slower to converge, and its functions are constant on the cells.

    Returns
    -------
    Eigenfunctions
        Values, nodes, functions at the nodes and anywhere, normalised in L2(P).
    """
    if operator not in OPERATORS:
        raise ValueError(f"operator must be one of {OPERATORS}, got {operator!r}")
    if rule not in RULES:
        raise ValueError(f"rule must be one of {RULES}, got {rule!r}")
    x, w = _nodes(density, low, high, n, rule, breaks)
    kept = w > 1e-300  # where there is no probability there is nothing to solve for
    x, w = x[kept], w[kept]
    if not 1 <= k <= len(w):
        raise ValueError(f"k={k} eigenvalues need as many nodes; there are {len(w)}")
    K = _similarity(kernel, x, x)
    d = K @ w
    root = np.sqrt(w)
    if operator == "unnormalized":
        values, vectors = eigh(np.diag(d) - root[:, None] * K * root, subset_by_index=(0, k - 1))
    else:
        H = K if operator == "integral" else K / np.sqrt(np.outer(d, d))
        values, vectors = eigh(root[:, None] * H * root, subset_by_index=(len(w) - k, len(w) - 1))
        values, vectors = values[::-1], vectors[:, ::-1]
    functions = vectors / root[:, None]
    if operator == "random-walk":
        functions = functions / np.sqrt(d)[:, None]
        functions = functions / np.sqrt(w @ functions**2)

    def extend(points: Samples) -> Floats:
        """Eigenfunctions anywhere, by the integral equation itself (Nyström)."""
        points = np.asarray(points, dtype=float)
        points = np.atleast_1d(points.ravel() if x.ndim == 1 else np.atleast_2d(points))
        if rule == "cells":
            near = x[:, None] if x.ndim == 1 else x
            asked = points[:, None] if x.ndim == 1 else points
            return functions[np.abs(asked[:, None] - near[None]).max(axis=2).argmin(axis=1)]
        row = _similarity(kernel, points, x)
        own = row @ w
        if operator == "unnormalized":
            return (row * w) @ functions / (own[:, None] - values)
        if operator == "symmetric":
            row = row / np.sqrt(np.outer(own, d))
        elif operator == "random-walk":
            row = row / own[:, None]
        return (row * w) @ functions / values

    return Eigenfunctions(values, x, functions, d, extend, w)


def counterexample_density(r: float) -> PiecewiseConstant:
    """R on [4/3, 5/3), (3−r)/2 elsewhere on [1, 2]: two dense regions for small r."""
    if not 0.0 <= r <= 3.0:
        raise ValueError(f"r must lie in [0, 3], got {r!r}")
    side = 0.5 * (3.0 - r)
    return PiecewiseConstant((1.0, 4 / 3, 5 / 3, 2.0), (side, r, side))


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


def counterexample_sample(n: int, r: float, random_state: RandomState = 0) -> Floats:
    """Points from `counterexample_density`."""
    rng = np.random.default_rng(random_state)
    middle = rng.random(n) < r / 3.0
    place = rng.random(n) / 3.0
    side = np.where(rng.random(n) < 0.5, 1.0, 5 / 3)
    return np.where(middle, 4 / 3, side) + place
