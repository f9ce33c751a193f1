"""Machines whose function is a weighted sum of given ones: the programme, and what they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import NO_LAW, ONE_PROGRAMME
from mercer.learners.metric._capacity import two_class_record
from mercer.learners.metric._extension import lipschitz_constant
from mercer.learners.metric._in_metric_space import (
    Floats,
    InMetricSpace,
    MetricFitted,
    MetricSpace,
)


class NoSeparatingSumError(ValueError):
    """No combination of the functions separates the training objects."""


@dataclass(frozen=True, kw_only=True)
class SumFitted(MetricFitted):
    """Coefficients of the functions, and margins of the training objects."""

    coef: Floats
    intercept: float
    penalty: float
    constant: float  # of Lipschitz, on the training objects; at most the penalty in a metric space
    margins: Floats


@dataclass(frozen=True)
class Functions:
    """Values φ_k(x_i) at the training objects, weights w_k, and what else the record holds."""

    columns: Floats
    weights: Floats
    own: dict[str, Any] = field(default_factory=dict)


class SumMachine(Weighted, Publishes, InMetricSpace, Classifies, Learner):
    """f = Σ_k a_k φ_k + b with the least Σ w_k |a_k| + C Σ hinge; w_k bounds the slope of φ_k."""

    lacks: ClassVar[Mapping[str, str]] = NO_LAW | ONE_PROGRAMME
    _declared: ClassVar[tuple[str, ...]] = ("lipschitz-rademacher", "lipschitz-covering")
    _matrices: ClassVar[float] = 41.0  # of the linear programme
    _two_only: ClassVar[bool] = True
    _against_rest: ClassVar[bool] = True
    _state_version: ClassVar[int] = 1
    _record: ClassVar[type[SumFitted]] = SumFitted
    C: float
    fitted_: Any

    def _functions(self, sample: TrainingSample, space: MetricSpace) -> Functions:
        raise TypeError(f"{type(self).__name__} does not say which functions it sums")

    def _train(self, sample: TrainingSample) -> SumFitted:
        labels = self._labels(sample)
        space = self._space(sample)
        functions = self._functions(sample, space)
        columns, weights = functions.columns, functions.weights
        coef, intercept = smallest_sum(
            columns, weights, labels.signs, float(self.C) * sample.weight
        )
        outputs = columns @ coef
        return self._record(
            **self._in_space(sample, space, 2),
            **functions.own,
            classes=labels.classes,
            coef=coef,
            intercept=intercept,
            penalty=float(np.abs(coef) @ weights),
            constant=lipschitz_constant(outputs, space.D),
            margins=labels.signs * (outputs + intercept),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SumFitted)
        self.coef_, self.intercept_ = fitted.coef, fitted.intercept
        self.penalty_ = fitted.penalty

    def _publish_evidence(self) -> Evidence:
        fitted, record = self.fitted_, None
        if fitted.verdict:  # then f has Lipschitz constant at most the penalty, everywhere
            record = two_class_record(
                fitted.distances, fitted.radii, fitted.margins, fitted.penalty
            )
        return Evidence(
            fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="lp-machine",
            loss="hinge",
            errors=int(np.count_nonzero(fitted.margins <= 0)),
            margins=fitted.margins,
            slacks=np.maximum(1.0 - fitted.margins, 0.0),
            lipschitz=record,
            choices=fitted.choices(),
        )


def smallest_sum(columns: NDArray[Any], weights: Floats, y: Floats, C: Any) -> tuple[Floats, float]:
    """Min Σ w_k |a_k| + Σ C_i ξ_i with y_i (Σ a_k φ_k(x_i) + b) >= 1 - ξ_i; one C, or each."""
    n, k = columns.shape
    signed = y[:, None] * columns
    parts, cost = [signed, -signed, y[:, None]], [weights, weights, np.zeros(1)]
    bounds: list[tuple[Any, Any]] = [(0, None)] * (2 * k) + [(None, None)]
    if np.all(np.isfinite(C)):
        parts.append(np.eye(n))
        cost.append(np.broadcast_to(C, n))
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
