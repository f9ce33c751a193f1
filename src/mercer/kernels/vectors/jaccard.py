"""The Jaccard (min-max) kernel between sets and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels.fused import Fused
from mercer.kernels.vectors._histogram import HistogramKernel, sum_over_columns


class Jaccard(HistogramKernel):
    """k(x, y) = sum_i min(x_i, y_i) / sum_i max(x_i, y_i).

    For sets written as 0/1 vectors this is |intersection| / |union|. Two empty sets are equal, so
    their value is 1.
    """

    bounded = True
    sup_norm = 1.0
    value_range = (0.0, 1.0)

    def _tile(self, X: Any, Y: Any) -> NDArray[np.float64]:
        shared = sum_over_columns(X, Y, np.minimum)
        # min + max = x + y, so the union needs no second pass.
        union = X.sum(axis=1, dtype=float)[:, None] + Y.sum(axis=1, dtype=float)[None, :] - shared
        return np.divide(shared, union, out=np.ones_like(shared), where=union > 0)

    def _diag(self, X: Any) -> NDArray[np.float64]:
        return np.ones(X.shape[0])

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        return {}

    def fused(self) -> Fused:
        """Compiled as "jaccard"."""
        return Fused("jaccard", (0.0, 0.0, 0.0))
