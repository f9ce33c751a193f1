"""Linear regressions on vectors: training, predictions and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Regresses
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import COORDINATES
from mercer.learners.regression import _centred

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LinearSolution:
    """w, b, and what else a learner found out."""

    w: Floats
    b: Floats
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LinearFitted(Fitted):
    """Weights, and the training rows as evidence sees them."""

    coef: Floats
    intercept: Any
    residuals: Floats
    weight: Floats
    leverage: Floats | None
    norm: float
    attributes: dict[str, Any]


class LinearRegressor(Weighted, Publishes, Regresses, Learner):
    """f(x) = x·w + b; a learner writes ``_learn(X, Y, weight)``, which returns w and b."""

    lacks: ClassVar[Mapping[str, str]] = COORDINATES
    _state_version: ClassVar[int] = 2
    _door: ClassVar[Door] = Door(targets="numbers", either=True, dtype=np.float64, weights="drop")
    fitted_: LinearFitted
    coef_: Floats
    intercept_: Any

    def _train(self, sample: TrainingSample) -> LinearFitted:
        features, mapped = self._map(sample.X)
        Y = sample.y.reshape(sample.n, -1)
        found = self._learn(features, Y, sample.weight)
        flat = sample.y.ndim == 1
        return LinearFitted(
            **rows_of(sample),
            coef=found.w[:, 0] if flat else found.w.T,
            intercept=float(found.b[0]) if flat else found.b,
            residuals=Y - np.asarray(features @ found.w) - found.b,
            weight=sample.weight,
            leverage=self._leverage(features, sample.weight),
            norm=float(np.linalg.norm(found.w)),
            attributes=mapped | found.attributes,
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, LinearFitted)
        self.coef_, self.intercept_ = fitted.coef, fitted.intercept
        for name, value in fitted.attributes.items():
            setattr(self, name, value)

    def _map(self, X: Samples) -> tuple[Any, dict[str, Any]]:
        """What the weights multiply at the training rows, and the attributes of that map."""
        return X, {}

    def _features(self, X: Samples) -> Any:
        """What the weights multiply at new rows."""
        return X

    def _learn(self, X: Samples, Y: Floats, weight: Floats) -> LinearSolution:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _leverage(self, X: Samples, weight: Floats) -> Floats | None:
        """h_i of a linear smoother, whose left-out residual is r_i/(1 − h_i); None for others."""
        return None

    def _outputs(self, X: Samples) -> Floats:
        values: Floats = np.asarray(self._features(X) @ self.coef_.T) + self.intercept_
        return values

    @property
    def loo_residuals_(self) -> Floats:
        """Residual of each row under the model trained without it; infinite at leverage one."""
        check_is_fitted(self)
        fitted = self.fitted_
        if fitted.leverage is None:
            raise AttributeError(f"{type(self).__name__} has no closed form for leaving one out")
        rest = 1.0 - fitted.leverage
        open_ = rest > 1e-12
        found = np.where(open_[:, None], fitted.residuals, np.inf)
        found[open_] /= rest[open_, None]
        return found[:, 0] if self.coef_.ndim == 1 else found

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        weight = fitted.weight
        squared = (weight @ fitted.residuals**2) / weight.sum()
        loo = {}
        if fitted.leverage is not None:
            left_out = self.loo_residuals_.reshape(fitted.n, -1)
            value = float(np.mean((weight @ left_out**2) / weight.sum()))
            loo = {"exact": value} if np.isfinite(value) else {}
        size = self.coef_.shape[-1]
        return Evidence(
            fitted.n,
            task="regression",
            learner=f"this {type(self).__name__}",
            formulation="linear-regression",
            loss="squared",
            risks={"squared": float(np.mean(squared))},
            norm=fitted.norm if fitted.residuals.shape[1] == 1 else None,
            dimension=float(size),
            rank=size,
            loo=loo,
        )


def centre(X: Any, Y: Floats, weight: Floats, active: bool) -> tuple[Any, Floats, Floats, Floats]:
    """Rows and targets scaled by √weight, their means taken off first if there is an offset.

    Sparse rows become a `Centred`, or dense if they are few numbers.
    """
    if sparse.issparse(X) and X.shape[0] * X.shape[1] <= _centred.DENSE:
        X = X.toarray()
    mean_x, mean_y = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if active:
        mean_x, mean_y = (np.asarray(weight @ A) / weight.sum() for A in (X, Y))
    root = np.sqrt(weight)
    B = root[:, None] * (Y - mean_y)
    if sparse.issparse(X):
        return _centred.Centred(X, mean_x, root), B, mean_x, mean_y
    return root[:, None] * (X - mean_x), B, mean_x, mean_y
