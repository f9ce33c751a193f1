"""A thin L with L L' close to a positive semi-definite matrix, a block of columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

Floats = NDArray[np.float64]
BLOCK = 128
STABLE = 1e-3  # a pivot below this share of the block's largest waits for another block


class Rows(Protocol):
    """A matrix whose rows can be asked for, in single or double precision."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def dtype(self) -> Any:
        """Precision of the rows."""

    def diag(self) -> Floats:
        """The diagonal."""

    def rows(self, index: NDArray[np.intp]) -> NDArray[Any]:
        """Some rows, as an array that may be overwritten."""


@dataclass(frozen=True)
class ThinFactor:
    """``transposed`` is L', shape (rank, n); ``residual`` the diagonal of A − L L', all ≥ 0."""

    transposed: NDArray[Any]
    residual: Floats

    @property
    def rank(self) -> int:
        """Columns of L."""
        return len(self.transposed)

    @property
    def left_over(self) -> float:
        """Trace of A − L L', which bounds its norm because it is positive semi-definite."""
        return float(np.sum(self.residual))


def thin_factor(
    gram: Rows, rank: int, tol: float = 1e-14, seed: int = 0, enough: float = 0.0
) -> ThinFactor:
    """Randomly pivoted Cholesky factor (Chen, Epperly, Tropp and Webber 2022), in blocks.

    Parameters
    ----------
    gram
        Rows and diagonal of the matrix.
    rank
        Most columns to compute.
    tol
        Pivots below this share of the largest diagonal entry are rounding.
    seed
        Of the draws: the same matrix gives the same factor.
    enough
        Stop as soon as the trace of the remainder is not larger.
    """
    rng = np.random.default_rng(seed)
    residual = gram.diag().copy()
    floor = tol * max(float(residual.max(initial=0.0)), np.finfo(float).tiny)
    L = np.empty((min(rank, gram.n), gram.n), dtype=gram.dtype)
    done = 0
    while done < len(L):
        residual[residual < floor] = 0.0
        total = float(residual.sum())
        if total <= enough:
            break
        count = min(BLOCK, len(L) - done, int(np.count_nonzero(residual)))
        pivots = np.sort(rng.choice(gram.n, size=count, replace=False, p=residual / total))
        rows = gram.rows(pivots)
        rows -= L[:done, pivots].T @ L[:done]
        found, chosen = _eliminate(rows, pivots, floor)
        if not len(found):
            residual[pivots] = 0.0  # the drawn remainders were rounding after all
            continue
        L[done : done + len(found)] = found
        residual -= np.einsum("ij,ij->j", found, found)  # rounding may leave a little below 0
        residual[chosen] = 0.0
        done += len(found)
    return ThinFactor(L[:done], np.maximum(residual, 0.0))


def _eliminate(
    rows: NDArray[Any], pivots: NDArray[np.intp], floor: float
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """New columns of L from the remainders of the drawn rows, and the rows they came from.

    Pivots far below the block's largest would be divided into rounding errors; they are left for
    a later block, which computes their remainders afresh.
    """
    square = rows[:, pivots]
    square = (square + square.T) / 2
    largest = float(np.max(np.diagonal(square)))
    if not largest > floor:
        return np.empty((0, rows.shape[1])), pivots[:0]
    factor, order, kept, _ = dpstrf(square, tol=max(floor, STABLE * largest), lower=1)
    chosen = order[: max(int(kept), 1)] - 1
    corner = np.tril(factor[: len(chosen), : len(chosen)]).astype(rows.dtype)
    columns = solve_triangular(corner, rows[chosen], lower=True, check_finite=False)
    return columns, pivots[chosen]
