"""ℓ¹-penalised regression, by scikit-learn's solver, with Mercer's evidence."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Lasso, MultiTaskLasso

from mercer.learners._parameters import Rule, positive, positive_whole
from mercer.learners.regression._linear import LinearRegressor, LinearSolution

Floats = NDArray[np.float64]


class LassoRegression(LinearRegressor):
    """(1/2n) Σ (y − x·w − b)² + alpha‖w‖₁: few weights are not zero.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty.
    fit_intercept : bool, default=True
        Whether there is an offset, which costs nothing.
    tol : float, default=1e-6
        Duality gap at which to stop, relative to the squares of the targets.
    max_iter : int, default=10000
        Most sweeps over the weights.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights. Several targets share their zeros.
    intercept_ : float or ndarray of shape (n_targets,)
        The offset.
    dual_gap_ : float
        How far from optimal the objective can be.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> from mercer.learners.regression import LassoRegression
    >>> model = LassoRegression(0.5).fit([[0, 1], [1, 0], [2, 1], [3, 0]], [0, 2, 4, 6])
    >>> (model.coef_ != 0).tolist()
    [True, False]
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "alpha": positive,
        "max_iter": positive_whole,
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(0.1)]

    def _learn(self, X: Floats, Y: Floats, weight: Floats) -> LinearSolution:
        single = Y.shape[1] == 1
        if not single and np.ptp(weight) > 0:
            raise ValueError("LassoRegression takes sample weights with one target only")
        kind = Lasso if single else MultiTaskLasso
        model = kind(
            self.alpha, fit_intercept=self.fit_intercept, tol=self.tol, max_iter=self.max_iter
        )
        if single:
            model.fit(X, Y[:, 0], weight)
        else:
            model.fit(X, Y)
        found = {"n_iter_": model.n_iter_, "dual_gap_": float(np.max(model.dual_gap_))}
        w = model.coef_.reshape(Y.shape[1], -1).T
        return LinearSolution(w=w, b=np.atleast_1d(model.intercept_), attributes=found)
