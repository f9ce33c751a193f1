"""A kernel matrix whose tiles are computed when asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.gram._base import Gram
from mercer.kernels import Kernel
from mercer.kernels.fused import Product, native
from mercer.kernels.validate import n_rows, take


class KernelGram(Gram):
    """K(X, X) of a kernel and a sample, streamed.

    Nothing of size n x n is stored. Heuristic parameters of the kernel ("median", "scale") are
    resolved on X; ``gram.kernel`` is the kernel with numbers. The diagonal is ``kernel.diag(X)``,
    which is where white noise appears.

    With ``validate=False`` the caller vouches that the kernel is resolved and X is what
    `Kernel.validate` returns.

    Attributes
    ----------
    fused : Fused or None
        How the compiled solver can compute rows by itself, from dense or CSR vectors; None for
        kernels that the compiled core does not know.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        memory_limit: float | str | None = None,
        validate: bool = True,
    ) -> None:
        if "precomputed" in kernel.accepts:
            raise ValueError("a precomputed kernel is its own Gram matrix: use DenseGram(K)")
        if validate:
            kernel = kernel.resolve(X)
            X, _ = kernel.validate(X)
        self.X = X
        self._start(kernel, memory_limit)

    def _start(self, kernel: Kernel, memory_limit: float | str | None) -> None:
        self.kernel: Kernel = kernel
        self.n = n_rows(self.X)
        kind = getattr(self.X, "dtype", None)
        self.dtype = np.dtype(np.float32 if kind == np.float32 else np.float64)
        self.memory_limit = memory_limit
        self._sample = kernel.bind(self.X)
        self._diagonal: NDArray[Any] | None = None
        self.fused = kernel.fused_for(self.X)

    def diag(self) -> NDArray[Any]:
        """k(x, x) for every object."""
        if self._diagonal is None:
            self._diagonal = np.asarray(self.kernel._diag(self.X), dtype=self.dtype)
        return self._diagonal.copy()

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """Entries of the given rows and columns."""
        if self._diagonal is None:
            self.diag()
        K = np.require(self._sample.tile(rows, columns), self.dtype, "W")
        i, j = np.arange(self.n)[rows], np.arange(self.n)[columns]
        if isinstance(columns, slice) and columns == slice(None):
            K[np.arange(i.size), i] = self._diagonal[i]  # type: ignore[index]
            return K
        same_row, same_column = np.nonzero(i[:, None] == j[None, :])
        K[same_row, same_column] = self._diagonal[i[same_row]]  # type: ignore[index]
        return K

    def dense(self) -> NDArray[Any]:
        """The full matrix, if the memory limit allows it."""
        if self.fused is None or native() is None or sparse.issparse(self.X):
            return super().dense()  # in parts: NumPy's temporary arrays are as large as the matrix
        self._reserve(self.n * self.n * self.dtype.itemsize, "The full kernel matrix")
        return self.tile(slice(None), slice(None))  # in one piece, without a copy

    def matmul(self, V: Any) -> NDArray[np.float64]:
        """K @ V without K."""
        V = self._columns(V)
        if self.fused is None or sparse.issparse(self.X):
            return super().matmul(V)
        return self.kernel._matmul(self.X, self.X, V, same=True)

    def single(self) -> Product | None:
        """V ↦ K @ V with kernel values in float32, faster; None where there is no such thing."""
        core = native()
        if self.fused is None or core is None or sparse.issparse(self.X):
            return None
        return self.fused.single(self.X, core)

    def subset(self, index: Any) -> KernelGram:
        """The Gram matrix of some of the objects; parameters stay as resolved on all of them."""
        part = object.__new__(type(self))
        part.X = take(self.X, np.arange(self.n)[index])
        part._start(self.kernel, self.memory_limit)
        return part

    def nbytes(self) -> int:
        """Bytes of what is kept besides the data: the diagonal."""
        return 0 if self._diagonal is None else int(self._diagonal.nbytes)
