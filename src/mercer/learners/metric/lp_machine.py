"""Sums of distance functions with few terms: the linear-programming machine and its relatives."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Evidence
from mercer.learners._certified import fit_with_rows_spent, spends_rows
from mercer.learners._parameters import check_parameters, one_of
from mercer.learners._two_classes import TwoClasses
from mercer.learners.metric._space import Floats, MetricLearner

PROFILES = ("distance", "gaussian")


class NoSeparatingSumError(ValueError):
    """No combination of the functions separates the training objects."""


class LPMachine(TwoClasses, MetricLearner):
    """f(x) = Σ_k a_k g_k(d(p_k, x)) + b with the least Σ |a_k| L(g_k) (+ C Σ hinge).

    With ``profile="distance"`` the functions are d(x_k, ·) of the training objects and the penalty
    is Σ|a_k| (Graepel et al. 1999); the Lipschitz constant of f is at most that. On training
    objects with an invertible distance matrix this is the largest margin of the Kuratowski
    embedding x → d(x, ·). With ``profile="gaussian"`` they are exp(-d²/s²) for each width s, and
    the penalty carries their Lipschitz constants √(2/e)/s. Any dissimilarity will do.

    Parameters
    ----------
    metric : str, callable or Metric
    C : float
        Price of a unit of hinge loss; ``inf`` for the hard margin.
    profile : "distance" or "gaussian"
    widths : sequence of float, or None
        Of the Gaussian profiles; None: the median distance and its double and half.
    certify, delta : see `LipschitzClassifier`

    Attributes
    ----------
    coef_ : array of shape (functions,), most of them zero
    intercept_ : b
    penalty_ : Σ |a_k| L(g_k), an upper limit on the Lipschitz constant where d is a metric
    """

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        profile: str = "distance",
        widths: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.profile = profile
        self.widths = widths
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any) -> Self:
        """Train on objects (or their square matrix of distances) and labels of two classes."""
        check_parameters(self, {"profile": one_of(*PROFILES)})
        self._forget_certificates()
        if spends_rows(self.certify):
            return fit_with_rows_spent(self, X, y, None)
        D, y = self._training_distances(X, y)
        target = self._targets(np.asarray(y))
        self._check_targets(target)
        self._widths = self._profile_widths(D)
        columns, weights = self._columns(D), self._lipschitz_weights(len(D))
        self.coef_, self.intercept_ = smallest_sum(columns, weights, target, float(self.C))
        self.penalty_ = float(np.abs(self.coef_) @ weights)
        self._margins = target * (columns @ self.coef_ + self.intercept_)
        return self

    def _profile_widths(self, D: Floats) -> Floats:
        if self.profile == "distance":
            return np.zeros(0)
        if self.widths is None:
            middle = float(np.median(D[D > 0])) if (D > 0).any() else 1.0
            return middle * np.array([0.5, 1.0, 2.0])
        widths = np.asarray(self.widths, dtype=np.float64).ravel()
        if not np.all(widths > 0):
            raise ValueError(f"widths must be positive, got {self.widths!r}")
        return widths

    def _columns(self, D: Floats) -> Floats:
        if self.profile == "distance":
            return D
        return np.hstack([np.exp(-((D / s) ** 2)) for s in self._widths])

    def _lipschitz_weights(self, n: int) -> Floats:
        if self.profile == "distance":
            return np.ones(n)
        return np.repeat(np.sqrt(2.0 / np.e) / self._widths, n)

    def _values(self, X: Any) -> Floats:
        check_is_fitted(self, "coef_")
        parts = [self._columns(D) @ self.coef_ + self.intercept_ for _, D in self._blocks(X)]
        return np.concatenate(parts)

    def _publish_evidence(self) -> Evidence:
        return Evidence(
            self._n,
            learner=f"this {type(self).__name__}",
            formulation="lp-machine",
            loss="hinge",
            errors=int(np.count_nonzero(self._margins <= 0)),
            margins=self._margins,
            slacks=np.maximum(1.0 - self._margins, 0.0),
        )


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


def subspace_function(
    columns: Any, domain: Any, train: Any, y: Any, C: float = np.inf
) -> tuple[Floats, float, float]:
    """The function of a given span with the least exact Lipschitz constant on a finite domain.

    Parameters
    ----------
    columns : array of shape (m, k)
        The spanning functions at all m objects of the domain (training and unlabelled).
    domain : array of shape (m, m)
        Their distances.
    train : indices of the labelled objects
    y : their labels, -1 and +1
    C : price of hinge loss; inf for the hard margin

    Returns
    -------
    coef, intercept, constant
    """
    columns, D = np.asarray(columns, dtype=np.float64), np.asarray(domain, dtype=np.float64)
    train, y = np.asarray(train), np.asarray(y, dtype=np.float64)
    m, k = columns.shape
    i, j = np.nonzero(~np.eye(m, dtype=bool))
    slack = np.isfinite(C)
    extra = len(train) if slack else 0
    smooth = np.hstack([columns[i] - columns[j], np.zeros((len(i), 1)), -D[i, j][:, None]])
    margin = np.hstack([-y[:, None] * columns[train], -y[:, None], np.zeros((len(train), 1))])
    smooth = np.hstack([smooth, np.zeros((len(i), extra))])
    margin = np.hstack([margin, -np.eye(len(train))[:, :extra]])
    found = linprog(
        np.concatenate([np.zeros(k + 1), [1.0], np.full(extra, C if slack else 0.0)]),
        A_ub=np.vstack([smooth, margin]),
        b_ub=np.concatenate([np.zeros(len(i)), -np.ones(len(train))]),
        bounds=[(None, None)] * (k + 1) + [(0, None)] * (1 + extra),
        method="highs",
    )
    if found.status == 2:
        raise NoSeparatingSumError("no function of this span separates the labelled objects")
    if not found.success:
        raise ValueError(f"the linear programme failed: {found.message}")
    return found.x[:k], float(found.x[k]), float(found.x[k + 1])
