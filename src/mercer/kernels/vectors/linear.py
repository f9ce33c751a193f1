"""The linear kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.distances import dot, row_dot
from mercer.kernels.fused import Fused


class Linear(Kernel):
    """k(x, y) = <x, y>. Add a constant (``Linear() + 1``) for planes that miss the origin."""

    sparse_tiles = True

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return dot(X, Y)

    def _diag(self, X: Samples) -> NDArray[Any]:
        return row_dot(X, X)

    def _matmul(self, X: Any, Y: Any, V: NDArray[np.float64], same: bool) -> NDArray[np.float64]:
        """Through the weight vectors, X (Y' V): one pass over each sample instead of all pairs."""
        result = np.empty((X.shape[0], *V.shape[1:]))
        columns, out = V.reshape(len(V), -1), result.reshape(len(result), -1)
        size = _config.block_rows(8 * max(1, X.shape[1]))  # weight vectors of wide data are large
        for start in range(0, columns.shape[1], size):
            part = slice(start, start + size)
            out[:, part] = X @ (Y.T @ columns[:, part])
        return result

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        return {}

    def dimension(self, n_features: int | None) -> float | None:
        """One per column."""
        return None if n_features is None else float(n_features)

    def fused(self) -> Fused:
        """Compiled as "linear"."""
        return Fused("linear", (0.0, 0.0, 0.0))

    def features_of(self, X: Any) -> NDArray[np.floating]:
        """The feature map: the identity."""
        X, _ = self.validate(X)
        return X
