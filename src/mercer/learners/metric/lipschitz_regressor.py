"""Regression by the smoothest function that a metric space allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import ONE_PROGRAMME, ONE_TARGET
from mercer.learners.metric._capacity import regression_record
from mercer.learners.metric._extension import extend, lipschitz_constant
from mercer.learners.metric._in_metric_space import Floats, InMetricSpace, MetricFitted
from mercer.learners.metric.lipschitz import LIPSCHITZ_RULES

_ROUNDS = 60
_NEW = 4  # constraints added per object and round


@dataclass(frozen=True, kw_only=True)
class SmoothFitted(MetricFitted):
    """Values at the training objects, their Lipschitz constant, and what is known of targets."""

    values: Floats
    constant: float
    errors: Floats
    objective: float
    n_constraints: int
    limits: tuple[float, float] | None
    alpha: float


class LipschitzRegressor(Weighted, Publishes, InMetricSpace, Regresses, Learner):
    """min L(f) + C Σ w_i |y_i - f(x_i)| over all Lipschitz functions of a metric space.

    Sample weights w_i are prices of error: weight k is k copies.

    C = ∞ interpolates: L = max |y_i - y_j| / d(x_i, x_j). Otherwise a linear programme whose pair
    constraints are added as they are violated. New objects get the extension f_α.

    Parameters
    ----------
    metric : str, callable or Metric
    C : float
        Price of a unit of absolute error; ``inf`` to interpolate.
    balance : float in [0, 1]
        Which extension; ½ is the middle one.
    target_range : (low, high), or None
        Limits of the target known before the data. Predictions are kept within them, and the mean
        absolute error can be certified from the training rows.
    certify, delta : see `LipschitzClassifier`

    Attributes
    ----------
    constant_ : the Lipschitz constant
    values_ : values at the training objects
    objective_ : L + C Σ |y - f|
    n_constraints_ : pairs that the linear programme was given
    """

    lacks: ClassVar[Mapping[str, str]] = (
        ONE_PROGRAMME
        | ONE_TARGET
        | {
            "certificate": "no limits of targets: with target_range lipschitz-regression speaks",
        }
    )
    _declared = ("lipschitz-regression",)
    _matrices: ClassVar[float] = 6.2
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = LIPSCHITZ_RULES
    _door: ClassVar[Door] = replace(InMetricSpace._door, targets="number")
    fitted_: SmoothFitted

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        balance: float = 0.5,
        target_range: Any = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.balance = balance
        self.target_range = target_range
        self.certify = certify
        self.delta = delta

    def _train(self, sample: TrainingSample) -> SmoothFitted:
        space, y = self._space(sample), sample.y
        limits = self._known_range(y)
        hard = np.isinf(self.C)
        values, count = (
            (y.copy(), 0) if hard else smooth_values(space.D, y, float(self.C) * sample.weight)
        )
        values = values if hard else _shared_by_twins(values, space.D)
        constant = lipschitz_constant(values, space.D)
        if np.isinf(constant):
            raise ValueError(
                "objects at distance zero have different targets: no function interpolates them; "
                "merge them or use a finite C"
            )
        errors = np.abs(y - values)
        return SmoothFitted(
            **self._in_space(sample, space, 2),
            values=values,
            constant=constant,
            errors=errors,
            objective=constant + (0.0 if hard else self.C * float(sample.weight @ errors)),
            n_constraints=count,
            limits=limits,
            alpha=float(self.balance),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SmoothFitted)
        self.values_, self.constant_ = fitted.values, fitted.constant
        self.objective_, self.n_constraints_ = fitted.objective, fitted.n_constraints

    def _known_range(self, y: Floats) -> tuple[float, float] | None:
        if self.target_range is None:
            return None
        low, high = (float(limit) for limit in self.target_range)
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ValueError(f"target_range needs finite low < high, got {self.target_range!r}")
        outside = np.flatnonzero((y < low) | (y > high))
        if len(outside):
            raise ValueError(
                f"the target of object {outside[0]} is {y[outside[0]]:.6g}, outside "
                f"target_range={self.target_range!r}; declare what is possible, not what is usual"
            )
        return low, high

    def _outputs(self, X: Samples) -> Floats:
        fitted = self.fitted_
        parts = [
            extend(fitted.values, fitted.constant, D, fitted.alpha) for _, D in self._blocks(X)
        ]
        found = np.concatenate(parts)
        return found if fitted.limits is None else np.clip(found, *fitted.limits)

    def _publish_evidence(self) -> Evidence:
        fitted, record, loss_range = self.fitted_, None, None
        if fitted.limits is not None and fitted.verdict:
            span = fitted.limits[1] - fitted.limits[0]
            loss_range = (0.0, span)
            record = regression_record(
                fitted.distances, fitted.radii, fitted.errors, fitted.constant, span
            )
        return Evidence(
            fitted.n,
            task="regression",
            learner=f"this {type(self).__name__}",
            loss="absolute",
            risks={"absolute": float(np.mean(fitted.errors))},
            lipschitz=record,
            loss_range=loss_range,
            choices=fitted.choices(),
        )


def smooth_values(D: Floats, y: Floats, C: Any) -> tuple[Floats, int]:
    """Values a that minimise L + Σ C_i |a_i - y_i| with a_i - a_j <= L d_ij, and the pairs needed.

    ``C`` is one price, or one for each object.
    """
    n = len(y)
    slopes = _slopes(y, D)
    pairs = set(_worst(slopes, 8))
    values = y
    for _ in range(_ROUNDS):
        values, L = _programme(D, y, C, sorted(pairs))
        excess = values[:, None] - values[None, :] - L * D
        np.fill_diagonal(excess, -np.inf)
        if excess.max() <= 1e-7 * max(1.0, float(np.ptp(y))):
            break
        pairs |= {p for p in _worst(excess, _NEW) if excess[p] > 0}
    return values, len(pairs) if n else 0


def _slopes(y: Floats, D: Floats) -> Floats:
    rise = y[:, None] - y[None, :]
    slopes = np.divide(rise, D, out=np.full(D.shape, -np.inf), where=D > 0)
    slopes[(D <= 0) & (rise > 0)] = np.inf
    np.fill_diagonal(slopes, -np.inf)
    return slopes


def _worst(excess: Floats, count: int) -> list[tuple[int, int]]:
    """For each object the pairs with the largest excess."""
    count = min(count, excess.shape[1] - 1)
    if count < 1:
        return []
    columns = np.argpartition(excess, -count, axis=1)[:, -count:]
    return [(i, int(j)) for i in range(len(excess)) for j in columns[i] if i != j]


def _programme(D: Floats, y: Floats, C: Any, pairs: list[tuple[int, int]]) -> tuple[Floats, float]:
    n, m = len(y), len(pairs)
    # The solution grows with y, the solver's tolerances and infinities do not: solve near one.
    scale = 2.0 ** np.round(np.log2(np.abs(y).max() or 1.0))
    y = y / scale
    i, j = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    row = np.arange(m)
    data = np.concatenate([np.ones(m), -np.ones(m), -D[i, j]])
    places = (np.tile(row, 3), np.concatenate([i, j, np.full(m, 2 * n)]))
    lipschitz = sparse.csr_array((data, places), shape=(m, 2 * n + 1))
    eye, none = sparse.eye_array(n), sparse.csr_array((n, 1))
    above = sparse.hstack([eye, -eye, none])  # a - e <= y
    below = sparse.hstack([-eye, -eye, none])  # -a - e <= -y
    found = linprog(
        np.concatenate([np.zeros(n), np.broadcast_to(C, n), [1.0]]),
        A_ub=sparse.vstack([lipschitz, above, below], format="csr"),
        b_ub=np.concatenate([np.zeros(m), y, -y]),
        bounds=[(None, None)] * n + [(0, None)] * (n + 1),
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the linear programme failed: {found.message}")
    return scale * found.x[:n], scale * float(found.x[-1])


def _shared_by_twins(values: Floats, D: Floats) -> Floats:
    """Objects at distance zero get one value: the programme makes them equal up to rounding."""
    first = (D <= 0).argmax(axis=1)
    shared = np.bincount(first, weights=values) / np.maximum(np.bincount(first), 1)
    return shared[first]
