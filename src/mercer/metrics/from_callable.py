"""A user's function as a distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Samples
from mercer.metrics._base import Floats, Metric, pairwise


class FromFunction(Metric):
    """d(x, y) given by a Python function of two objects, which are handed over as they are.

    Parameters
    ----------
    function : callable
        ``function(x, y)`` returning one number.
    symmetric : bool
        Compute one triangle only and mirror it.
    is_metric, euclidean : bool or None
        What is known; None means unknown.
    """

    accepts = frozenset({"objects"})
    is_metric: bool | None = None
    euclidean: bool | None = None

    def __init__(
        self,
        function: Callable[[Any, Any], float],
        symmetric: bool = False,
        is_metric: bool | None = None,
        euclidean: bool | None = None,
    ) -> None:
        self.function = function
        self.symmetric = symmetric
        self.is_metric = is_metric
        self.euclidean = euclidean

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        D = pairwise(self.function, X, Y, self.symmetric)
        if np.isnan(D).any():
            i, j = np.argwhere(np.isnan(D))[0]
            raise ValueError(f"the distance function returned NaN for objects {i} and {j}")
        return D

    @classmethod
    def examples(cls) -> list[FromFunction]:
        """The largest difference of coordinates."""
        return [cls(_largest, symmetric=True, is_metric=True)]


def _largest(x: Any, y: ArrayLike) -> float:
    return float(np.max(np.abs(np.asarray(x) - np.asarray(y))))
