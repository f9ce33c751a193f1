"""A thin L with L L' close to a positive semi-definite matrix, a block of columns at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from mercer.solvers._scaled import ScaledGram

Floats = NDArray[np.float64]
BLOCK = 128


@dataclass(frozen=True)
class ThinFactor:
    """``transposed`` is L', shape (rank, n); ``residual`` the diagonal of A − L L', all ≥ 0."""

    transposed: Floats
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
    gram: ScaledGram, rank: int, tol: float = 1e-14, seed: int = 0, enough: float = 0.0
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
    L = np.empty((min(rank, gram.n), gram.n))
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
        found = _eliminate(rows, pivots, floor)
        L[done : done + len(found)] = found
        residual -= np.einsum("ij,ij->j", found, found)
        residual[pivots] = 0.0
        done += len(found)
    return ThinFactor(L[:done], np.maximum(residual, 0.0))


def _eliminate(rows: Floats, pivots: NDArray[np.intp], floor: float) -> Floats:
    """New columns of L from the remainders of the drawn rows; near-repetitions are dropped."""
    square = rows[:, pivots]
    square = (square + square.T) / 2
    factor, order, kept, _ = dpstrf(square, tol=floor, lower=1)
    kept = max(int(kept), 1)
    order = order[:kept] - 1
    corner = np.tril(factor[:kept, :kept])
    if not corner[0, 0] > 0:  # the drawn remainder was rounding after all
        return np.empty((0, rows.shape[1]))
    return solve_triangular(corner, rows[order], lower=True, check_finite=False)
