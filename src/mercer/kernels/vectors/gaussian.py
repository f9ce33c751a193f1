"""The Gaussian (RBF) kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.fused import Fused
from mercer.kernels.vectors.radial import RadialKernel


class Gaussian(RadialKernel):
    r"""k(x, y) = exp(-|x - y|^2 / (2 l^2)), or exp(-sum_i (x_i - y_i)^2 / (2 l_i^2)).

    Parameters
    ----------
    length_scale : float, array of shape (n_features,), "scale", "median" or "auto"
        The distance over which the function varies. An array gives every column its own (ARD);
        an infinite entry switches the column off. The strings are read off the data by `resolve`:
        "scale" and "auto" as scikit-learn's gamma = 1 / (2 l^2), "median" as the median distance.
    """

    def __init__(self, length_scale: Any = 1.0) -> None:
        self.length_scale = length_scale

    def _profile(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(-0.5 * r2)

    def _profile_slope(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        return -0.5 * np.exp(-0.5 * r2)

    def fused(self) -> Fused:
        """Compiled as "gaussian" with p0 = 1 / (2 l^2)."""
        return self._fused_as("gaussian", 0.5, 2)

    def _unit_frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        return rng.standard_normal((n_features, rank))

    @classmethod
    def examples(cls) -> list[Gaussian]:
        """One length scale, and one per column."""
        return [cls(0.8), cls(np.array([0.5, 1.0, 3.0]))]
