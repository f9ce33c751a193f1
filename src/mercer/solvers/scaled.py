"""A Gram with rows and columns multiplied by factors: how sample weights enter a ridge system."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.gram import DenseGram, Gram, KernelGram

Floats = NDArray[np.float64]


class ScaledGram:
    """``S K S`` for a diagonal S, by products, rows and one dense array; S = I without factors."""

    def __init__(self, gram: Gram, factor: Floats | None = None, dtype: Any = np.float64) -> None:
        self.gram, self.factor, self.n = gram, factor, gram.n
        self.dtype = np.dtype(dtype)  # of `rows`

    def matmul(self, V: Floats) -> Floats:
        """S K S V."""
        if self.factor is None:
            return self.gram.matmul(V)
        factor = self.factor[:, None]
        return factor * self.gram.matmul(factor * V)

    def diag(self) -> Floats:
        """The diagonal of S K S."""
        values = np.asarray(self.gram.diag(), dtype=np.float64)
        return values if self.factor is None else values * self.factor**2

    def rows(self, index: NDArray[np.intp]) -> NDArray[Any]:
        """Whole rows, as an array that may be overwritten."""
        values = np.array(self.gram.rows(index), dtype=self.dtype, order="C")
        if self.factor is not None:
            values *= self.factor[index, None] * self.factor
        return values

    def dense(self) -> Floats:
        """The matrix as a new float64 array; the only n × n array of a direct solve."""
        values = self.gram.dense()
        values = values if values.dtype == np.float64 else values.astype(np.float64)
        if self.factor is not None:
            values *= self.factor[:, None]
            values *= self.factor
        return values

    def single(self) -> ScaledGram | None:
        """The same matrix from single-precision data, if that makes its products cheaper."""
        if not isinstance(self.gram, KernelGram) or self.gram.fused is None:
            return None
        X: Any = self.gram.X
        if sparse.issparse(X) or X.dtype != np.float64:
            return None
        # A shift towards the origin keeps the digits that single precision has.
        moved = X - X.mean(axis=0) if self.gram.kernel.stationary else X
        light = KernelGram(self.gram.kernel, moved.astype(np.float32), validate=False)
        return ScaledGram(light, self.factor, np.float32)

    def dense_single(self) -> NDArray[np.float32]:
        """The matrix as a new float32 array, without a float64 one beside it."""
        light = self.single()
        if light is not None:
            values = light.gram.dense()
        else:
            values = np.empty((self.n, self.n), dtype=np.float32)
            for part in self.gram.blocks():
                values[part] = self.gram.tile(part, slice(None))
        if self.factor is not None:
            factor = self.factor.astype(np.float32)
            values *= factor[:, None]
            values *= factor
        return values

    def cheap(self) -> bool:
        """Whether a product costs far less than computing the matrix once and keeping it."""
        return isinstance(self.gram, DenseGram) or (
            self.gram.fused is not None and not sparse.issparse(getattr(self.gram, "X", None))
        )
