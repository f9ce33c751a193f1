r"""From an interior iterate to an optimal vertex by simplex steps on a small dense basis.

The programme is ``min c·x`` over x = (α, ξ, s) ≥ 0 with ``A α + ξ − s = 1``. A basis names the k
columns in use and, for every row but k tight ones, whether its slack ξ or its surplus s is
positive; so each step solves with one k × k matrix, however many rows there are. The guess read off
an interior iterate is nearly optimal but neither primal nor dual feasible: costs are first raised
where reduced costs are negative, the dual method makes the guess feasible, and with the true costs
back the primal method ends the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lu_factor, lu_solve, qr
from threadpoolctl import threadpool_limits

from mercer.solvers._interior import Interior
from mercer.solvers._vertex import Partition

Floats = NDArray[np.float64]
Index = NDArray[np.intp]

FEASIBLE = 1e-9  # of the largest basic value, or of the largest price
SINGULAR = 1e-11  # of the heaviest column: what is left of a dependent one
PIVOT = 1e-9  # of the largest entry of a row or column: smaller ones are rounding
TIGHT, SLACK, SPARE = 0, 1, 2


@dataclass
class Basis:
    """Columns in use, and of every row whether it is tight, has slack or has room to spare."""

    used: Index
    rows: NDArray[np.int8]

    @property
    def tight(self) -> Index:
        """Rows met exactly."""
        return np.flatnonzero(self.rows == TIGHT)

    def partition(self, n: int) -> Partition:
        """The same as masks."""
        used = np.zeros(n, dtype=bool)
        used[self.used] = True
        return Partition(used, self.rows == SLACK, self.rows == SPARE)


def cross_over(
    A: Floats,
    cost: Floats,
    tie: float,
    run: Interior,
    most: int,
    stop: Callable[[], bool] = lambda: False,
) -> Partition | None:
    """An optimal basis near the iterate; None if ``most`` steps or rounding prevent it."""
    # Small systems: threads of BLAS would cost more than they give.
    with threadpool_limits(1, user_api="blas"):
        try:
            walk = Simplex(A, cost, tie, _guess(A, run))
            done = walk.dual(most, stop) and walk.primal(most, stop)
        except (LinAlgError, ValueError):
            return None
    return walk.basis.partition(A.shape[1]) if done else None


def _guess(A: Floats, run: Interior) -> Basis:
    """As many tight rows as columns, chosen so that their matrix is well conditioned."""
    first = Partition.of(run)
    with np.errstate(divide="ignore", over="ignore"):
        over, under = run.slack / run.z_slack, run.surplus / run.dual
    rows = np.where(over > under, SLACK, SPARE).astype(np.int8)
    used, tight = np.flatnonzero(first.used), np.flatnonzero(first.tight)
    if len(used) and len(tight):
        block = A[np.ix_(tight, used)]
        columns = _independent(block * run.alpha[used])
        weight = np.minimum(run.dual, run.z_slack)[tight]
        lines = _independent(block[:, columns].T * weight)
        columns = columns[_independent(block[np.ix_(lines, columns)])]
        used, tight = used[columns], tight[lines[: len(columns)]]
    else:
        used, tight = used[:0], tight[:0]
    rows[tight] = TIGHT
    return Basis(used, rows)


def _independent(matrix: Floats) -> Index:
    """Columns that are independent beyond rounding, in order."""
    _, R, order = qr(matrix, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(np.diagonal(R))
    rank = int(np.count_nonzero(size > SINGULAR * size.max(initial=0.0)))
    return np.sort(order[:rank])


class Simplex:
    """Simplex steps, each from a fresh factorisation."""

    def __init__(self, A: Floats, cost: Floats, tie: float, basis: Basis) -> None:
        self.A, self.basis, self.steps = A, basis, 0
        self.true = (np.full(A.shape[1], tie), cost, np.zeros(len(cost)))
        self.costs = self.true

    def _solve(self) -> None:
        """Basic values and reduced costs of the basis under the present costs."""
        used, tight = self.basis.used, self.basis.tight
        of_alpha, of_slack, of_spare = self.costs
        self.columns = np.asfortranarray(self.A[:, used])
        self.factor = lu_factor(self.columns[tight], check_finite=False)
        self.alpha = lu_solve(self.factor, np.ones(len(tight)), check_finite=False)
        self.room = self.columns @ self.alpha - 1.0  # surplus where positive, slack where negative
        self.room[tight] = 0.0
        price = np.where(self.basis.rows == SLACK, of_slack, -of_spare)
        price[tight] = 0.0
        pull = of_alpha[used] - self.columns.T @ price
        price[tight] = lu_solve(self.factor, pull, trans=1, check_finite=False)
        self.price = price
        self.z_alpha = of_alpha - self.A.T @ price
        self.z_alpha[used] = 0.0
        self.z_slack = of_slack[tight] - price[tight]
        self.z_spare = of_spare[tight] + price[tight]

    def _values(self) -> Floats:
        """Basic values: α of the columns in use, then the slack or surplus of every row."""
        side = np.where(self.basis.rows == SLACK, -1.0, 1.0)
        return np.concatenate([self.alpha, side * self.room])

    def _reduced(self) -> Floats:
        """Reduced costs: of every column, then of slack and of surplus of the tight rows."""
        return np.concatenate([self.z_alpha, self.z_slack, self.z_spare])

    def _exchange(self, entering: int, leaving: int) -> None:
        """``entering`` counts like `_reduced`, ``leaving`` like `_values`."""
        used, tight, k = self.basis.used, self.basis.tight, len(self.basis.used)
        n = self.A.shape[1]
        rows = self.basis.rows.copy()
        if leaving >= k:
            rows[leaving - k] = TIGHT
        else:
            used = np.delete(used, leaving)
        if entering < n:
            used = np.sort(np.append(used, entering))
        else:
            side, place = divmod(entering - n, len(tight))
            rows[tight[place]] = SPARE if side else SLACK
        self.basis = Basis(used, rows)
        self.steps += 1

    def dual(self, most: int, stop: Callable[[], bool]) -> bool:
        """Drive negative basic values out, under costs raised to make the basis dual feasible."""
        self._raise_costs()
        for _ in range(most):
            values = self._values()
            leaving = int(np.argmin(values))
            if values[leaving] >= -FEASIBLE * (1.0 + float(np.abs(values).max())):
                return True
            if stop():
                return False
            row = self._row(leaving)
            low = row < -PIVOT * float(np.abs(row).max())
            if not low.any():
                return False
            ratio = np.where(low, np.maximum(self._reduced(), 0.0), np.inf)
            ratio[low] /= -row[low]
            least = float(ratio.min())
            close = np.flatnonzero(ratio <= least + 1e-12 * (1.0 + least))
            self._exchange(int(close[np.argmin(row[close])]), leaving)
            self._solve()
        return False

    def _raise_costs(self) -> None:
        self._solve()
        tight = self.basis.tight
        of_alpha, of_slack, of_spare = (part.copy() for part in self.costs)
        of_alpha += np.maximum(-self.z_alpha, 0.0)
        of_slack[tight] += np.maximum(-self.z_slack, 0.0)
        of_spare[tight] += np.maximum(-self.z_spare, 0.0)
        self.costs = (of_alpha, of_slack, of_spare)
        self._solve()

    def _row(self, leaving: int) -> Floats:
        """Entries of the tableau in the row of a basic variable."""
        k, tight = len(self.basis.used), self.basis.tight
        weight = np.zeros(len(self.A))
        if leaving < k:
            right = np.zeros(k)
            right[leaving] = 1.0
        else:
            i = leaving - k
            weight[i] = 1.0 if self.basis.rows[i] == SLACK else -1.0
            right = -weight[i] * self.columns[i]
        weight[tight] = lu_solve(self.factor, right, trans=1, check_finite=False)
        live = np.flatnonzero(weight)
        of_columns = weight[live] @ self.A[live]
        of_columns[self.basis.used] = 0.0
        return np.concatenate([of_columns, weight[tight], -weight[tight]])

    def primal(self, most: int, stop: Callable[[], bool]) -> bool:
        """Bring in what pays, under the true costs."""
        self.costs = self.true
        self._solve()
        for _ in range(most):
            reduced = self._reduced()
            entering = int(np.argmin(reduced))
            if reduced[entering] >= -FEASIBLE * (1.0 + float(np.abs(self.price).max())):
                return True
            if stop():
                return False
            column = self._column(entering)
            falling = column > PIVOT * float(np.abs(column).max())
            if not falling.any():
                return False
            ratio = np.where(falling, np.maximum(self._values(), 0.0), np.inf)
            ratio[falling] /= column[falling]
            least = float(ratio.min())
            close = np.flatnonzero(ratio <= least + 1e-12 * (1.0 + least))
            self._exchange(entering, int(close[np.argmax(column[close])]))
            self._solve()
        return False

    def _column(self, entering: int) -> Floats:
        """How fast the basic values fall when a variable enters."""
        n, tight = self.A.shape[1], self.basis.tight
        if entering < n:
            new = self.A[:, entering].copy()
        else:
            side, place = divmod(entering - n, len(tight))
            new = np.zeros(len(self.A))
            new[tight[place]] = -1.0 if side else 1.0
        of_alpha = lu_solve(self.factor, new[tight], check_finite=False)
        rest = new - self.columns @ of_alpha
        rest[tight] = 0.0
        return np.concatenate([of_alpha, np.where(self.basis.rows == SLACK, rest, -rest)])
