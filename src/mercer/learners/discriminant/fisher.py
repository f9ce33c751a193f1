"""Fisher's linear discriminant."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lstsq

from mercer.learners._parameters import Rule, non_negative, one_of
from mercer.learners.discriminant._linear import LinearClassifier, Plane

Floats = NDArray[np.float64]


def scatter(X: Floats, y: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Class means of −1 and +1, and the within-class covariance (maximum likelihood)."""
    means = np.stack(
        [np.average(X[y == label], axis=0, weights=weight[y == label]) for label in (-1.0, 1.0)]
    )
    centred = X - means[(y > 0).astype(int)]
    covariance = (weight[:, None] * centred).T @ centred / weight.sum()
    return means[0], means[1], covariance


def direction(S: Floats, gap: Floats, solver: str) -> Floats:
    """S⁻¹·gap, directly or as the top generalised eigenvector of gap·gap' and S."""
    if solver == "eigen":
        spread, basis = eigh(S)
        kept = spread > 1e-12 * max(float(spread[-1]), np.finfo(float).tiny)
        # In the coordinates where S = I the quotient is maximal along the gap itself.
        half = basis[:, kept] / np.sqrt(spread[kept])
        values, vectors = eigh(np.outer(half.T @ gap, half.T @ gap))
        w = half @ vectors[:, -1]
        scale = float(gap @ w)
        return w * (float(values[-1]) / scale) if scale else w
    return lstsq(S, gap, cond=1e-12)[0]


class FisherDiscriminant(LinearClassifier):
    """The plane between two Gaussians of common covariance: w = S⁻¹(μ₊ − μ₋).

    Parameters
    ----------
    solver : {"moments", "eigen", "least_squares"}, default="moments"
        Solve S w = μ₊ − μ₋; or maximise the ratio of the gap between the projected means to the
        projected variance; or regress m·y/m_y on (x, 1). All give the same direction; the last
        puts the plane at the overall mean instead.
    prior : {"estimated", "equal"}, default="estimated"
        Whether the offset takes the class frequencies into account (ln(m₊/m₋)). Least squares
        does not use it.
    reg_param : float, default=0.0
        Added to the diagonal of S. Without it a singular S is inverted on its range only; if the
        gap is orthogonal to that range, it is the direction.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The normal w.
    intercept_ : ndarray of shape (1,)
        The offset b.
    means_ : ndarray of shape (2, n_features)
        Class means.
    covariance_ : ndarray of shape (n_features, n_features)
        Within-class covariance S, `reg_param` included.
    classes_ : ndarray of shape (2,)
        The labels; a positive output means the second.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> from mercer.learners.discriminant import FisherDiscriminant
    >>> X = [[0, 0], [0, 1], [3, 0], [3, 1]]
    >>> FisherDiscriminant(reg_param=0.1).fit(X, [0, 0, 1, 1]).predict([[2, 0]])
    array([1])
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "solver": one_of("moments", "eigen", "least_squares"),
        "prior": one_of("estimated", "equal"),
        "reg_param": non_negative,
    }

    def __init__(
        self,
        *,
        solver: str = "moments",
        prior: str = "estimated",
        reg_param: float = 0.0,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.solver = solver
        self.prior = prior
        self.reg_param = reg_param
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(solver="least_squares")]

    def _learn(self, X: Floats, y: Floats, weight: Floats) -> Plane:
        low, high, S = scatter(X, y, weight)
        S = S + self.reg_param * np.eye(len(S))
        found = {"means_": np.stack([low, high]), "covariance_": S}
        mass = np.array([weight[y < 0].sum(), weight[y > 0].sum()])
        if self.solver == "least_squares":
            return Plane(*_regress(X, y, weight, mass, self.reg_param), found)
        w = direction(S, high - low, self.solver)
        if not np.any(w):  # no spread along the gap at all, one row per class say: the gap itself
            w = high - low
        offset = -0.5 * float((high + low) @ w)
        if self.prior == "estimated":
            offset += float(np.log(mass[1] / mass[0]))
        return Plane(w, offset, found)


def _regress(
    X: Floats, y: Floats, weight: Floats, mass: Floats, penalty: float
) -> tuple[Floats, float]:
    """Least squares on the targets m·y/m_y; the ridge is the one that S would get."""
    target = mass.sum() * y / np.where(y > 0, mass[1], mass[0])
    centre = np.average(X, axis=0, weights=weight)
    centred = X - centre
    normal = (weight[:, None] * centred).T @ centred
    normal[np.diag_indices_from(normal)] += penalty * mass.sum()
    w = lstsq(normal, (weight[:, None] * centred).T @ target, cond=1e-12)[0]
    return w, -float(centre @ w)
