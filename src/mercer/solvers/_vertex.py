"""From an interior iterate to the vertex it approaches, with a proof of its optimality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lu_factor, lu_solve

from mercer.solvers._interior import Interior

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROUNDING = 1e-7


@dataclass(frozen=True)
class Partition:
    """A guess of what is active: columns in use, rows with slack, rows met with room to spare.

    The rows in neither group are met exactly: they determine the columns in use.
    """

    used: Mask
    slack: Mask
    spare: Mask

    @classmethod
    def of(cls, run: Interior) -> Partition:
        """Of each complementary pair, the larger is the one that stays positive."""
        return cls(run.alpha > run.z_alpha, run.slack > run.z_slack, run.surplus > run.dual)

    @property
    def tight(self) -> Mask:
        """Rows met exactly."""
        return ~self.slack & ~self.spare


def vertex(A: Floats, cost: Floats, tie: float, guess: Partition) -> tuple[Floats, Floats] | None:
    """α and the multipliers of a partition, if they satisfy every optimality condition.

    ``A[tight, used] α = 1`` and ``A[tight, used]' μ = tie - A[slack, used]' cost``: square systems
    if the optimum is unique and not degenerate.
    """
    tight = guess.tight
    size = int(guess.used.sum())
    if np.any(guess.slack & guess.spare) or int(tight.sum()) != size:
        return None
    alpha, dual = np.zeros(A.shape[1]), np.where(guess.slack, cost, 0.0)
    if size:
        square = A[np.ix_(tight, guess.used)]
        pull = tie - A[np.ix_(guess.slack, guess.used)].T @ cost[guess.slack]
        try:
            factor = lu_factor(square, check_finite=False)
            if np.abs(np.diag(factor[0])).min() < 1e-13 * np.abs(np.diag(factor[0])).max():
                return None
            alpha[guess.used] = lu_solve(factor, np.ones(size), check_finite=False)
            dual[tight] = lu_solve(factor, pull, trans=1, check_finite=False)
        except (LinAlgError, ValueError):
            return None
    if alpha.min(initial=0.0) < 0 or not np.all(np.isfinite(alpha)):
        return None
    return (alpha, np.clip(dual, 0.0, cost)) if _optimal(A, cost, tie, guess, alpha, dual) else None


def _optimal(
    A: Floats, cost: Floats, tie: float, guess: Partition, alpha: Floats, dual: Floats
) -> bool:
    output = A @ alpha
    near = ROUNDING * (1.0 + float(np.abs(output).max(initial=0.0)))
    if np.any(output[guess.spare] < 1.0 - near) or np.any(output[guess.slack] > 1.0 + near):
        return False
    if np.any(dual < -ROUNDING * cost) or np.any(dual > cost * (1.0 + ROUNDING)):
        return False
    reduced = A.T @ dual - tie
    return bool(reduced.max(initial=0.0) <= ROUNDING * (1.0 + float(np.abs(A.T @ dual).max())))


def strictly_complementary(
    A: Floats, cost: Floats, tie: float, alpha: Floats, dual: Floats
) -> bool:
    """Whether α is the only optimum: every multiplier away from its bounds where it may be.

    The columns in use must be as many as the rows met exactly, those rows' multipliers strictly
    between 0 and their price, and every other column strictly too expensive.
    """
    used = alpha > 0
    output = A @ alpha
    near = ROUNDING * (1.0 + float(np.abs(output).max(initial=0.0)))
    tight = np.abs(output - 1.0) <= near
    if int(tight.sum()) != int(used.sum()):
        return False
    inside = (dual > ROUNDING * cost) & (dual < cost * (1.0 - ROUNDING))
    reduced = tie - A.T @ dual
    return bool(np.all(inside[tight]) and np.all(reduced[~used] > 0.1 * tie))
