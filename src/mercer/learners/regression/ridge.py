"""Least squares and ridge regression, in whichever form is smaller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_solve, lstsq
from scipy.optimize import nnls

from mercer._config import reserve
from mercer.learners._parameters import Rule, flag, non_negative, one_of
from mercer.learners._reasons import COORDINATES, ONE_SOLVE
from mercer.learners.regression._centred import Centred, leverage, shifted, solve_sparse
from mercer.learners.regression._linear import LinearRegressor, LinearSolution, centre

Floats = NDArray[np.float64]


class RidgeRegression(LinearRegressor):
    """Σ (y − x·w − b)² + alpha‖w‖², solved in d × d or in n × n form.

    w = (X'X + αI)⁻¹X'y = X'(XX' + αI)⁻¹y. The first is the smaller when there are more rows than
    columns. ``alpha=0`` is the limit of vanishing penalties: least squares, of least norm where
    many solutions exist. Sparse rows stay sparse. The texts' (1/n)Σ½(·)² + (λ/2)‖w‖² is alpha = nλ.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty.
    solver : {"auto", "primal", "dual"}, default="auto"
        Which system to solve.
    fit_intercept : …
    copy_X : bool, default=True
        For scikit-learn's sake: rows are never written to.
    positive : bool, default=False
        No negative weights, by the active sets of Lawson and Hanson; sparse rows are made dense.
    certify; delta : …

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights.
    intercept_ : float or ndarray of shape (n_targets,)
        The offset.
    dual_coef_ : ndarray
        After the dual form: w = Σ dual_coef_i (x_i − mean of x).
    solver_ : str
        The form used.
    loo_residuals_ : ndarray like ``y``
        Residual of each row under the model trained without it.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.regression import RidgeRegression
    >>> model = RidgeRegression(alpha=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> round(float(model.predict([[3.0]])[0]), 6)
    7.0
    """

    lacks: ClassVar[Mapping[str, str]] = COORDINATES | ONE_SOLVE
    _rules: ClassVar[dict[str, Rule]] = {
        "alpha": non_negative,
        "solver": one_of("auto", "primal", "dual"),
        **dict.fromkeys(("copy_X", "positive"), flag),
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        solver: str = "auto",
        fit_intercept: bool = True,
        copy_X: bool = True,
        positive: bool = False,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.positive = positive
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(solver="dual", fit_intercept=False), cls(positive=True)]

    def _learn(self, X: Any, Y: Floats, weight: Floats) -> LinearSolution:
        if self.positive and sparse.issparse(X):
            n, d = X.shape
            reserve(16 * n * d, f"Dense rows of {n} x {d}", "positive=True needs them: keep fewer.")
            X = X.toarray()
        A, B, mean_x, mean_y = centre(X, Y, weight, bool(self.fit_intercept))
        if self.positive:
            w = _not_negative(A, B, self.alpha)
            return LinearSolution(w=w, b=mean_y - mean_x @ w, attributes={"solver_": "positive"})
        smaller = "primal" if A.shape[1] <= A.shape[0] else "dual"
        form = smaller if self.solver == "auto" else self.solver
        found: dict[str, Any] = {"solver_": form}
        w, dual = self._solve(A, B, form)
        if dual is not None:
            found["dual_coef_"] = dual * np.sqrt(weight)[:, None]
        return LinearSolution(w=w, b=mean_y - mean_x @ w, attributes=found)

    def _solve(self, A: Any, B: Floats, form: str) -> tuple[Floats, Floats | None]:
        if isinstance(A, Centred):
            return solve_sparse(A, B, self.alpha, form)
        if self.alpha == 0:
            return lstsq(A, B, cond=1e-12)[0], None
        if form == "primal":
            return cho_solve(shifted(A.T @ A, self.alpha), A.T @ B), None
        dual = cho_solve(shifted(A @ A.T, self.alpha), B)
        return A.T @ dual, dual

    def _leverage(self, X: Any, weight: Floats) -> Floats | None:
        if self.positive:  # which weights are zero depends on the targets: no linear smoother
            return None
        A, _, _, _ = centre(X, np.zeros((X.shape[0], 1)), weight, bool(self.fit_intercept))
        if isinstance(A, Centred):
            own = leverage(A, self.alpha)
            if own is None:
                return None
        else:
            left, singular, _ = np.linalg.svd(A, full_matrices=False)
            kept = singular > 1e-12 * max(float(singular.max(initial=0.0)), np.finfo(float).tiny)
            shrink = singular[kept] ** 2 / (singular[kept] ** 2 + self.alpha)
            own = np.square(left[:, kept]) @ shrink
        return own + (weight / weight.sum() if self.fit_intercept else 0.0)


def _not_negative(A: Floats, B: Floats, alpha: float) -> Floats:
    """Least squares over w ≥ 0; the penalty is a row √alpha·e_j for each weight."""
    if alpha > 0 and A.shape[1] > A.shape[0]:
        return np.column_stack([_pivoted(A, b, alpha) for b in B.T])
    penalty = np.sqrt(alpha) * np.eye(A.shape[1] if alpha > 0 else 0, A.shape[1])
    rows, zeros = np.vstack([A, penalty]), np.zeros(len(penalty))
    return np.column_stack([nnls(rows, np.append(b, zeros))[0] for b in B.T])


def _pivoted(A: Floats, b: Floats, alpha: float) -> Floats:
    """The same for more columns than rows, by block pivoting (Júdice and Pires, 1994).

    With the dual u of the columns that are in, all is right if z = A'u is positive there and not
    elsewhere; then w is its positive part. Every guess costs a system of the size of the rows.
    """
    inside = A.T @ b > 0
    fewest, patience = A.shape[1] + 1, 3
    while True:
        part = A[:, inside]
        z = A.T @ cho_solve(shifted(part @ part.T, alpha), b)
        small = 1e-14 * float(np.abs(z).max(initial=0.0))
        wrong = np.where(inside, z < -small, z > small)
        count = int(wrong.sum())
        if count == 0:
            return np.where(inside, np.maximum(z, 0.0), 0.0)
        patience = 3 if count < fewest else patience - 1
        fewest = min(fewest, count)
        if patience < 0:  # the way that is known to end: one at a time
            wrong[: np.flatnonzero(wrong)[-1]] = False
        inside ^= wrong


class LeastSquares(RidgeRegression):
    """Least squares with the constant lifted in, x → (x, 1); of least norm where not unique.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether the constant is there.
    copy_X : bool, default=True
        For scikit-learn's sake: rows are never written to.
    positive : bool, default=False
        No negative weights; sparse rows are made dense.
    certify; delta : …

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    loo_residuals_ : ndarray like ``y``
        Residual of each row under the model trained without it.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.regression import LeastSquares
    >>> round(float(LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).intercept_), 6)
    1.0
    """

    alpha = 0.0
    solver = "auto"

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        positive: bool = False,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.positive = positive
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls()]
