"""The periodic kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.distances import column_differences, squared_distances
from mercer.kernels.validate import real


class Periodic(Kernel):
    """k(x, y) = exp(-(2 / l^2) sum_i sin^2(pi (x_i - y_i) / period)).

    Every column is wound around a circle and a Gaussian is taken there. The sum over columns keeps
    the kernel positive semi-definite in any dimension; the sine of the Euclidean distance, which
    some libraries use, is a kernel in one dimension only.

    Parameters
    ----------
    length_scale : positive float
    period : positive float
    """

    bounded = True
    stationary = True
    sup_norm = 1.0
    value_range = (0.0, 1.0)

    def __init__(self, length_scale: float = 1.0, period: float = 1.0) -> None:
        self.length_scale = length_scale
        self.period = period

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.length_scale, "Periodic: length_scale", low=0, closed=False)
        real(self.period, "Periodic: period", low=0, closed=False)

    def _squares(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        """sum_i sin^2(pi (x_i - y_i) / period), as a quarter of the squared chord lengths."""
        return squared_distances(self._wound(X), self._wound(Y)) / 4.0

    def _wound(self, X: Any) -> NDArray[np.float64]:
        angle = 2.0 * np.pi * X.astype(np.float64) / self.period
        return np.hstack([np.cos(angle), np.sin(angle)])

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        return np.exp(-2.0 / self.length_scale**2 * self._squares(X, Y))

    def _diag(self, X: Any) -> NDArray[np.float64]:
        return np.ones(X.shape[0])

    def _tile_gradient(self, X: Any, Y: Any) -> dict[str, NDArray[np.float64]]:
        squares = self._squares(X, Y)
        K = np.exp(-2.0 / self.length_scale**2 * squares)
        turning = np.zeros_like(K)
        for column in range(X.shape[1]):
            difference = column_differences(X, Y, column)
            turning += difference * np.sin(2.0 * np.pi * difference / self.period)
        return {
            "length_scale": 4.0 * K * squares / self.length_scale**3,
            "period": 2.0 * np.pi * K * turning / (self.length_scale * self.period) ** 2,
        }

    @classmethod
    def examples(cls) -> list[Periodic]:
        """A period that is not one."""
        return [cls(0.9, 2.5)]
