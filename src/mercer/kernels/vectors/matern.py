"""Matérn kernels of smoothness 1/2, 3/2 and 5/2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.fused import Fused
from mercer.kernels.vectors.radial import RadialKernel


class Matern(RadialKernel):
    """Functions that are rougher than a Gaussian's; with r = |x - y| / l and s = sqrt(2 nu) r:

    nu = 1/2: exp(-s);  nu = 3/2: (1 + s) exp(-s);  nu = 5/2: (1 + s + s^2 / 3) exp(-s).

    Parameters
    ----------
    length_scale : float, array of shape (n_features,), "scale", "median" or "auto"
        As for `Gaussian`.
    nu : 0.5, 1.5 or 2.5
        Functions are nu - 1/2 times differentiable.
    """

    choices = frozenset({"nu"})

    def __init__(self, length_scale: Any = 1.0, nu: float = 1.5) -> None:
        self.length_scale = length_scale
        self.nu = nu

    def _check(self, X: Samples, name: str = "X") -> None:
        super()._check(X, name)
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"Matern: nu must be 0.5, 1.5 or 2.5, got {self.nu!r}")

    def _profile(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        s = np.sqrt(2.0 * self.nu * r2)
        if self.nu == 0.5:
            return np.exp(-s)
        if self.nu == 1.5:
            return (1.0 + s) * np.exp(-s)
        return (1.0 + s + s * s / 3.0) * np.exp(-s)

    def _profile_slope(self, r2: NDArray[np.float64]) -> NDArray[np.float64]:
        s = np.sqrt(2.0 * self.nu * r2)
        if self.nu == 0.5:  # infinite at r = 0, where it is only ever multiplied by zero
            return -0.5 * np.exp(-s) / np.where(s > 0, s, np.inf)
        if self.nu == 1.5:
            return -1.5 * np.exp(-s)
        return -5.0 / 6.0 * (1.0 + s) * np.exp(-s)

    def fused(self) -> Fused | None:
        """Compiled as "matern12", "matern32" or "matern52" with p0 = sqrt(2 nu) / l."""
        family = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}.get(self.nu)
        return self._fused_as(family, np.sqrt(2.0 * self.nu), 1) if family else None

    def _unit_frequencies(
        self, n_features: int, rank: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        # The spectral law is Student's t in n_features dimensions with 2 nu degrees of freedom.
        freedom = 2.0 * self.nu
        radius = np.sqrt(freedom / rng.chisquare(freedom, size=rank))
        return rng.standard_normal((n_features, rank)) * radius

    @classmethod
    def examples(cls) -> list[Matern]:
        """Each smoothness, and one length scale per column."""
        return [cls(0.8, 0.5), cls(1.2, 1.5), cls(np.array([0.5, 1.0, 3.0]), 2.5)]
