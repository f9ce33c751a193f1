"""Sums of distance functions with few terms: the linear-programming machine and its relatives."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mercer._types import Samples
from mercer.bounds import DistanceSums, Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._parameters import Rule, one_of
from mercer.learners.metric._box import box_limits, box_norm, warn_outside
from mercer.learners.metric._in_metric_space import METRIC, Floats, MetricSpace
from mercer.learners.metric._sums import Functions, NoSeparatingSumError, SumFitted, SumMachine

PROFILES = ("distance", "gaussian")


@dataclass(frozen=True, kw_only=True)
class LPFitted(SumFitted):
    """Box and widths of the profiles; no widths: the functions are distances."""

    box: tuple[str, Floats, Floats] | None
    widths: Floats
    fixed: bool  # the widths were known before the data


class LPMachine(SumMachine):
    """f(x) = Σ_k a_k g_k(d(p_k, x)) + b with the least Σ |a_k| L(g_k) (+ C Σ hinge).

    With ``profile="distance"`` the functions are d(x_k, ·) of the training objects and the penalty
    is Σ|a_k| (Graepel et al. 1999); the Lipschitz constant of f is at most that. On training
    objects with an invertible distance matrix this is the largest margin of the Kuratowski
    embedding x → d(x, ·). With ``profile="gaussian"`` they are exp(-d²/s²) for each width s, and
    the penalty carries their Lipschitz constants √(2/e)/s: the RBF Lipschitz programme. Any
    dissimilarity will do. More than two classes: one against the rest (``estimators_``).

    Parameters
    ----------
    metric : str, callable or Metric
    C : float
        Price of a unit of hinge loss; ``inf`` for the hard margin.
    profile : "distance" or "gaussian"
    length_scales : sequence of float, or None
        ℓ of the Gaussian profiles exp(−d²/(2ℓ²)); None: the median distance over √2, its double and
        its half.
    domain : (low, high) or None
        A box fixed before the data that holds every input: numbers, or one per column; for the
        metrics euclidean, manhattan and chebyshev. Changes nothing but the certificate: with a box
        (and given scales) the bound ``lipschitz-sums`` applies. A training row outside is refused;
        one to predict is predicted, with an ``OutsideDomainWarning``: the assumption was false.
    certify, delta : see `LipschitzClassifier`

    Attributes
    ----------
    coef_ : array of shape (functions,), most of them zero
    intercept_ : b
    penalty_ : Σ |a_k| L(g_k), an upper limit on the Lipschitz constant where d is a metric
    """

    _declared = (*SumMachine._declared, "lipschitz-sums")
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = {"metric": METRIC, "profile": one_of(*PROFILES)}
    _record: ClassVar[type[SumFitted]] = LPFitted
    fitted_: LPFitted

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        profile: str = "distance",
        length_scales: Any = None,
        domain: Any = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.metric = metric
        self.C = C
        self.profile = profile
        self.length_scales = length_scales
        self.domain = domain
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(profile="gaussian")]

    def _functions(self, sample: TrainingSample, space: MetricSpace) -> Functions:
        box = None
        if self.domain is not None:
            box = box_norm(space.metric), *box_limits(self.domain, sample.X)
        plain = self.profile == "distance"
        widths = np.zeros(0) if plain else self._profile_widths(space.D)
        own = {"box": box, "widths": widths, "fixed": plain or self.length_scales is not None}
        steepest = np.repeat(np.sqrt(2.0 / math.e) / widths, sample.n)
        slopes = np.ones(sample.n) if plain else steepest
        return Functions(_columns(space.D, widths), slopes, own)

    def _publish_evidence(self) -> Evidence:
        evidence, fitted = super()._publish_evidence(), self.fitted_
        if fitted.box is None:
            return evidence
        norm, low, high = fitted.box
        widths, sides = tuple(fitted.widths), tuple(high - low)
        sums = DistanceSums(fitted.n, fitted.penalty, sides, norm, widths, fitted.fixed)
        return replace(evidence, sums=sums)

    def _profile_widths(self, D: Floats) -> Floats:
        if self.length_scales is None:
            middle = float(np.median(D[D > 0])) if (D > 0).any() else 1.0
            return middle * np.array([0.5, 1.0, 2.0])
        scales = np.asarray(self.length_scales, dtype=np.float64).ravel()
        if not np.all(scales > 0) or not len(scales):
            raise ValueError(f"length_scales must be positive, got {self.length_scales!r}")
        return np.sqrt(2.0) * scales

    def _outputs(self, X: Samples) -> Floats:
        fitted = self.fitted_
        if fitted.box is not None:
            warn_outside(X, *fitted.box[1:])
        parts = [
            _columns(D, fitted.widths) @ fitted.coef + fitted.intercept for _, D in self._blocks(X)
        ]
        return np.concatenate(parts)


def _columns(D: Floats, widths: Floats) -> Floats:
    """Profiles of distances to the training objects: of each width, or the distances."""
    return np.hstack([np.exp(-((D / s) ** 2)) for s in widths]) if len(widths) else D


def subspace_function(
    columns: Any, domain: Any, train: Any, y: ArrayLike, C: float = np.inf
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
