"""Regression by the smoothest function that a metric space allows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Evidence
from mercer.learners._parameters import check_parameters
from mercer.learners.metric._capacity import covering_radii, kept_distances, regression_record
from mercer.learners.metric._extension import extend, lipschitz_constant
from mercer.learners.metric._space import Floats, MetricLearner
from mercer.learners.metric.lipschitz import LIPSCHITZ_RULES

_ROUNDS = 60
_NEW = 4  # constraints added per object and round


class LipschitzRegressor(RegressorMixin, MetricLearner):
    """min L(f) + C Σ |y_i - f(x_i)| over all Lipschitz functions of a metric space.

    C = ∞ interpolates: L = max |y_i - y_j| / d(x_i, x_j). Otherwise a linear programme whose pair
    constraints are added as they are violated. New objects get the extension f_α.

    Parameters
    ----------
    metric : str, callable or Metric
    C : float
        Price of a unit of absolute error; ``inf`` to interpolate.
    alpha : float in [0, 1]
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

    _declared = ("lipschitz-regression",)

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        alpha: float = 0.5,
        target_range: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.alpha = alpha
        self.target_range = target_range
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any) -> Self:
        """Train on objects (or their square matrix of distances) and targets."""
        check_parameters(self, LIPSCHITZ_RULES)
        self._forget_certificates()
        D, y = self._training_distances(X, y, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        self._range = self._known_range(y)
        if np.isinf(self.C):
            values = y.copy()
            self.n_constraints_ = 0
        else:
            values, self.n_constraints_ = smooth_values(D, y, float(self.C))
        self.constant_ = lipschitz_constant(values, D)
        if np.isinf(self.constant_):
            raise ValueError(
                "objects at distance zero have different targets: no function interpolates them; "
                "merge them or use a finite C"
            )
        self.values_ = values
        errors = np.abs(y - values)
        self.objective_ = self.constant_ + (0.0 if np.isinf(self.C) else self.C * errors.sum())
        self._errors = errors
        self._D, self._radii = kept_distances(D, 2), covering_radii(D)
        return self

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

    def predict(self, X: Any) -> Floats:
        """f(x)."""
        check_is_fitted(self, "values_")
        parts = [extend(self.values_, self.constant_, D, self.alpha) for _, D in self._blocks(X)]
        found = np.concatenate(parts)
        return found if self._range is None else np.clip(found, *self._range)

    def _publish_evidence(self) -> Evidence:
        record, limits = None, None
        if self._range is not None and self.metric_holds_:
            limits = (0.0, self._range[1] - self._range[0])
            record = regression_record(
                self._D, self._radii, self._errors, self.constant_, limits[1]
            )
        return Evidence(
            self._n,
            task="regression",
            learner=f"this {type(self).__name__}",
            loss="absolute",
            risks={"absolute": float(np.mean(self._errors))},
            lipschitz=record,
            loss_range=limits,
        )


def smooth_values(D: Floats, y: Floats, C: float) -> tuple[Floats, int]:
    """Values a that minimise L + C Σ |a_i - y_i| with a_i - a_j <= L d_ij, and the pairs needed."""
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


def _programme(
    D: Floats, y: Floats, C: float, pairs: list[tuple[int, int]]
) -> tuple[Floats, float]:
    n, m = len(y), len(pairs)
    i, j = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    row = np.arange(m)
    data = np.concatenate([np.ones(m), -np.ones(m), -D[i, j]])
    places = (np.tile(row, 3), np.concatenate([i, j, np.full(m, 2 * n)]))
    lipschitz = sparse.csr_array((data, places), shape=(m, 2 * n + 1))
    eye, none = sparse.eye_array(n), sparse.csr_array((n, 1))
    above = sparse.hstack([eye, -eye, none])  # a - e <= y
    below = sparse.hstack([-eye, -eye, none])  # -a - e <= -y
    found = linprog(
        np.concatenate([np.zeros(n), np.full(n, C), [1.0]]),
        A_ub=sparse.vstack([lipschitz, above, below], format="csr"),
        b_ub=np.concatenate([np.zeros(m), y, -y]),
        bounds=[(None, None)] * n + [(0, None)] * (n + 1),
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the linear programme failed: {found.message}")
    return found.x[:n], float(found.x[-1])
