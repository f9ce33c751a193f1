"""How neighbours vote, how ties are broken, and how many are asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

TIES = ("nearest", "first", "shrink", "random")


def consistent_k(n: int, d: int | None = None, *, odd: bool = False) -> int:
    """A number of neighbours that grows with n while its share falls: k → ∞, k/n → 0.

    Both are needed for consistency (Stone 1977). Without ``d`` this is ⌈√n⌉; with it
    ⌈n^{2/(d+2)}⌉, the best rate for Lipschitz regression functions in d dimensions.

    Parameters
    ----------
    n : int
        Number of training rows.
    d : int, optional
        Number of dimensions.
    odd : bool, default=False
        Make the number odd (upwards if there are enough rows), which excludes ties of two classes.

    Returns
    -------
    int
        k between 1 and n.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}.")
    k = math.ceil(math.sqrt(n) - 1e-9) if d is None else math.ceil(n ** (2.0 / (d + 2)) - 1e-9)
    k = min(max(k, 1), n)
    if odd and k % 2 == 0:
        k = k + 1 if k < n else k - 1
    return k


def neighbour_weights(distances: Floats, weights: ArrayLike | None) -> Floats:
    """Weight of each neighbour: equal, inverse distance, or a function of the distances."""
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return np.ones_like(distances)
    if callable(weights):
        given = np.asarray(weights(distances), dtype=np.float64)
        if np.any(given.sum(axis=1) <= 0):
            raise ValueError(
                "All neighbors of some sample is getting zero weights. Please modify 'weights' to "
                "avoid this case if you are using a user-defined function."
            )
        return given
    with np.errstate(divide="ignore"):
        inverse = 1.0 / distances
    at_the_point = np.isinf(inverse)  # then nothing else counts
    hit = at_the_point.any(axis=1)
    inverse[hit] = at_the_point[hit]
    return inverse


def tally(codes: Codes, weights: Floats, n_classes: int) -> Floats:
    """Weight of each class among the neighbours, shape (n_queries, n_classes)."""
    count = len(codes)
    flat = codes + n_classes * np.arange(count)[:, None]
    total = np.bincount(flat.ravel(), weights=weights.ravel(), minlength=count * n_classes)
    return np.asarray(total, dtype=np.float64).reshape(count, n_classes)


def winners(codes: Codes, weights: Floats, n_classes: int, ties: str, rng: Any) -> Codes:
    """The class with the largest weight; equal weights are decided by the rule.

    "nearest": the tied class whose neighbour is nearest; "first": the first in the order of the
    classes; "shrink": the farthest neighbour is sent away until one class is ahead; "random".
    """
    votes = tally(codes, weights, n_classes)
    best = votes.max(axis=1, keepdims=True)
    leading = votes >= best * (1.0 - 1e-12)
    choice = votes.argmax(axis=1)
    tied = np.flatnonzero(leading.sum(axis=1) > 1)
    for query in tied if ties != "first" else ():
        choice[query] = _break(
            codes[query], weights[query], leading[query], choice[query], ties, rng
        )
    return choice


def _break(
    codes: Codes, weights: Floats, leading: NDArray[np.bool_], first: int, ties: str, rng: Any
) -> int:
    if ties == "random":
        return int(rng.choice(np.flatnonzero(leading)))
    if ties == "nearest":
        return int(next(code for code in codes if leading[code]))
    for k in range(len(codes) - 1, 0, -1):
        votes = np.bincount(codes[:k], weights=weights[:k], minlength=len(leading))
        ahead = np.flatnonzero(votes >= votes.max() * (1.0 - 1e-12))
        if len(ahead) == 1:
            return int(ahead[0])
    return int(first)
