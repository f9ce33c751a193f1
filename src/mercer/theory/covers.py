"""Covering, packing and entropy numbers of finite metric sets, and covers of kernel classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import LinearConstraint, milp

from mercer._types import Samples

Floats = NDArray[np.float64]


def _distances(distances: ArrayLike) -> Floats:
    d = np.asarray(distances, dtype=float)
    if d.ndim != 2 or d.shape[0] != d.shape[1] or not len(d):
        raise ValueError(f"distances must be a square matrix, got shape {d.shape}")
    if not np.all(np.isfinite(d)) or d.min() < 0:
        raise ValueError("distances must be finite and not negative")
    return d


def greedy_cover(distances: ArrayLike, epsilon: float) -> list[int]:
    """Indices of a proper ε-cover: the centre that covers most of what is left, again and again."""
    near = _distances(distances) <= epsilon
    left, centres = np.ones(len(near), dtype=bool), []
    while left.any():
        best = int(np.argmax((near & left).sum(axis=1)))
        centres.append(best)
        left &= ~near[best]
    return centres


def greedy_packing(distances: ArrayLike, epsilon: float) -> list[int]:
    """Indices with pairwise distances above ε that cannot be extended (so also an ε-cover)."""
    d = _distances(distances)
    chosen: list[int] = []
    for i in range(len(d)):
        if all(d[i, j] > epsilon for j in chosen):
            chosen.append(i)
    return chosen


def covering_number(distances: ArrayLike, epsilon: float) -> int:
    """Size of the smallest proper ε-cover, by integer programming (`mercer.metrics`: limits)."""
    near = (_distances(distances) <= epsilon).astype(float)
    n = len(near)
    found = milp(
        np.ones(n),
        constraints=LinearConstraint(near, lb=np.ones(n)),
        integrality=np.ones(n),
        bounds=(0, 1),
    )
    return round(found.fun)


def packing_number(distances: ArrayLike, epsilon: float) -> int:
    """Size of the largest set with pairwise distances above ε, by integer programming."""
    d = _distances(distances)
    n = len(d)
    close = [(i, j) for i, j in combinations(range(n), 2) if d[i, j] <= epsilon]
    if not close:
        return n
    rows = np.zeros((len(close), n))
    for r, (i, j) in enumerate(close):
        rows[r, [i, j]] = 1.0
    found = milp(
        -np.ones(n),
        constraints=LinearConstraint(rows, ub=np.ones(len(close))),
        integrality=np.ones(n),
        bounds=(0, 1),
    )
    return round(-found.fun)


def entropy_number(distances: ArrayLike, size: int) -> float:
    """Smallest ε for which ``size`` points of the set cover it."""
    return _first_scale(distances, size, covering_number)


def inner_entropy_number(distances: ArrayLike, size: int) -> float:
    """φ: the largest distance that ``size`` + 1 points can keep from each other, 0 if there are
    too few points. φ/2 ≤ entropy number ≤ φ (the book's corollary A.51 prints φ ≤ e ≤ 2φ).
    """
    return _first_scale(distances, size, packing_number)


def _first_scale(distances: ArrayLike, size: int, number: Callable[[Floats, float], int]) -> float:
    """The smallest distance at which a number that falls with the scale is at most ``size``."""
    if size < 1:
        raise ValueError(f"at least one point is needed, got {size}")
    d = _distances(distances)
    values = np.unique(d)
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if number(d, float(values[middle])) <= size:
            high = middle
        else:
            low = middle + 1
    return float(values[low])


def dyadic_entropy_number(distances: ArrayLike, bits: int) -> float:
    """Smallest ε for which 2^bits points cover the set."""
    return entropy_number(distances, 2**bits)


def kernel_ball_outputs(
    gram: Any, count: int, *, ball: float = 1.0, random_state: int = 0
) -> Floats:
    """Outputs on the sample of random functions Σ a_i k(x_i, ·) with a'Ga ≤ ball², one per row."""
    gram = np.asarray(gram, dtype=float)
    values, vectors = np.linalg.eigh(gram)
    keep = values > values.max() * 1e-12
    root = vectors[:, keep] * np.sqrt(values[keep])
    rng = np.random.default_rng(random_state)
    directions = rng.standard_normal((count, root.shape[1]))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = ball * rng.random(count) ** (1.0 / root.shape[1])
    return (lengths[:, None] * directions) @ root.T


def sup_distances(outputs: Any) -> Floats:
    """Largest difference of outputs between every two functions (rows)."""
    outputs = np.asarray(outputs, dtype=float)
    return np.abs(outputs[:, None, :] - outputs[None, :, :]).max(axis=2)


def linear_cover(points: Samples, weights: ArrayLike, epsilon: float) -> Floats:
    """Cover elements for linear functions by perceptron steps, one row of outputs per weight row.

    Each row is within ε of the outputs of its weight vector on every point; the number of steps is
    at most (‖w‖·max‖x‖/ε)², which is what `mercer.bounds.numerics.log2_cover_linear` counts.
    """
    points, weights = np.asarray(points, dtype=float), np.atleast_2d(np.asarray(weights, float))
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon!r}")
    longest = float(np.max(np.einsum("ij,ij->i", points, points)))
    step = epsilon / longest if longest else 0.0
    covered = np.zeros_like(weights)
    for i, w in enumerate(weights):
        while True:
            missing = points @ (w - covered[i])
            worst = int(np.argmax(np.abs(missing)))
            if abs(missing[worst]) <= epsilon:
                break
            covered[i] += step * np.sign(missing[worst]) * points[worst]
    return covered @ points.T
