"""A symmetric matrix in one n x n buffer: built, factored and inverted in place.

Gaussian processes factor the same matrix at dozens of parameter values. Only the lower triangle is
ever computed, the buffer is reused, and no second array of its size is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas, lapack

from mercer import _config
from mercer.gram._factor import NotPositiveDefiniteError
from mercer.kernels import Kernel
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import take

Floats = NDArray[np.float64]
BLOCK = 256  # rows of the triangle worked on at a time
JITTERS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)  # of the mean diagonal: what rounding may cost


class Triangle:
    """The lower triangle of a symmetric n x n matrix in float64 or float32.

    `fill` puts a kernel matrix in, `factor` replaces it by its Cholesky factor L, and `invert`
    replaces that by the inverse.

    Attributes
    ----------
    array : C-ordered array of shape (n, n)
        Only the lower triangle means anything.
    jitter : float
        What `factor` added to the diagonal because the matrix was singular to rounding.
    """

    _tag = "record:triangle"

    def __init__(self, n: int, dtype: Any = np.float64, memory_limit: Any = None) -> None:
        kind = np.dtype(dtype)
        _config.reserve(
            n * n * kind.itemsize,
            f"The covariance of {n} rows",
            "Use inducing points (SparseGaussianProcessRegressor), float32, fewer rows, or raise "
            "the limit with mercer.set_config(memory_limit=...).",
            memory_limit,
        )
        self.n = n
        self.array: NDArray[Any] = np.empty((n, n), dtype=kind)
        self.jitter = 0.0

    def _lapack(self, name: str) -> Any:
        """The LAPACK or BLAS routine for this precision; looked up, for they cannot be pickled."""
        full = ("s" if self.array.dtype == np.float32 else "d") + name
        return getattr(blas if name in ("trsm", "symv", "symm") else lapack, full)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """First and last row of each group of rows."""
        for start in range(0, self.n, BLOCK):
            yield start, min(self.n, start + BLOCK)

    def fill(self, kernel: Kernel, X: Any) -> None:
        """The Gram matrix of X; with a precomputed kernel X is that matrix."""
        own = isinstance(kernel, Precomputed)
        for start, stop in self.blocks():
            part = slice(start, stop)
            if own:
                self.array[part, :stop] = X[part, :stop]
            else:
                tile = kernel.tile(take(X, part), take(X, slice(0, stop)))
                self.array[part, :stop] = tile
        if not own:
            np.fill_diagonal(self.array, kernel._diag(X))

    def add_diagonal(self, values: ArrayLike) -> None:
        """Add a number or a vector to the diagonal."""
        self.array.reshape(-1)[:: self.n + 1] += np.asarray(values, dtype=self.array.dtype)

    def diagonal(self) -> Floats:
        """A copy of the diagonal, in float64."""
        return self.array.diagonal().astype(np.float64)

    def factor(self, refill: Any = None) -> None:
        """Replace the matrix by its Cholesky factor.

        A failed factorisation has destroyed the matrix: ``refill()`` must put it back, and then
        the diagonal is raised by a little more each time. Without it a failure is an error.
        """
        for share in JITTERS if refill is not None else (0.0,):
            if share:
                refill()
                self.jitter = share * float(np.mean(np.abs(self.diagonal())))
                self.add_diagonal(self.jitter)
            else:
                self.jitter = 0.0
            _, failed = self._lapack("potrf")(self.array.T, lower=0, clean=0, overwrite_a=1)
            if failed == 0:
                return
        raise NotPositiveDefiniteError(
            f"the covariance of {self.n} rows is not positive definite (row {failed}), even with "
            f"{self.jitter:.3g} added to its diagonal; raise the noise (alpha), look for duplicate "
            "rows, or check the kernel with mercer.check_psd"
        )

    def log_determinant(self) -> float:
        """Log det of the matrix that `factor` was given."""
        return float(2.0 * np.sum(np.log(self.diagonal())))

    def solve(self, b: Any) -> Floats:
        """The inverse times b, after `factor`."""
        x, _ = self._lapack("potrs")(self.array.T, np.asarray(b, dtype=self.array.dtype), lower=0)
        return np.asarray(x, dtype=np.float64)

    def times(self, v: Any) -> Floats:
        """The symmetric matrix times a vector, before `factor` or after `invert`."""
        product = self._lapack("symv")(1.0, self.array.T, v.astype(self.array.dtype), lower=0)
        return np.asarray(product, dtype=np.float64)

    def product(self, B: Any) -> NDArray[Any]:
        """The symmetric matrix times a matrix, before `factor` or after `invert`."""
        B = np.asfortranarray(B, dtype=self.array.dtype)
        return self._lapack("symm")(1.0, self.array.T, B, side=0, lower=0)

    def half_solve(self, B: Any) -> NDArray[Any]:
        """L^-1 B, after `factor`."""
        B = np.asfortranarray(B, dtype=self.array.dtype)
        return self._lapack("trsm")(1.0, self.array.T, B, side=0, lower=0, trans_a=1)

    def explained(self, B: Any, _prior: Any = None) -> Floats:
        """The b' A^-1 b of the columns b of B, after `factor`."""
        half = self.half_solve(B)
        return np.einsum("ij,ij->j", half, half, dtype=np.float64)

    def explained_together(self, B: Any) -> NDArray[Any]:
        """B' A^-1 B, after `factor`."""
        half = self.half_solve(B)
        return half.T @ half

    def half_times(self, b: Any) -> Floats:
        """L b, after `factor`: a draw from N(0, matrix) if b is white noise."""
        b = np.asarray(b, dtype=np.float64)
        result = np.empty((self.n, *b.shape[1:]))
        for start, stop in self.blocks():
            rows = np.tril(self.array[start:stop, :stop], k=start)
            result[start:stop] = rows @ b[:stop]
        return result

    def invert(self) -> None:
        """Replace the Cholesky factor by the inverse of the matrix."""
        self._lapack("potri")(self.array.T, lower=0, overwrite_c=1)

    def inverse_diagonal(self, scratch: Triangle | None = None) -> Floats:
        """The diagonal of the inverse, after `factor`; the factor stays.

        Takes one more array, or that of ``scratch``, whose matrix is lost.
        """
        room = np.empty_like(self.array) if scratch is None else scratch.array
        np.copyto(room, self.array)
        inverse, _ = self._lapack("trtri")(room.T, lower=0, overwrite_c=1)
        total = np.zeros(self.n)
        for start, stop in self.blocks():  # L^-T has the columns of L^-1 as its rows
            rows = np.triu(inverse[start:stop, start:])
            total[start:stop] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        return total

    def grown(self, cross: Any, corner: Any) -> Triangle:
        """The factor of [[A, cross], [cross', corner]] from the factor of A."""
        new = corner.shape[0]
        bigger = Triangle(self.n + new, self.array.dtype)
        bigger.array[: self.n, : self.n] = self.array
        half = self.half_solve(cross)
        bigger.array[self.n :, : self.n] = half.T
        rest = Triangle(new, self.array.dtype)
        rest.array[:] = corner - half.T @ half
        kept = rest.array.copy()

        def refill() -> None:
            rest.array[:] = kept

        rest.factor(refill)
        bigger.array[self.n :, self.n :] = rest.array
        bigger.jitter = max(self.jitter, rest.jitter)
        return bigger
