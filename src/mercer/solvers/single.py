"""(A + shift I) x = b with the matrix held in single precision, to double-precision accuracy.

The float32 matrix takes half the memory and half the time of a float64 one. It only steers: all
residuals are products in double precision, and the solution is corrected until its backward error
is that of a direct solve in double precision. Conjugate gradients are taken where a thin factor
makes them converge in fewer products than a Cholesky factor costs, else that factor is the
preconditioner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, blas
from scipy.linalg.lapack import spotrf
from threadpoolctl import threadpool_limits

from mercer import _config
from mercer.solvers import conjugate
from mercer.solvers.pivoted import thin_factor
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

HOPELESS = 15.0  # average remainder of a first thin factor over the shift: too many steps
HARD = 4.0  # the same with all columns
RANK = 1000
PRODUCTS = 75  # n / PRODUCTS products with the held matrix take as long as its Cholesky factor
ROUNDING = 1e-6  # of a float32 pivot
REFINEMENTS = 30  # products in double precision that a Cholesky factor may need


@dataclass(frozen=True)
class Held:
    """A symmetric float32 array as a matrix of rows and products."""

    array: Singles

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.array)

    @property
    def dtype(self) -> np.dtype[np.float32]:
        """Of the rows."""
        return self.array.dtype

    def diag(self) -> Floats:
        """The diagonal."""
        return self.array.diagonal().astype(np.float64)

    def rows(self, index: NDArray[np.intp]) -> Singles:
        """A copy of some rows."""
        return self.array[index]

    def matmul(self, V: Floats) -> Floats:
        """The array times columns; half of it is read, which is what a product costs."""
        v = np.asarray(V, dtype=np.float32)
        if v.shape[1] == 1:
            return blas.ssymv(1.0, self.array.T, v[:, 0])[:, None].astype(np.float64)
        return blas.ssymm(1.0, self.array.T, v).astype(np.float64)


class CholeskyPreconditioner:
    """(A + shift I)⁻¹ by a float32 Cholesky factor, which overwrites the array."""

    def __init__(self, array: Singles, shift: float) -> None:
        self.size = _largest(Held(array)) + shift
        array[np.diag_indices_from(array)] += np.float32(shift)
        self.factor, failed = spotrf(array.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            raise LinAlgError("not positive definite in single precision")

    def __call__(self, v: Floats) -> Floats:
        """The preconditioner times ``v``."""
        # Small residuals would leave the range of single precision.
        scale = np.maximum(np.abs(v).max(axis=0), np.finfo(float).tiny)
        x = np.asfortranarray(v / scale, dtype=np.float32)
        for column in x.T:
            column[:] = blas.strsv(self.factor, column, lower=1)
            column[:] = blas.strsv(self.factor, column, lower=1, trans=1)
        return x.astype(np.float64) * scale


def _largest(matrix: Held) -> float:
    """About the largest eigenvalue, from below: a backward error against it is not flattered."""
    v = np.ones((matrix.n, 1))
    for _ in range(4):
        v /= max(float(np.linalg.norm(v)), np.finfo(float).tiny)
        v = matrix.matmul(v)
    return float(np.linalg.norm(v))


def solve(
    gram: ScaledGram, shift: float, b: Floats, tol: float, remainder: float
) -> tuple[str, conjugate.Answer] | None:
    """The method and its answer; None if memory or single precision do not allow it.

    ``remainder`` is what a first thin factor left of the average eigenvalue.
    """
    if _config.memory_limit() < 4.2 * gram.n**2:
        return None
    held = Held(gram.dense_single())
    try:
        answer = None
        if remainder <= HOPELESS * shift:
            answer = _by_steps(gram, held, shift, b, tol)
        if answer is not None:
            return "cg", answer
        precondition = CholeskyPreconditioner(held.array, shift)
        # Threads of BLAS that spin between its short solves would take the cores from the kernel's.
        with threadpool_limits(1, user_api="blas"):
            answer = conjugate.solve(gram, shift, b, precondition, tol=tol, most=REFINEMENTS)
    except (conjugate.NotDefiniteError, LinAlgError):
        return None
    return None if answer is None else ("cholesky, single precision, refined", answer)


def _by_steps(
    gram: ScaledGram, held: Held, shift: float, b: Floats, tol: float
) -> conjugate.Answer | None:
    """Conjugate gradients, if the remainder of a thin factor is small enough for them."""
    thin = thin_factor(held, min(gram.n // 8, RANK), tol=ROUNDING)
    if thin.left_over > HARD * shift * gram.n:
        return None
    precondition = conjugate.ThinPreconditioner(thin, shift)
    most = max(30, gram.n // PRODUCTS)
    return conjugate.solve(gram, shift, b, precondition, light=held, tol=tol, most=most)
