"""Kernels of gamma <x, y> + coef0: polynomial and sigmoid."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.bandwidth import Resolved, sklearn_gamma
from mercer.kernels.distances import dot, row_dot
from mercer.kernels.validate import real


class ProductKernel(Kernel):
    """k(x, y) = g(gamma <x, y> + coef0)."""

    gamma: Any
    coef0: float
    sparse_tiles = True

    def _slope_and_offset(self) -> tuple[float, float]:
        owner = type(self).__name__
        if isinstance(self.gamma, str) and self.gamma in ("scale", "auto"):
            raise ValueError(
                f"{owner}: gamma={self.gamma!r} is not a number; call kernel.resolve(X_train) "
                "first; learners and Gram objects do"
            )
        gamma = real(self.gamma, f"{owner}: gamma", low=0)
        return gamma, real(self.coef0, f"{owner}: coef0")

    def _check(self, X: Samples, name: str = "X") -> None:
        self._slope_and_offset()

    def _argument(self, X: Samples, Y: Samples) -> NDArray[Any]:
        gamma, coef0 = self._slope_and_offset()
        return gamma * dot(X, Y) + coef0

    def _diag_argument(self, X: Samples) -> NDArray[Any]:
        gamma, coef0 = self._slope_and_offset()
        return gamma * row_dot(X, X) + coef0

    def _resolved(self, X: Samples) -> dict[str, Any]:
        if not (isinstance(self.gamma, str) and self.gamma in ("scale", "auto")):
            return {}
        gamma = sklearn_gamma(X, self.gamma)
        return {"gamma": gamma if self.gamma == "auto" else Resolved(gamma, self.gamma)}
