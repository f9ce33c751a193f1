"""A kernel matrix that is an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from mercer.gram._base import Gram


def check_precomputed(K: Any, name: str = "the precomputed kernel matrix") -> NDArray[Any]:
    """A finite, square, symmetric float array, or an error that says where it is not."""
    K = check_array(K, dtype=[np.float64, np.float32], order="C", input_name=name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"{name} must be square, got shape {K.shape}; for new objects pass their values "
            "against the training objects to predict, not to fit"
        )
    # Float32 arithmetic on the way leaves 1e-7; a real asymmetry is larger.
    tolerance = (1e-4 if K.dtype == np.float32 else 1e-6) * float(np.max(np.abs(K)))
    for start in range(0, K.shape[0], 1024):
        part = slice(start, start + 1024)
        gap = np.abs(K[part] - K[:, part].T)
        if np.max(gap) > tolerance:
            row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
            i, j = int(row) + start, int(column)
            raise ValueError(
                f"{name} is not symmetric: entry ({i}, {j}) is {K[i, j]:g} but ({j}, {i}) is "
                f"{K[j, i]:g}; if that is rounding, pass (K + K.T) / 2"
            )
    return K


class DenseGram(Gram):
    """The matrix itself, e.g. precomputed by the user.

    Parameters
    ----------
    array : array of shape (n, n)
        Checked to be finite, square and symmetric unless ``validate=False``; not copied.
    kernel : Kernel, optional
        Where the values come from.
    """

    def __init__(
        self,
        array: Any,
        kernel: Any = None,
        memory_limit: float | str | None = None,
        validate: bool = True,
    ) -> None:
        self.array = check_precomputed(array) if validate else array
        self.n = self.array.shape[0]
        self.dtype = self.array.dtype
        self.kernel = kernel
        self.memory_limit = memory_limit

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """Entries of the given rows and columns."""
        return self.array[rows][:, columns]

    def diag(self) -> NDArray[Any]:
        """The diagonal."""
        return self.array.diagonal().copy()

    def dense(self) -> NDArray[Any]:
        """The array; a copy, so that callers may overwrite it."""
        self._reserve(self.array.nbytes, "A copy of the kernel matrix")
        return self.array.copy()

    def subset(self, index: Any) -> DenseGram:
        """The Gram matrix of some of the objects."""
        index = np.arange(self.n)[index]
        part = np.ascontiguousarray(self.array[np.ix_(index, index)])
        return DenseGram(part, self.kernel, self.memory_limit, validate=False)

    def nbytes(self) -> int:
        """Bytes of the array."""
        return int(self.array.nbytes)
