"""The rational quadratic kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.validate import real
from mercer.kernels.vectors.radial import RadialKernel


class RationalQuadratic(RadialKernel):
    """k(x, y) = (1 + |x - y|^2 / (2 alpha l^2))^-alpha: Gaussians of many length scales at once.

    Parameters
    ----------
    length_scale : float, array of shape (n_features,), "scale", "median" or "auto"
        As for `Gaussian`.
    alpha : positive float
        Small values mix widely different length scales; infinity would be the Gaussian.
    """

    def __init__(self, length_scale: Any = 1.0, alpha: float = 1.0) -> None:
        self.length_scale = length_scale
        self.alpha = alpha

    def _check(self, X: Samples, name: str = "X") -> None:
        super()._check(X, name)
        if not np.isfinite(real(self.alpha, "RationalQuadratic: alpha", low=0, closed=False)):
            raise ValueError("RationalQuadratic: alpha must be finite; use Gaussian for the limit")

    def _profile(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(-self.alpha * np.log1p(r2 / (2.0 * self.alpha)))

    def _profile_slope(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        return -0.5 * np.exp(-(self.alpha + 1.0) * np.log1p(r2 / (2.0 * self.alpha)))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[np.float64]]:
        r2 = self._squares(X, Y)
        base = 1.0 + r2 / (2.0 * self.alpha)
        slope = self._profile(r2) * (r2 / (2.0 * self.alpha * base) - np.log(base))
        return {**super()._tile_gradient(X, Y), "alpha": slope}

    def _unit_frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        # A Gamma mixture of Gaussian kernels has the same mixture of Gaussian spectra.
        precision = rng.gamma(self.alpha, 1.0 / self.alpha, size=rank)
        return rng.standard_normal((n_features, rank)) * np.sqrt(precision)

    @classmethod
    def examples(cls) -> list[RationalQuadratic]:
        """One length scale, and one per column."""
        return [cls(0.8, 0.7), cls(np.array([0.5, 1.0, 3.0]), 2.0)]
