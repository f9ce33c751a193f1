"""The sigmoid kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.distances import dot
from mercer.kernels.fused import Fused
from mercer.kernels.vectors._gamma import ProductKernel


class Sigmoid(ProductKernel):
    """k(x, y) = tanh(gamma <x, y> + coef0). Not positive semi-definite.

    Parameters
    ----------
    gamma : nonnegative float, "scale" or "auto"
    coef0 : float
    """

    psd = False
    bounded = True

    def __init__(self, gamma: float | str = 1.0, coef0: float = 0.0) -> None:
        self.gamma = gamma
        self.coef0 = coef0

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return np.tanh(self._argument(X, Y))

    def _diag(self, X: Samples) -> NDArray[Any]:
        return np.tanh(self._diag_argument(X))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        slope = 1.0 - self._tile(X, Y) ** 2
        return {"gamma": slope * dot(X, Y), "coef0": slope}

    def fused(self) -> Fused:
        """Compiled as "sigmoid"."""
        gamma, coef0 = self._slope_and_offset()
        return Fused("sigmoid", (gamma, coef0, 0.0))

    @classmethod
    def examples(cls) -> list[Sigmoid]:
        """A kernel that is indefinite on ordinary data."""
        return [cls(0.5, -0.3)]
