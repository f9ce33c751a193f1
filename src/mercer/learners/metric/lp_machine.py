"""Sums of distance functions with few terms: the linear-programming machine and its relatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linprog

from mercer.bounds import DistanceSums, Evidence
from mercer.learners._parameters import Rule, one_of
from mercer.learners.metric._box import box_limits, box_norm, warn_outside
from mercer.learners.metric._space import Floats
from mercer.learners.metric._sums import NoSeparatingSumError, SumMachine

PROFILES = ("distance", "gaussian")


class LPMachine(SumMachine):
    """f(x) = Σ_k a_k g_k(d(p_k, x)) + b with the least Σ |a_k| L(g_k) (+ C Σ hinge).

    With ``profile="distance"`` the functions are d(x_k, ·) of the training objects and the penalty
    is Σ|a_k| (Graepel et al. 1999); the Lipschitz constant of f is at most that. On training
    objects with an invertible distance matrix this is the largest margin of the Kuratowski
    embedding x → d(x, ·). With ``profile="gaussian"`` they are exp(-d²/s²) for each width s, and
    the penalty carries their Lipschitz constants √(2/e)/s: the RBF Lipschitz programme. Any
    dissimilarity will do. More than two classes: mercer.learners.multiclass around it.

    Parameters
    ----------
    metric : str, callable or Metric
    C : float
        Price of a unit of hinge loss; ``inf`` for the hard margin.
    profile : "distance" or "gaussian"
    widths : sequence of float, or None
        Of the Gaussian profiles; None: the median distance and its double and half.
    domain : (low, high) or None
        A box fixed before the data that holds every input: numbers, or one per column; for the
        metrics euclidean, manhattan and chebyshev. Changes nothing but the certificate: with a box
        (and given widths) the bound ``lipschitz-sums`` applies. A training row outside is refused;
        one to predict is predicted, with an ``OutsideDomainWarning``: the assumption was false.
    certify, delta : see `LipschitzClassifier`

    Attributes
    ----------
    coef_ : array of shape (functions,), most of them zero
    intercept_ : b
    penalty_ : Σ |a_k| L(g_k), an upper limit on the Lipschitz constant where d is a metric
    """

    _declared = (*SumMachine._declared, "lipschitz-sums")
    _own_rules: ClassVar[dict[str, Rule]] = {"profile": one_of(*PROFILES)}

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        profile: str = "distance",
        widths: Any = None,
        domain: Any = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.profile = profile
        self.widths = widths
        self.domain = domain
        self.certify = certify
        self.delta = delta

    def _functions(self, D: Floats) -> tuple[Floats, Floats]:
        self._box: tuple[str, Floats, Floats] | None = None
        if self.domain is not None:
            self._box = box_norm(self.metric_), *box_limits(self.domain, self._objects)
        self._widths = self._profile_widths(D)
        return self._columns(D), self._lipschitz_weights(len(D))

    def _publish_evidence(self) -> Evidence:
        evidence = super()._publish_evidence()
        if self._box is None:
            return evidence
        norm, low, high = self._box
        fixed = self.profile == "distance" or self.widths is not None
        widths = tuple(self._widths)
        sides = tuple(high - low)
        return replace(
            evidence, sums=DistanceSums(self._n, self.penalty_, sides, norm, widths, fixed)
        )

    def _query_objects(self, X: Any) -> Any:
        X = super()._query_objects(X)
        if self._box is not None:
            warn_outside(X, *self._box[1:])
        return X

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
        self._need_fit()
        parts = [self._columns(D) @ self.coef_ + self.intercept_ for _, D in self._blocks(X)]
        return np.concatenate(parts)


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
