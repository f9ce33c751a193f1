"""Distances into similarities and back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Samples
from mercer.metrics._axioms import Floats, as_square, double_centred, negative_type_spectrum


class NotEuclideanWarning(UserWarning):
    """No points of a Euclidean space have these distances."""


def distance_from_kernel(K: ArrayLike) -> Floats:
    """sqrt(k(x,x) - 2 k(x,y) + k(y,y)): the distance of the images, for a kernel matrix."""
    K = as_square(K, "K")
    own = np.diagonal(K)
    squares = own[:, None] - 2.0 * K + own[None, :]
    if squares.min() < -1e-8 * max(1e-300, float(np.abs(K).max())):
        i, j = np.unravel_index(int(squares.argmin()), squares.shape)
        raise ValueError(
            f"k(x,x) - 2 k(x,y) + k(y,y) = {squares[i, j]:.4g} < 0 for objects {i} and {j}: not a "
            "kernel matrix; see mercer.metrics.similarity_report"
        )
    return np.sqrt(np.maximum(squares, 0.0))


def distance_from_similarity(S: Any, how: str | Callable[[Floats], Floats] = "one-minus") -> Floats:
    """1 - s for similarities in [0, 1] with s(x, x) = 1, or any decreasing function.

    Only d(x, x) = 0 and d ≥ 0 are guaranteed: look at ``report`` of the result.
    """
    S = as_square(S, "S")
    if callable(how):
        return np.asarray(how(S), dtype=np.float64)
    if how != "one-minus":
        raise ValueError(f"how={how!r} is neither 'one-minus' nor a function")
    if S.min() < 0 or np.max(np.abs(np.diagonal(S) - 1.0)) > 1e-9 or S.max() > 1 + 1e-9:
        raise ValueError(
            f"1 - s needs similarities between 0 and 1 with s(x, x) = 1; these reach from "
            f"{S.min():.4g} to {S.max():.4g}. Normalise them, or pass a decreasing function."
        )
    return 1.0 - S


def kernel_from_distance(D: Samples, origin: int | None = None) -> Floats:
    """Inner products that give back the distances: around an object, or around the centre.

    s(x, y) = ½ (d(x,o)² + d(y,o)² - d(x,y)²), or -½ J D² J without an origin. Positive
    semi-definite if and only if the distance is Euclidean; a ``NotEuclideanWarning`` says if not.
    """
    D = as_square(D)
    values = negative_type_spectrum(D)
    if values[0] < -1e-9 * float(np.max(np.abs(values))):
        warnings.warn(
            f"these distances are not Euclidean (smallest eigenvalue {values[0]:.4g}, largest "
            f"{values[-1]:.4g}): the matrix is no kernel. lingoes(D) and cailliez(D) repair them, "
            "and mercer.learners.metric learns from the distances as they are.",
            NotEuclideanWarning,
            stacklevel=2,
        )
    if origin is None:
        return double_centred(D)
    squares = D**2
    return 0.5 * (squares[:, [origin]] + squares[[origin], :] - squares)


def similarity_from_distance(
    D: Samples, how: str | Callable[[Floats], Floats] = "gaussian", scale: float = 1.0
) -> Floats:
    """exp(-d²/t) ("gaussian"), exp(-d/t) ("exponential"), 1/(1 + d/t) ("inverse"), or a function.

    exp(-d²/t) is a kernel for every t if and only if d is Euclidean.
    """
    D = as_square(D)
    if callable(how):
        return np.asarray(how(D), dtype=np.float64)
    return decreasing(how, D, scale)


def decreasing(how: str, D: Floats, scale: float) -> Floats:
    """The named decreasing functions."""
    if not scale > 0:
        raise ValueError(f"scale must be positive, got {scale}")
    if how == "gaussian":
        return np.exp(-(D**2) / scale)
    if how == "exponential":
        return np.exp(-D / scale)
    if how == "inverse":
        return 1.0 / (1.0 + D / scale)
    raise ValueError(f"how={how!r} is not 'gaussian', 'exponential', 'inverse' or a function")


def shift_to_nonnegative(S: Any) -> tuple[Floats, float]:
    """S + c without negative entries, and c; a kernel matrix stays one, since c·11' is PSD."""
    S = as_square(S, "S")
    c = max(0.0, -float(S.min()))
    return S + c, c
