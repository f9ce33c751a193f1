"""`Gram`: a symmetric kernel matrix that is asked, not held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer.gram._factor import CholeskyFactor, Factor
from mercer.gram._iterative import conjugate_gradients, lanczos
from mercer.kernels import Fused, Kernel
from mercer.kernels.fused import Product

Array = NDArray[Any]
_DENSE = 2000  # below this size all eigenvectors are cheaper than iterating for a few


class Gram(ABC):
    """The kernel matrix of one sample: tiles, products and solves, within a memory limit.

    A subclass provides ``n``, ``dtype``, `tile`, `diag` and `subset`; everything else follows.
    """

    n: int
    dtype: np.dtype[Any]
    memory_limit: float | str | None = None
    kernel: Kernel | None = None
    fused: Fused | None = None

    @abstractmethod
    def tile(self, rows: Any, columns: Any) -> Array:
        """Entries of the given rows and columns (slices or integer arrays)."""

    @abstractmethod
    def diag(self) -> Array:
        """The diagonal."""

    @abstractmethod
    def subset(self, index: Any) -> Gram:
        """The Gram matrix of some of the objects, in the given order."""

    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held at the moment, the data not included."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return self.n, self.n

    def rows(self, index: Any) -> Array:
        """Whole rows, shape (len(index), n)."""
        return self.tile(np.atleast_1d(index), slice(None))

    def trace(self) -> float:
        """Sum of k(x, x)."""
        return float(np.sum(self.diag(), dtype=np.float64))

    def dense_nbytes(self) -> int:
        """What the full matrix takes, in float64."""
        return self.n * self.n * 8

    def fits(self, copies: float = 1.0) -> bool:
        """Whether so many full matrices respect the memory limit."""
        return copies * self.dense_nbytes() <= _config.memory_limit(self.memory_limit)

    def dense(self) -> Array:
        """The full matrix, if the memory limit allows it."""
        self._reserve(self.n * self.n * self.dtype.itemsize, "The full kernel matrix")
        K = np.empty((self.n, self.n), dtype=self.dtype)
        for part in self.blocks():
            K[part] = self.tile(part, slice(None))
        return K

    def blocks(self) -> Iterator[slice]:
        """Consecutive groups of rows that are comfortable to hold."""
        size = _config.block_rows(_config.TEMPORARIES * self.n * 8, self.memory_limit)
        for start in range(0, self.n, size):
            yield slice(start, min(self.n, start + size))

    def matmul(self, V: Any) -> NDArray[np.float64]:
        """K @ V in float64, one group of rows at a time."""
        V = self._columns(V)
        result = np.empty((self.n, *V.shape[1:]))
        for part in self.blocks():
            result[part] = self.tile(part, slice(None)) @ V
        return result

    def single(self) -> Product | None:
        """V ↦ K @ V with kernel values in float32, faster; None where there is no such thing."""
        return None

    def factor(self, shift: float = 0.0) -> Factor:
        """Cholesky factor of K + shift I; needs the full matrix to fit in memory."""
        self._reserve(2 * self.dense_nbytes(), "A Cholesky factorisation of the kernel matrix")
        return CholeskyFactor(self.dense().astype(np.float64), shift)

    def solve(self, shift: float, b: Any, tol: float = 1e-10, max_iter: int | None = None) -> Array:
        """(K + shift I)^-1 b: by Cholesky if it fits in memory, else by conjugate gradients."""
        b = self._columns(b)
        if self.fits(2):
            return self.factor(shift).solve(b)
        return conjugate_gradients(self, shift, b, tol=tol, max_iter=max_iter)

    def eigh(self, k: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The k largest eigenvalues, descending, and their vectors (all of them without k)."""
        k = self.n if k is None else int(k)
        if not 1 <= k <= self.n:
            raise ValueError(f"k={k} eigenvalues of a {self.n} x {self.n} matrix do not exist")
        few = k <= self.n // 10
        if not self.fits(3) or (few and self.n > _DENSE):
            if k > self.n // 2:
                self._reserve(3 * self.dense_nbytes(), f"{k} eigenvectors of the kernel matrix")
            return lanczos(self, k)
        from scipy.linalg import eigh

        K = self.dense().astype(np.float64)
        values, vectors = eigh(K, subset_by_index=(self.n - k, self.n - 1), overwrite_a=True)
        return values[::-1], vectors[:, ::-1]

    def _columns(self, V: Any) -> NDArray[np.float64]:
        V = np.asarray(V, dtype=np.float64)
        if V.ndim not in (1, 2) or V.shape[0] != self.n:
            raise ValueError(f"shape {V.shape} does not match a kernel matrix of {self.n} objects")
        return V

    def _reserve(self, nbytes: int, what: str) -> None:
        _config.reserve(
            nbytes,
            what,
            "Use matmul/solve/eigh(k), fewer rows, mercer.gram.LowRankGram, or raise the limit "
            "with mercer.set_config(memory_limit=...).",
            self.memory_limit,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, dtype={self.dtype}, kernel={self.kernel})"
