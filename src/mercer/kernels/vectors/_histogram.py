"""What kernels between histograms share: nonnegative data, and a loop over columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.kernels._base import Kernel

_CHUNK = 2**22  # numbers in one temporary array


class HistogramKernel(Kernel):
    """A kernel on vectors without negative entries."""

    def _check(self, X: Any, name: str = "X") -> None:
        values = X.data if sparse.issparse(X) else X
        if values.size and values.min() < 0:
            where = ""
            if not sparse.issparse(X):
                row, column = np.unravel_index(int(np.argmin(X)), X.shape)
                where = f" (row {row}, column {column} is {X[row, column]:g})"
            raise ValueError(
                f"{type(self).__name__} compares histograms: {name} must not have negative entries"
                f"{where}"
            )

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Nonnegative, with zeros and an empty histogram."""
        data = np.maximum(rng.normal(0.5, 1.0, size=(n, 3)), 0.0)
        data[0] = 0.0
        return data


def sum_over_columns(X: NDArray[Any], Y: NDArray[Any], term: Any) -> NDArray[np.float64]:
    """sum_c term(x_c, y_c) for all pairs, in slices of columns that fit in the cache's reach."""
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    total = np.zeros((X.shape[0], Y.shape[0]))
    width = max(1, _CHUNK // max(1, total.size))
    for start in range(0, X.shape[1], width):
        part = slice(start, start + width)
        total += term(X[:, None, part], Y[None, :, part]).sum(axis=2)
    return total
