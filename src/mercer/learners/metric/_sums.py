"""Machines whose function is a weighted sum of given ones: the programme, and what they share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Choice, Evidence
from mercer.learners._parameters import Rule, check_parameters
from mercer.learners._two_classes import TwoClasses
from mercer.learners.metric._capacity import covering_radii, kept_distances, two_class_record
from mercer.learners.metric._space import Floats, MetricLearner


class NoSeparatingSumError(ValueError):
    """No combination of the functions separates the training objects."""


class SumMachine(TwoClasses, MetricLearner):
    """f = Σ_k a_k φ_k + b with the least Σ w_k |a_k| + C Σ hinge; w_k bounds the slope of φ_k."""

    _declared: ClassVar[tuple[str, ...]] = ("lipschitz-rademacher", "lipschitz-covering")
    _own_rules: ClassVar[dict[str, Rule]] = {}
    C: float

    @abstractmethod
    def _functions(self, D: Floats) -> tuple[Floats, Floats]:
        """The values φ_k(x_i) at the training objects, and the weights w_k; D their distances."""

    @abstractmethod
    def _values(self, X: Any) -> Floats:
        """F at new objects."""

    def fit(self, X: Any, y: Any) -> Self:
        """Train on objects (or their square matrix of distances) and labels of two classes."""
        check_parameters(self, self._own_rules)
        self._forget_certificates()
        D, y = self._training_distances(X, y)
        target = self._targets(np.asarray(y))
        self._check_targets(target)
        columns, weights = self._functions(D)
        self.coef_, self.intercept_ = smallest_sum(columns, weights, target, float(self.C))
        self.penalty_ = float(np.abs(self.coef_) @ weights)
        self._margins = target * (columns @ self.coef_ + self.intercept_)
        self._D, self._radii = kept_distances(D, 2), covering_radii(D)
        return self

    def _publish_evidence(self) -> Evidence:
        record = None
        if self.metric_holds_:  # then f has Lipschitz constant at most the penalty, everywhere
            record = two_class_record(self._D, self._radii, self._margins, self.penalty_)
        return Evidence(
            self._n,
            learner=f"this {type(self).__name__}",
            formulation="lp-machine",
            loss="hinge",
            errors=int(np.count_nonzero(self._margins <= 0)),
            margins=self._margins,
            slacks=np.maximum(1.0 - self._margins, 0.0),
            lipschitz=record,
            choices=() if self.metric_holds_ else (Choice("the metric", "repaired on the rows"),),
        )

    def _need_fit(self) -> None:
        check_is_fitted(self, "coef_")


def smallest_sum(
    columns: NDArray[Any], weights: Floats, y: Floats, C: float
) -> tuple[Floats, float]:
    """Min Σ w_k |a_k| + C Σ ξ_i with y_i (Σ a_k φ_k(x_i) + b) >= 1 - ξ_i."""
    n, k = columns.shape
    signed = y[:, None] * columns
    parts, cost = [signed, -signed, y[:, None]], [weights, weights, np.zeros(1)]
    bounds: list[tuple[Any, Any]] = [(0, None)] * (2 * k) + [(None, None)]
    if np.isfinite(C):
        parts.append(np.eye(n))
        cost.append(np.full(n, C))
        bounds += [(0, None)] * n
    found = linprog(
        np.concatenate(cost),
        A_ub=-np.hstack(parts),
        b_ub=-np.ones(n),
        bounds=bounds,
        method="highs",
    )
    if found.status == 2:
        raise NoSeparatingSumError(
            "no sum of these functions separates the training objects with margin one; use a "
            "finite C, profile='gaussian', or mercer.learners.metric.LipschitzClassifier"
        )
    if not found.success:
        raise ValueError(f"the linear programme failed: {found.message}")
    return found.x[:k] - found.x[k : 2 * k], float(found.x[2 * k])
