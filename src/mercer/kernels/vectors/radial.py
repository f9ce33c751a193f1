"""Kernels that are a function of the scaled distance r^2 = sum_i (x_i - y_i)^2 / l_i^2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.bandwidth import (
    HEURISTICS,
    Resolved,
    median_distance,
    positive_scale,
    sklearn_gamma,
)
from mercer.kernels.distances import column_differences, scaled, squared_distances
from mercer.kernels.fused import Fused


class RadialKernel(Kernel):
    """k(x, y) = g(r^2), with one length scale or one per column.

    A family writes ``_profile(r2)`` = g and ``_profile_slope(r2)`` = g', and may name its compiled
    equivalent and its spectral law (both for length scale one). g falls from g(0) = 1 towards 0; a
    profile that goes below 0 has to state another ``value_range``.
    """

    plug_in = False  # a family, nothing to choose
    length_scale: Any
    sparse_tiles = True
    bounded = True
    stationary = True
    radial = "euclidean"
    sup_norm = 1.0
    value_range = (0.0, 1.0)

    @property
    def universal(self) -> bool:
        """Radial families here are universal unless a column is switched off (l = inf)."""
        return isinstance(self.length_scale, str) or bool(np.all(np.isfinite(self.length_scale)))

    def _profile(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        raise TypeError(f"{type(self).__name__} does not define _profile(r2)")

    def _profile_slope(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        raise TypeError(f"{type(self).__name__} does not define _profile_slope(r2)")

    def _scale(self, n_features: int | None = None) -> Any:
        return positive_scale(self.length_scale, type(self).__name__, n_features)

    def _check(self, X: Any, name: str = "X") -> None:
        self._scale(X.shape[1])

    def _squares(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        scale = self._scale()
        return squared_distances(scaled(X, scale), scaled(Y, scale))

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        return self._profile(self._squares(X, Y))

    def _diag(self, X: Any) -> NDArray[np.float64]:
        return np.ones(X.shape[0])

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[np.float64]]:
        scale, r2 = self._scale(), self._squares(X, Y)
        slope = self._profile_slope(r2)
        if np.ndim(scale) == 0:
            return {"length_scale": -2.0 * slope * r2 / scale}
        gradient = np.empty((*slope.shape, scale.size))
        for i, one in enumerate(scale):
            gradient[..., i] = -2.0 * slope * column_differences(X, Y, i) ** 2 / one**3
        return {"length_scale": gradient}

    def _fused_as(self, family: str, factor: float, power: int) -> Fused:
        """The compiled family whose first parameter is ``factor / l^power``."""
        scale = self._scale()
        if np.ndim(scale) == 0:
            return Fused(family, (factor / scale**power, 0.0, 0.0))
        return Fused(family, (factor, 0.0, 0.0), 1.0 / scale)

    def _frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64] | None:
        unit = self._unit_frequencies(n_features, rank, rng)
        if unit is None or isinstance(self.length_scale, str):
            return unit
        scale = self._scale()
        return unit / (scale if np.ndim(scale) == 0 else scale[:n_features, None])

    def _unit_frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64] | None:
        return None

    def _resolved(self, X: Samples) -> dict[str, Any]:
        rule = self.length_scale
        if not isinstance(rule, str) or rule not in HEURISTICS:
            return {}
        if rule == "median":
            return {"length_scale": Resolved(median_distance(X, self.radial), rule)}
        length = self._length_of(sklearn_gamma(X, rule))
        return {"length_scale": length if rule == "auto" else Resolved(length, rule)}

    def _length_of(self, gamma: float) -> float:
        """The length scale that scikit-learn's ``gamma`` stands for."""
        return float(1.0 / np.sqrt(2.0 * gamma))
