"""The linear kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels._base import Kernel
from mercer.kernels._distances import dot, row_dot
from mercer.kernels._fused import Fused


class Linear(Kernel):
    """k(x, y) = <x, y>. Add a constant (``Linear() + 1``) for planes that miss the origin."""

    sparse_tiles = True

    def _tile(self, X: Any, Y: Any) -> NDArray[Any]:
        return dot(X, Y)

    def _diag(self, X: Any) -> NDArray[Any]:
        return row_dot(X, X)

    def _tile_gradient(self, X: Any, Y: Any) -> dict[str, NDArray[Any]]:
        return {}

    def fused(self) -> Fused:
        """Compiled as "linear"."""
        return Fused("linear", (0.0, 0.0, 0.0))

    def features_of(self, X: Any) -> NDArray[np.floating]:
        """The feature map: the identity."""
        X, _ = self.validate(X)
        return X
