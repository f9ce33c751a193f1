"""The Mahalanobis (ARD) kernel with the text's scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.fused import Fused
from mercer.kernels.vectors.radial import RadialKernel


class Mahalanobis(RadialKernel):
    """k(x, y) = exp(-sum_i (x_i - y_i)^2 / s_i^2), without the 1/2 of `Gaussian`.

    This is the scaling of Herbrich, Table 2.1: ``Gaussian(l)`` equals ``Mahalanobis(sqrt(2) * l)``.

    Parameters
    ----------
    length_scale : float, array of shape (n_features,), "scale", "median" or "auto"
        The s_i; an infinite one switches its column off. "scale" and "auto" are scikit-learn's
        gamma = 1 / s^2, "median" is the median distance.
    """

    def __init__(self, length_scale: Any = 1.0) -> None:
        self.length_scale = length_scale

    def _profile(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(-r2)

    def _profile_slope(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.exp(-r2)

    def fused(self) -> Fused:
        """Compiled as "gaussian" with p0 = 1 / s^2."""
        return self._fused_as("gaussian", 1.0, 2)

    def _unit_frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        return np.sqrt(2.0) * rng.standard_normal((n_features, rank))

    def _length_of(self, gamma: float) -> float:
        return 1.0 / np.sqrt(gamma)

    @classmethod
    def examples(cls) -> list[Mahalanobis]:
        """One scale, and one per column."""
        return [cls(1.3), cls(np.array([0.7, 2.0, 1.1]))]
