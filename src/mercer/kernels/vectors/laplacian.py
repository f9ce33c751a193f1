"""The Laplacian kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mercer._types import Samples
from mercer.kernels.distances import column_differences
from mercer.kernels.fused import Fused
from mercer.kernels.vectors.radial import RadialKernel


class Laplacian(RadialKernel):
    """k(x, y) = exp(-sum_i |x_i - y_i| / l_i), with one length scale or one per column.

    Parameters
    ----------
    length_scale : float, array of shape (n_features,), "scale", "median" or "auto"
        "scale" and "auto" read scikit-learn's gamma as 1 / l; "median" is the median L1 distance.
    """

    sparse_tiles = False
    radial = "cityblock"

    def __init__(self, length_scale: Any = 1.0) -> None:
        self.length_scale = length_scale

    def _sum(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        scale = self._scale()
        return cdist(X / scale, Y / scale, "cityblock")

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        return np.exp(-self._sum(X, Y))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[np.float64]]:
        scale, total = self._scale(), self._sum(X, Y)
        K = np.exp(-total)
        if np.ndim(scale) == 0:
            return {"length_scale": K * total / scale}
        gradient = np.empty((*K.shape, scale.size))
        for i, one in enumerate(scale):
            gradient[..., i] = K * np.abs(column_differences(X, Y, i)) / one**2
        return {"length_scale": gradient}

    def fused(self) -> Fused:
        """Compiled as "laplacian" with p0 = 1 / l."""
        return self._fused_as("laplacian", 1.0, 1)

    def _unit_frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        return rng.standard_cauchy((n_features, rank))

    def _length_of(self, gamma: float) -> float:
        return 1.0 / gamma

    @classmethod
    def examples(cls) -> list[Laplacian]:
        """One length scale, and one per column."""
        return [cls(1.5), cls(np.array([0.5, 1.0, 3.0]))]
