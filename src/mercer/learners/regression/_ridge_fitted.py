"""What a kernel ridge leaves: the model, its path, and its leave-one-out residuals when asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._blas import calm_blas
from mercer._cached import cached_property
from mercer.gram import build_gram
from mercer.learners._in_kernel_space import KernelFitted
from mercer.learners.regression._path import RidgePath, RidgeProblem
from mercer.solvers import ridge
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RidgeFitted(KernelFitted):
    """One column per target; ``root``, ``target`` and ``diagonal`` are of the rows that count."""

    coef: Floats  # of every row, zero at weight zero
    intercept: Floats
    alpha: Floats
    flat: bool  # whether the targets came as a vector
    fit_intercept: bool
    checked: bool  # whether the Gram may take the rows as they are
    solver: str
    backward_error: float
    used: NDArray[np.intp]  # rows of positive weight
    root: Floats  # roots of their weights
    target: Floats
    diagonal: Floats
    risk: float
    squared_norm: float  # of the first target
    spectrum: Floats | None
    path: RidgePath | None
    path_left_out: Floats | None  # leave-one-out residuals, where the path has brought them

    @property
    def penalty(self) -> float | Floats:
        """One number if all targets have the same."""
        return float(self.alpha[0]) if np.all(self.alpha == self.alpha[0]) else self.alpha

    @property
    def row_weight(self) -> float | None:
        """The weight of a row, if all have the same."""
        return float(self.root[0] ** 2) if np.ptp(self.root) == 0 else None

    @cached_property
    def left_out(self) -> Floats:
        """Leave-one-out residuals of the rows that count; for one penalty they need an inverse."""
        if self.path_left_out is not None:
            return self.path_left_out
        with calm_blas(len(self.used)):
            return self._compute_left_out()

    def _compute_left_out(self) -> Floats:
        gram = build_gram(self.kernel, self.rows, use="rows", checked=self.checked)
        if len(self.used) < gram.n:
            gram = gram.subset(self.used)
        root = self.root
        scaled = ScaledGram(gram, None if np.all(root == 1.0) else root)
        coef = self.coef[self.used] / root[:, None]
        problem = RidgeProblem(scaled, np.empty((len(root), 0)), root, self.fit_intercept)
        found = np.empty_like(coef)
        for alpha in np.unique(self.alpha):
            columns = self.alpha == alpha
            diagonal = ridge.inverse_diagonal(scaled, float(alpha))
            u = None
            if self.fit_intercept:
                u = ridge.solve(scaled, float(alpha), root[:, None]).coef[:, 0]
            found[:, columns] = problem.left_out(coef[:, columns], diagonal, u)
        return found

    def left_out_mean_square(self) -> Floats:
        """Weighted mean of the squared leave-one-out residuals, one per target."""
        weight = self.root**2
        mean: Floats = (weight @ self.left_out**2) / weight.sum()
        return mean

    def training_residuals(self) -> Floats:
        """Y − f at the rows that count: α c / w, by the optimality condition."""
        weight = self.root[:, None] ** 2
        values = self.target - self.alpha * self.coef[self.used] / weight
        return self.target - values

    def like_target(self, values: Floats) -> Floats:
        """Values of the rows that count in the shape of the targets, nan elsewhere."""
        full = np.full((self.n, values.shape[1]), np.nan)
        full[self.used] = values
        return full[:, 0] if self.flat else full
