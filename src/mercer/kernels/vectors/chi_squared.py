"""Chi-squared kernels between histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.bandwidth import Resolved, sklearn_gamma
from mercer.kernels.fused import Fused
from mercer.kernels.validate import real
from mercer.kernels.vectors._histogram import HistogramKernel, sum_over_columns


def _difference(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    total = x + y
    return (x - y) ** 2 / np.where(total > 0, total, 1.0)


def _harmonic(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    total = x + y
    return 2.0 * x * y / np.where(total > 0, total, 1.0)


class ChiSquared(HistogramKernel):
    """k(x, y) = exp(-gamma sum_i (x_i - y_i)^2 / (x_i + y_i)), with 0 / 0 = 0.

    Parameters
    ----------
    gamma : nonnegative float, "scale" or "auto"
        The strings as in scikit-learn's support vector machines.
    """

    bounded = True
    sup_norm = 1.0
    value_range = (0.0, 1.0)

    def __init__(self, gamma: Any = 1.0) -> None:
        self.gamma = gamma

    def _rate(self) -> float:
        if isinstance(self.gamma, str) and self.gamma in ("scale", "auto"):
            raise ValueError(
                f"ChiSquared: gamma={self.gamma!r} is not a number; call kernel.resolve(X_train) "
                "first; learners and Gram objects do"
            )
        return real(self.gamma, "ChiSquared: gamma", low=0)

    def _check(self, X: Samples, name: str = "X") -> None:
        self._rate()
        super()._check(X, name)

    def _tile(self, X: Any, Y: Any) -> NDArray[np.float64]:
        return np.exp(-self._rate() * sum_over_columns(X, Y, _difference))

    def _diag(self, X: Any) -> NDArray[np.float64]:
        return np.ones(X.shape[0])

    def _tile_gradient(self, X: Any, Y: Any) -> dict[str, NDArray[np.float64]]:
        total = sum_over_columns(X, Y, _difference)
        return {"gamma": -total * np.exp(-self._rate() * total)}

    def fused(self) -> Fused:
        """Compiled as "chi2"."""
        return Fused("chi2", (self._rate(), 0.0, 0.0))

    def _resolved(self, X: Samples) -> dict[str, Any]:
        if not (isinstance(self.gamma, str) and self.gamma in ("scale", "auto")):
            return {}
        gamma = sklearn_gamma(X, self.gamma)
        return {"gamma": gamma if self.gamma == "auto" else Resolved(gamma, self.gamma)}

    @classmethod
    def examples(cls) -> list[ChiSquared]:
        """One rate."""
        return [cls(0.6)]


class AdditiveChiSquared(HistogramKernel):
    """k(x, y) = sum_i 2 x_i y_i / (x_i + y_i), with 0 / 0 = 0.

    Its squared feature-space distance is sum_i (x_i - y_i)^2 / (x_i + y_i). scikit-learn's
    ``additive_chi2_kernel`` is minus that distance, which is only conditionally positive definite.
    """

    def _tile(self, X: Any, Y: Any) -> NDArray[np.float64]:
        return sum_over_columns(X, Y, _harmonic)

    def _diag(self, X: Any) -> NDArray[Any]:
        return np.asarray(X.sum(axis=1)).ravel()

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        return {}
