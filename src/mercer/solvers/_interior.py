r"""Mehrotra's predictor–corrector method for ``min cost·ξ + tie·Σα``, ``A α + ξ - s = 1``.

All of α, ξ, s are non-negative. With the multipliers μ of the rows, the reduced costs are
``z_α = tie - A'μ``, ``z_ξ = cost - μ`` and ``z_s = μ``. Eliminating everything else from Newton's
equations leaves ``(A diag(α/z_α) A' + diag(ξ/z_ξ + s/z_s)) dμ = rhs``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, blas, cho_factor, cho_solve

Floats = NDArray[np.float64]
Five = tuple[Floats, Floats, Floats, Floats, Floats]

BACK_OFF = 0.9995  # share of the way to the boundary that a step may go
NEGLIGIBLE = 1e-13  # columns this much lighter than the heaviest do not change the sums


class Interior:
    """One run: call `step` until `gap` is small; False means rounding stops further progress."""

    def __init__(self, A: Floats, cost: Floats, tie: float, state: tuple[Floats, ...] = ()) -> None:
        self.A, self.cost, self.tie = A, cost, tie
        self.n_iter = 0
        m, n = A.shape
        if state and len(state[0]) == n and len(state[1]) == m:
            self._start_near(*state)
        else:
            self.alpha = np.full(n, 1.0 / max(float(np.abs(A).sum(axis=1).max()), 1e-300))
            self.slack, self.surplus = np.ones(m), np.ones(m)
            self.dual = 0.5 * cost
            self.z_alpha = np.maximum(np.abs(tie - A.T @ self.dual), 1.0)
        self.z_slack = cost - self.dual

    def _start_near(self, alpha: Floats, slack: Floats, surplus: Floats, dual: Floats) -> None:
        """Start from an old solution, pushed away from the boundary: else steps are tiny."""
        typical = float(np.mean(alpha)) + 1e-12
        self.alpha = np.maximum(alpha, 0.1 * typical)
        output = self.A @ self.alpha
        push = 0.1
        self.slack = np.maximum(slack, push)
        self.surplus = np.maximum(output + self.slack - 1.0, push)
        self.dual = np.clip(dual, 0.05 * self.cost, 0.95 * self.cost)
        reduced = self.tie - self.A.T @ self.dual
        self.z_alpha = np.maximum(reduced, 0.05 * float(np.mean(np.abs(reduced))) + 1e-12)

    def state(self) -> tuple[Floats, ...]:
        """What a related programme can start from."""
        return self.alpha, self.slack, self.surplus, self.dual

    def gap(self) -> float:
        """Sum of the complementarity products."""
        return float(
            self.alpha @ self.z_alpha + self.slack @ self.z_slack + self.surplus @ self.dual
        )

    def relative_gap(self) -> float:
        """The gap as a share of the objective."""
        return self.gap() / (1.0 + abs(float(self.cost @ self.slack)))

    def residual(self) -> float:
        """Largest violation of the primal rows, relative to the size of their terms."""
        primal = 1.0 - self.A @ self.alpha - self.slack + self.surplus
        return float(np.abs(primal).max()) / (1.0 + float(self.surplus.max()))

    def step(self) -> bool:
        """Advance once; False if rounding makes that impossible."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            try:
                moved = self._advance()
            except (LinAlgError, ValueError):
                return False
        self.n_iter += moved
        return moved

    def _advance(self) -> bool:
        self._residuals = (
            1.0 - self.A @ self.alpha - self.slack + self.surplus,
            self.tie - self.A.T @ self.dual - self.z_alpha,
        )
        factor = self._factor()
        gap = self.gap()
        products = (
            self.alpha * self.z_alpha,
            self.slack * self.z_slack,
            self.surplus * self.dual,
        )
        ahead = self._direction(factor, *(-p for p in products))
        primal, dual = self._room(ahead)
        after = (
            (self.alpha + primal * ahead[0]) @ (self.z_alpha + dual * ahead[4])
            + (self.slack + primal * ahead[1]) @ (self.z_slack - dual * ahead[3])
            + (self.surplus + primal * ahead[2]) @ (self.dual + dual * ahead[3])
        )
        centre = (after / gap) ** 3 * gap / (len(self.alpha) + 2 * len(self.slack))
        way = self._direction(
            factor,
            centre - products[0] - ahead[0] * ahead[4],
            centre - products[1] + ahead[1] * ahead[3],
            centre - products[2] - ahead[2] * ahead[3],
        )
        if not all(np.all(np.isfinite(part)) for part in way):
            return False
        primal, dual = (min(1.0, BACK_OFF * room) for room in self._room(way))
        if max(primal, dual) < 1e-10:
            return False
        self.alpha = self.alpha + primal * way[0]
        self.slack = self.slack + primal * way[1]
        self.surplus = self.surplus + primal * way[2]
        self.dual = self.dual + dual * way[3]
        self.z_slack = self.z_slack - dual * way[3]  # kept apart: cost - dual would cancel
        self.z_alpha = self.z_alpha + dual * way[4]
        return True

    def _factor(self) -> tuple[Floats, bool]:
        weight = self.alpha / self.z_alpha
        heavy = weight > NEGLIGIBLE * weight.max()
        scaled = self.A[:, heavy] * np.sqrt(weight[heavy])
        # The transposed view is what BLAS calls column-major: no copy.
        normal = blas.dsyrk(1.0, scaled.T, trans=1, lower=1)
        spread = self.slack / self.z_slack + self.surplus / self.dual
        normal[np.diag_indices(len(normal))] += spread
        return cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)

    def _direction(
        self, factor: tuple[Floats, bool], of_alpha: Floats, of_slack: Floats, of_surplus: Floats
    ) -> Five:
        rows, columns = self._residuals
        right = (
            rows
            - self.A @ ((of_alpha - self.alpha * columns) / self.z_alpha)
            - of_slack / self.z_slack
            + of_surplus / self.dual
        )
        dual = cho_solve(factor, right, check_finite=False)
        z_alpha = columns - self.A.T @ dual
        return (
            (of_alpha - self.alpha * z_alpha) / self.z_alpha,
            (of_slack + self.slack * dual) / self.z_slack,
            (of_surplus - self.surplus * dual) / self.dual,
            dual,
            z_alpha,
        )

    def _room(self, way: Five) -> tuple[float, float]:
        """How far the primal and the dual variables can go before one becomes zero."""
        primal = min(
            _room(self.alpha, way[0]), _room(self.slack, way[1]), _room(self.surplus, way[2])
        )
        dual = min(
            _room(self.z_slack, -way[3]), _room(self.dual, way[3]), _room(self.z_alpha, way[4])
        )
        return primal, dual


def _room(value: Floats, change: Floats) -> float:
    falling = change < 0
    return float(min(1.0, (-value[falling] / change[falling]).min(initial=np.inf)))
