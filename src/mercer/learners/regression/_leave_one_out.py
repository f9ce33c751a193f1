"""Leave-one-out residuals of a fitted kernel ridge, in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._blas import calm_blas
from mercer.gram import build_gram
from mercer.learners.regression._path import RidgeProblem
from mercer.solvers import ridge
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]


class LeaveOneOut:
    """Mixin: ``loo_residuals_``, ``loo_predictions_``, ``loo_score_``, kept once computed."""

    X_fit_: Any
    alpha_: Any
    dual_coef_: Floats
    fit_intercept: bool
    kernel: Any
    kernel_: Any
    _told: dict[str, Any]
    _used: NDArray[np.intp]
    _flat: bool

    def _left_out(self) -> Floats:
        """Leave-one-out residuals of the rows that count; for one penalty they need an inverse."""
        told = self._told
        if told["left_out"] is None:
            with calm_blas(told["n"]):
                told["left_out"] = self._compute_left_out()
        return told["left_out"]

    def _compute_left_out(self) -> Floats:
        gram = build_gram(
            self.kernel_, self.X_fit_, use="rows", checked=isinstance(self.kernel, str)
        )
        if len(self._used) < gram.n:
            gram = gram.subset(self._used)
        root = self._told["root"]
        scaled = ScaledGram(gram, None if np.all(root == 1.0) else root)
        coef = self.dual_coef_.reshape(len(self.dual_coef_), -1)[self._used] / root[:, None]
        problem = RidgeProblem(scaled, np.empty((len(root), 0)), root, bool(self.fit_intercept))
        alphas = np.broadcast_to(self.alpha_, (coef.shape[1],))
        found = np.empty_like(coef)
        for alpha in np.unique(alphas):
            columns = alphas == alpha
            diagonal = ridge.inverse_diagonal(scaled, float(alpha))
            u = None
            if self.fit_intercept:
                u = ridge.solve(scaled, float(alpha), root[:, None]).coef[:, 0]
            found[:, columns] = problem.left_out(coef[:, columns], diagonal, u)
        return found

    def _loo_mean_square(self) -> Floats:
        weight = self._told["root"] ** 2
        return (weight @ self._left_out() ** 2) / weight.sum()

    def _like_target(self, values: Floats) -> Floats:
        full = np.full((len(self.dual_coef_), values.shape[1]), np.nan)
        full[self._used] = values
        return full[:, 0] if self._flat else full

    @property
    def loo_residuals_(self) -> Floats:
        """y_i minus the prediction at x_i of the model trained without row i; nan at weight 0."""
        check_is_fitted(self)
        return self._like_target(self._left_out())

    @property
    def loo_predictions_(self) -> Floats:
        """Prediction at x_i of the model trained without row i; nan for rows of weight zero."""
        check_is_fitted(self)
        return self._like_target(self._told["target"] - self._left_out())

    @property
    def stability_(self) -> dict[str, float]:
        """How much one row matters.

        ``"largest_change"`` and ``"mean_change"`` are exact: |f(x_i) − f_{−i}(x_i)| over the rows.
        ``"uniform"``, for a kernel with known sup k(x, x) = κ² and without an offset, is κ²/(2α):
        times the slope of a loss it bounds the change of that loss at any point when any row is
        taken away (Bousquet and Elisseeff 2002, theorem 22, whose λm is α).
        """
        check_is_fitted(self)
        residuals = self._told["target"] - self._training_values()
        change = np.abs(self._left_out() - residuals)
        found = {
            "largest_change": float(np.max(change)),
            "mean_change": float(np.mean(change)),
        }
        radius = self.kernel_.known_radius(self._told["diagonal"])
        if radius is not None and not self.fit_intercept:
            found["uniform"] = radius**2 / (2.0 * float(np.min(self.alpha_)))
        return found

    def _training_values(self) -> Floats:
        """F at the rows that count: y − α c / w, by the optimality condition."""
        weight = self._told["root"][:, None] ** 2
        coef = self.dual_coef_.reshape(len(self.dual_coef_), -1)[self._used]
        return self._told["target"] - np.asarray(self.alpha_) * coef / weight

    @property
    def loo_score_(self) -> float:
        """Minus the mean squared leave-one-out residual, so that larger is better."""
        check_is_fitted(self)
        return -float(np.mean(self._loo_mean_square()))
