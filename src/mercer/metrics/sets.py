"""Distances between samples and point sets: Wasserstein and Hausdorff."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from mercer._types import Samples
from mercer.kernels.sequences.series import check_series
from mercer.metrics._base import Floats, Metric, pairwise


class Wasserstein(Metric):
    """The work of moving one sample of numbers into another, each with total weight one.

    Objects are one-dimensional arrays of numbers, of any lengths; as distributions two samples
    are equal if one repeats the other.
    """

    accepts = frozenset({"objects"})
    is_metric = True

    def __init__(self) -> None: ...

    def _check(self, X: Any, name: str = "X") -> None:
        check_series(X, "Wasserstein", name)
        for i, thing in enumerate(X):
            if np.ndim(thing) != 1:
                raise ValueError(f"Wasserstein: {name}[{i}] is not one-dimensional")

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        return pairwise(wasserstein_distance, X, Y, symmetric=True)

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Samples of different sizes."""
        data = np.empty(n, dtype=object)
        for i in range(n):
            data[i] = tuple(rng.normal(size=2 + i % 4).tolist())
        return data


class Hausdorff(Metric):
    """The largest distance from a point of one set to the nearest point of the other, both ways.

    Objects are arrays of shape (points, coordinates); a one-dimensional array is a set of numbers.
    """

    accepts = frozenset({"objects"})
    is_metric = True

    def __init__(self) -> None: ...

    def _check(self, X: Samples, name: str = "X") -> None:
        check_series(X, "Hausdorff", name)

    def _tile(self, X: Any, Y: Any) -> Floats:
        left = [_points(thing) for thing in X]
        right = left if X is Y else [_points(thing) for thing in Y]
        return pairwise(_hausdorff, left, right, symmetric=True)

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Sets of numbers of different sizes."""
        return Wasserstein.example_data(n, rng)


def _points(thing: Any) -> Floats:
    array = np.asarray(thing, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def _hausdorff(a: Floats, b: Floats) -> float:
    D = cdist(a, b)
    return float(max(D.min(axis=1).max(), D.min(axis=0).max()))
