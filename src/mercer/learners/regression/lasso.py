"""ℓ¹-penalised regression, by scikit-learn's solver, with Mercer's evidence."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, MultiTaskLasso

from mercer._config import reserve
from mercer.learners._parameters import Rule, flag, positive, positive_whole
from mercer.learners._reasons import COORDINATES, UNBOUNDED
from mercer.learners._watched import watched
from mercer.learners.regression._linear import LinearRegressor, LinearSolution, centre

Floats = NDArray[np.float64]
STRETCH = 100  # sweeps between two looks at the clock


class LassoRegression(LinearRegressor):
    """(1/2n) Σ (y − x·w − b)² + alpha‖w‖₁: few weights are not zero.

    Weights of rows are taken relative to their mean, n being the number of rows, so that twice all
    weights is the same model. Of several targets the penalty is alpha Σ_j (Σ_t w_jt²)^½.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty.
    fit_intercept : …
    tol : float, default=1e-6
        Duality gap at which to stop, relative to the squares of the targets.
    max_iter : int, default=10000
        Most sweeps over the weights.
    warm_start : bool, default=False
        Whether ``fit`` starts from the weights of the previous one.
    positive : bool, default=False
        Whether weights below zero are forbidden; for one target.
    time_limit : float or None, default=None
        Seconds after which the weights so far are kept, with a ``ConvergenceWarning``; looked at
        after every hundred sweeps.
    verbose; certify; delta : …

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The weights. Several targets share their zeros.
    intercept_ : float or ndarray of shape (n_targets,)
        The offset.
    dual_gap_ : float
        How far from optimal the objective can be.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.regression import LassoRegression
    >>> model = LassoRegression(0.5).fit([[0, 1], [1, 0], [2, 1], [3, 0]], [0, 2, 4, 6])
    >>> (model.coef_ != 0).tolist()
    [True, False]
    """

    lacks: ClassVar[Mapping[str, str]] = COORDINATES | UNBOUNDED
    _rules: ClassVar[dict[str, Rule]] = {
        "alpha": positive,
        "max_iter": positive_whole,
        "positive": flag,
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        positive: bool = False,
        time_limit: float | None = None,
        verbose: bool = False,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.positive = positive
        self.time_limit = time_limit
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(0.1)]

    def _learn(self, X: Any, Y: Floats, weight: Floats) -> LinearSolution:
        single = Y.shape[1] == 1
        kind = Lasso if single else MultiTaskLasso
        model = kind(
            self.alpha, fit_intercept=self.fit_intercept, tol=self.tol, max_iter=self.max_iter
        )
        if self.positive and not single:
            raise ValueError("positive=True is for one target only")
        if self.positive:
            model.set_params(positive=True)
        before = getattr(self, "coef_", None) if self.warm_start else None
        if before is not None and before.size == X.shape[1] * Y.shape[1]:
            model.set_params(warm_start=True)
            model.coef_ = np.array(before if single else before.reshape(Y.shape[1], -1), order="F")
        if single:
            self._sweep(model, partial(model.fit, X, Y[:, 0], weight), float(np.var(Y)))
            offset = np.atleast_1d(model.intercept_)
        else:
            offset = self._fit_jointly(model, X, Y, weight)
        found = {"n_iter_": model.n_iter_, "dual_gap_": float(np.max(model.dual_gap_))}
        return LinearSolution(w=model.coef_.reshape(len(offset), -1).T, b=offset, attributes=found)

    def _sweep(self, model: Any, fit: Callable[[], Any], unit: float) -> None:
        """Fit at once, or in stretches that each go on from the weights of the last."""
        if self.time_limit is None and not self.verbose:
            fit()
            return
        done, converged, late = 0, False, False
        with watched(self) as watch:
            while not (converged or late) and done < self.max_iter:
                model.set_params(max_iter=min(STRETCH, self.max_iter - done))
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always", ConvergenceWarning)
                    fit()
                converged = not any(issubclass(w.category, ConvergenceWarning) for w in told)
                done += int(model.n_iter_)
                late = watch.over(done, float(np.max(model.dual_gap_)) / max(unit, 1e-300))
                model.set_params(warm_start=True)
        model.n_iter_ = done
        if not converged:
            advice = "Raise time_limit" if late else "Raise max_iter"
            warnings.warn(
                f"LassoRegression: tol={self.tol:g} was not reached in {done} sweeps; the dual gap "
                f"is {float(np.max(model.dual_gap_)):.3g}. {advice}, scale the columns, or raise "
                "alpha.",
                ConvergenceWarning,
                stacklevel=8,
            )

    def _fit_jointly(self, model: Any, X: Any, Y: Floats, weight: Floats) -> Floats:
        """Several targets, for which scikit-learn has neither weights nor sparse rows."""
        if sparse.issparse(X):
            size = 8 * X.shape[0] * X.shape[1]
            reserve(size, "Dense rows, which several targets need", "Fit one target at a time.")
            X = X.toarray()
        A, B, mean_x, mean_y = centre(X, Y, weight * (len(Y) / weight.sum()), self.fit_intercept)
        model.set_params(fit_intercept=False)
        self._sweep(model, partial(model.fit, A, B), float(np.mean(B**2)))
        return np.asarray(mean_y - model.coef_ @ mean_x)
