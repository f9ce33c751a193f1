"""Linear regressions on vectors: data, centring, predictions and evidence."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._blas import calm_blas
from mercer.bounds import Evidence
from mercer.learners._certified import Certified, fit_with_rows_spent, spends_rows
from mercer.learners._data import DTYPES
from mercer.learners._expansion import row_weights
from mercer.learners._parameters import Rule, check_parameters

Floats = NDArray[np.float64]


class LinearRegressor(Certified, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """f(x) = x·w + b; a learner writes ``_learn(X, Y, weight)``, which returns w and b."""

    _rules: ClassVar[dict[str, Rule]] = {}
    _told: dict[str, Any]
    coef_: Floats
    intercept_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on the given data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on the squared errors. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        if spends_rows(self.certify):
            return fit_with_rows_spent(self, X, y, sample_weight)
        X, y = validate_data(self, X, y, dtype=DTYPES, multi_output=True, y_numeric=True)
        weight = row_weights(sample_weight, X)
        used = weight > 0
        X = np.asarray(X, dtype=np.float64)[used]
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)[used]
        features = self._features(X, fit=True)
        with calm_blas(len(features)):
            w, b = self._learn(features, Y, weight[used])
            leverage = self._leverage(features, weight[used])
        flat = np.ndim(y) == 1
        self.coef_ = w[:, 0] if flat else w.T
        self.intercept_ = float(b[0]) if flat else b
        residuals = Y - features @ w - b
        self._told = {
            "n": len(Y),
            "targets": Y.shape[1],
            "dropped": int(np.sum(~used)),
            "residuals": residuals,
            "weight": weight[used],
            "leverage": leverage,
            "norm": float(np.linalg.norm(w)),
        }
        return self

    def _features(self, X: Floats, *, fit: bool = False) -> Floats:
        """What the weights multiply: the rows themselves, unless a learner maps them."""
        return X

    def _learn(self, X: Floats, Y: Floats, weight: Floats) -> tuple[Floats, Floats]:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _leverage(self, X: Floats, weight: Floats) -> Floats | None:
        """h_i of a linear smoother, whose left-out residual is r_i/(1 − h_i); None for others."""
        return None

    def predict(self, X: Any) -> Floats:
        """Predicted targets of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        check_is_fitted(self)
        mixture = self.__dict__.get("_mixture")
        if mixture is not None:  # certify="progressive": another model answers for each row
            return mixture.predict(X)
        X = validate_data(self, X, dtype=DTYPES, reset=False)
        return self._features(np.asarray(X, dtype=np.float64)) @ self.coef_.T + self.intercept_

    @property
    def loo_residuals_(self) -> Floats:
        """Residual of each row under the model trained without it; infinite at leverage one."""
        check_is_fitted(self)
        leverage = self._told["leverage"]
        if leverage is None:
            raise AttributeError(f"{type(self).__name__} has no closed form for leaving one out")
        rest = 1.0 - leverage
        open_ = rest > 1e-12
        found = np.where(open_[:, None], self._told["residuals"], np.inf)
        found[open_] /= rest[open_, None]
        return found[:, 0] if self.coef_.ndim == 1 else found

    def _publish_evidence(self) -> Evidence:
        told = self._told
        weight = told["weight"]
        squared = (weight @ told["residuals"] ** 2) / weight.sum()
        loo = {}
        if told["leverage"] is not None:
            left_out = self.loo_residuals_.reshape(told["n"], -1)
            value = float(np.mean((weight @ left_out**2) / weight.sum()))
            loo = {"exact": value} if np.isfinite(value) else {}
        size = self.coef_.shape[-1]
        return Evidence(
            told["n"],
            task="regression",
            learner=f"this {type(self).__name__}",
            formulation="linear-regression",
            loss="squared",
            risks={"squared": float(np.mean(squared))},
            norm=told["norm"] if told["targets"] == 1 else None,
            dimension=float(size),
            rank=size,
            loo=loo,
        )


def centre(
    X: Floats, Y: Floats, weight: Floats, active: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """Rows and targets scaled by √weight, their means taken off first if there is an offset."""
    zero = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    mean_x, mean_y = (np.average(A, axis=0, weights=weight) for A in (X, Y)) if active else zero
    root = np.sqrt(weight)[:, None]
    return root * (X - mean_x), root * (Y - mean_y), mean_x, mean_y
