"""Kernel ridge at one penalty or at many, with leave-one-out residuals in closed form.

In all formulas A = S K S with S = diag(√w) for row weights w (S = I without), s = S 1 the border of
an unpenalised intercept, and c = S c̃. Leaving row i out changes its residual to
r_i = c̃_i / (s_i D_i), where D is the diagonal of the inverse of the bordered matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record
from mercer.learners._brief import Brief
from mercer.solvers import ridge
from mercer.solvers.band import Band
from mercer.solvers.scaled import ScaledGram
from mercer.solvers.spectral import Spectrum, decompose, decompose_for_path

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeProblem:
    """Σ_i w_i (y_i − f(x_i) − b)² + α‖f‖² on the rows with positive weight."""

    gram: ScaledGram
    target: Floats  # S y, one column per target
    root: Floats  # s = √w
    fit_intercept: bool

    def right_hand_sides(self) -> Floats:
        """The targets, and the border if there is an intercept."""
        return np.column_stack([self.target, self.root]) if self.fit_intercept else self.target

    def split(self, solved: Floats) -> tuple[Floats, Floats, Floats | None]:
        """Scaled coefficients, intercepts and u = (A + αI)⁻¹s from the solved columns."""
        if not self.fit_intercept:
            return solved, np.zeros(solved.shape[1]), None
        columns, u = solved[:, :-1], solved[:, -1]
        offset = (self.root @ columns) / (self.root @ u)
        return columns - u[:, None] * offset, offset, u

    def left_out(self, coef: Floats, diagonal: Floats, u: Floats | None) -> Floats:
        """y_i − f_{−i}(x_i) for every row and target."""
        if u is not None:
            left = diagonal - u**2 / (self.root @ u)
            # Without a row that the intercept alone explains there is no model, hence no residual.
            diagonal = np.where(left > 1e-12 * diagonal, left, np.nan)
        return coef / (self.root * diagonal)[:, None]

    def mean_square(self, residuals: Floats) -> Floats:
        """Weighted mean of the squares, one per target."""
        weight = self.root**2
        return (weight @ residuals**2) / weight.sum()

    def squared_norms(self, coef: Floats, offset: Floats, alpha: Floats) -> Floats:
        """‖f‖² of every target, from the optimality condition A c̃ = S y − s b − α c̃."""
        fitted = self.target - np.outer(self.root, offset) - alpha * coef
        return np.maximum(np.sum(coef * fitted, axis=0), 0.0)


@dataclass(frozen=True, repr=False)
class RidgePath(Brief):
    """Kernel ridge at every penalty of a path.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The penalties.
    errors : ndarray of shape (n_alphas, n_targets)
        Mean squared leave-one-out residual at each.
    dual_coefs : ndarray of shape (n_alphas, n_samples, n_targets)
        The coefficients.
    intercepts : ndarray of shape (n_alphas, n_targets)
        The offsets.
    """

    alphas: Floats
    errors: Floats
    dual_coefs: Floats
    intercepts: Floats


@record("ridge-fit")
@dataclass(frozen=True)
class RidgeSolution:
    """One model per target, in the scaled system."""

    coef: Floats
    offset: Floats
    alpha: Floats  # one per target
    method: str
    error: float
    left_out: Floats | None = None  # leave-one-out residuals
    eigenvalues: Floats | None = None


def solve_one(problem: RidgeProblem, alpha: float, solver: str, mixed: bool) -> RidgeSolution:
    """The model at one penalty."""
    b = problem.right_hand_sides()
    solution = ridge.solve(problem.gram, alpha, b, method=solver, mixed=mixed)
    coef, offset, _ = problem.split(solution.coef)
    alphas = np.full(coef.shape[1], alpha)
    return RidgeSolution(coef, offset, alphas, solution.method, solution.error)


def solve_each(problem: RidgeProblem, alphas: Floats) -> RidgeSolution:
    """One penalty per target, from one decomposition."""
    spectrum = decompose(problem.gram, float(alphas.min()))
    parts = [_at(problem, spectrum, alphas[t : t + 1]) for t in range(len(alphas))]
    coef = np.column_stack([parts[t][0][0][:, t] for t in range(len(alphas))])
    offset = np.array([parts[t][1][0][t] for t in range(len(alphas))])
    return RidgeSolution(coef, offset, alphas, spectrum.name, float("nan"))


def solve_path(
    problem: RidgeProblem, alphas: Floats, per_target: bool
) -> tuple[RidgeSolution, RidgePath]:
    """Every penalty from one decomposition, and the one with the smallest leave-one-out error."""
    spectrum = decompose_for_path(problem.gram, alphas)
    coefs, offsets, inverses = _at(problem, spectrum, alphas)
    diagonals = spectrum.inverse_diagonals(alphas)
    left_out = np.stack(
        [
            problem.left_out(coef, diagonals[:, place], u)
            for place, (coef, u) in enumerate(zip(coefs, inverses, strict=True))
        ]
    )
    errors = np.stack([problem.mean_square(residuals) for residuals in left_out])
    best = _best(errors, per_target)
    columns = np.arange(errors.shape[1])
    chosen = RidgeSolution(
        coefs[best, :, columns].T,
        offsets[best, columns],
        alphas[best],
        spectrum.name,
        float("nan"),
        left_out[best, :, columns].T,
        spectrum.values,
    )
    unscaled = coefs * problem.root[None, :, None]
    return chosen, RidgePath(alphas, errors, unscaled, offsets)


def _at(
    problem: RidgeProblem, spectrum: Spectrum | Band, alphas: Floats
) -> tuple[Floats, Floats, list[Floats | None]]:
    b = problem.right_hand_sides()
    coordinates = spectrum.coordinates(b)
    parts = [problem.split(spectrum.apply(float(alpha), coordinates, b)) for alpha in alphas]
    return np.stack([p[0] for p in parts]), np.stack([p[1] for p in parts]), [p[2] for p in parts]


def _best(errors: Floats, per_target: bool) -> NDArray[np.intp]:
    """Place of the chosen penalty for every target; of equals the largest penalty."""
    judged = errors if per_target else np.repeat(errors.mean(axis=1)[:, None], errors.shape[1], 1)
    if not np.isfinite(judged).any(axis=0).all():
        raise ValueError(
            "the leave-one-out error does not exist at any alpha of the path: one row, or an "
            "intercept that alone explains a row"
        )
    judged = np.where(np.isfinite(judged), judged, np.inf)
    return len(judged) - 1 - np.argmin(judged[::-1], axis=0)
