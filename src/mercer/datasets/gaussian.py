"""Two Gaussian classes: equal covariances, or equal shapes of different size."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special, stats

from mercer.datasets._law import Array, Labels, Law, Sample, check_probability, two_columns


def _labels(n: int, prior: float, rng: np.random.Generator) -> Labels:
    return np.where(rng.random(n) < prior, 1, -1)


class GaussianPair(Law):
    r"""Classes :math:`N(\mu_-, S)` and :math:`N(\mu_+, S)`; the Bayes rule is linear.

    With :math:`\Delta^2 = (\mu_+-\mu_-)^\top S^{-1}(\mu_+-\mu_-)`, prior :math:`p` of +1 and
    :math:`t = \log((1-p)/p)`, the Bayes risk is
    :math:`p\,\Phi(-\Delta/2 + t/\Delta) + (1-p)\,\Phi(-\Delta/2 - t/\Delta)`.

    Parameters
    ----------
    mean_minus, mean_plus : array-like of shape (d,)
        Class means, not equal.
    covariance : array-like of shape (d, d), optional
        Common covariance; the identity by default.
    prior : float, default=0.5
        Probability of the class +1.
    """

    def __init__(
        self,
        mean_minus: ArrayLike,
        mean_plus: ArrayLike,
        covariance: ArrayLike | None = None,
        prior: float = 0.5,
    ) -> None:
        self.mean_minus = np.atleast_1d(np.asarray(mean_minus, dtype=float))
        self.mean_plus = np.atleast_1d(np.asarray(mean_plus, dtype=float))
        d = len(self.mean_plus)
        self.covariance = np.eye(d) if covariance is None else np.asarray(covariance, dtype=float)
        self.prior = check_probability(prior, "prior", np.finfo(float).tiny)
        self._root = linalg.cholesky(self.covariance, lower=True)
        half = linalg.solve_triangular(self._root, self.mean_plus - self.mean_minus, lower=True)
        self.distance = float(linalg.norm(half))
        if self.distance == 0.0:
            raise ValueError("the two class means are equal; no rule could tell the classes apart")
        # Log posterior odds are <x, weight> + offset.
        self.weight = linalg.solve_triangular(self._root.T, half, lower=False)
        middle = (self.mean_plus + self.mean_minus) / 2.0
        self.offset = float(-self.weight @ middle + special.logit(self.prior))

    @property
    def bayes_risk(self) -> float:
        """In closed form."""
        return self.linear_risk(self.weight, self.offset)

    def linear_risk(self, weight: ArrayLike, offset: float) -> float:
        """Exact risk of the rule sign(<x, weight> + offset)."""
        w = np.asarray(weight, dtype=float)
        spread = linalg.norm(self._root.T @ w)
        miss_plus = stats.norm.cdf(-(w @ self.mean_plus + offset) / spread)
        miss_minus = stats.norm.sf(-(w @ self.mean_minus + offset) / spread)
        return float(self.prior * miss_plus + (1.0 - self.prior) * miss_minus)

    def posterior(self, X: ArrayLike) -> Array:
        """Logistic in a linear function."""
        return two_columns(special.expit(np.asarray(X, dtype=float) @ self.weight + self.offset))

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        y = _labels(n, self.prior, rng)
        centre = np.where(y[:, None] > 0, self.mean_plus, self.mean_minus)
        return centre + rng.standard_normal(centre.shape) @ self._root.T, y


class ScaledPair(Law):
    r"""Classes :math:`N(\mu_-, s_-^2 I)` and :math:`N(\mu_+, s_+^2 I)` with :math:`s_- \ne s_+`.

    The Bayes rule is a ball: the tighter class inside, the wider one outside. Both class errors are
    therefore tails of the non-central chi-squared law.
    """

    def __init__(
        self,
        mean_minus: ArrayLike,
        scale_minus: float,
        mean_plus: ArrayLike,
        scale_plus: float,
        prior: float = 0.5,
    ) -> None:
        self.mean_minus = np.asarray(mean_minus, dtype=float)
        self.mean_plus = np.asarray(mean_plus, dtype=float)
        if min(scale_minus, scale_plus) <= 0.0 or scale_minus == scale_plus:
            raise ValueError(
                "scales must be positive and different; for equal ones use GaussianPair"
            )
        self.scale_minus, self.scale_plus = float(scale_minus), float(scale_plus)
        self.prior = check_probability(prior, "prior", np.finfo(float).tiny)

    @property
    def bayes_risk(self) -> float:
        """From two non-central chi-squared tails."""
        a, b = 1.0 / self.scale_plus**2, 1.0 / self.scale_minus**2
        d = len(self.mean_plus)
        # log odds(x) = (b - a)/2 |x - centre|^2 + level
        centre = (b * self.mean_minus - a * self.mean_plus) / (b - a)
        gap = self.mean_plus - self.mean_minus
        level = (
            special.logit(self.prior)
            + d * np.log(self.scale_minus / self.scale_plus)
            - 0.5 * a * b / (b - a) * (gap @ gap)
        )
        radius2 = -2.0 * level / (b - a)
        inside = [
            stats.ncx2.cdf(radius2 / s**2, d, ((m - centre) @ (m - centre)) / s**2)
            for m, s in ((self.mean_minus, self.scale_minus), (self.mean_plus, self.scale_plus))
        ]
        plus_is_outside = b > a
        miss_minus, miss_plus = (
            (1 - inside[0], inside[1]) if plus_is_outside else (inside[0], 1 - inside[1])
        )
        return float(self.prior * miss_plus + (1.0 - self.prior) * miss_minus)

    def posterior(self, X: ArrayLike) -> Array:
        """From the two log densities."""
        points = np.asarray(X, dtype=float)
        odds = np.full(len(points), special.logit(self.prior))
        for mean, scale, side in (
            (self.mean_plus, self.scale_plus, 1.0),
            (self.mean_minus, self.scale_minus, -1.0),
        ):
            square = np.sum((points - mean) ** 2, axis=1) / scale**2
            odds += side * (-0.5 * square - points.shape[1] * np.log(scale))
        return two_columns(special.expit(odds))

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        y = _labels(n, self.prior, rng)[:, None]
        noise = rng.standard_normal((n, len(self.mean_plus)))
        X = np.where(
            y > 0,
            self.mean_plus + self.scale_plus * noise,
            self.mean_minus + self.scale_minus * noise,
        )
        return X, y[:, 0]


Made = tuple[Array, Labels, Law]


def make_gaussian(
    n: int,
    *,
    d: int = 2,
    distance: float = 2.0,
    prior: float = 0.5,
    random_state: int | None = None,
) -> Made:
    """Two spherical Gaussians whose means are ``distance`` apart along the diagonal."""
    step = np.full(d, distance / (2.0 * np.sqrt(d)))
    law = GaussianPair(-step, step, prior=prior)
    return *law.sample(n, random_state), law


def make_twonorm(n: int, *, d: int = 20, random_state: int | None = None) -> Made:
    r"""Breiman's twonorm: :math:`N(\pm a, I)`, every coordinate of *a* being :math:`2/\sqrt{20}`.

    For d = 20 the Bayes risk is :math:`\Phi(-2)`, about 2.3 %.
    """
    step = np.full(d, 2.0 / np.sqrt(20.0))
    law = GaussianPair(-step, step)
    return *law.sample(n, random_state), law


def make_ringnorm(n: int, *, d: int = 20, random_state: int | None = None) -> Made:
    r"""Breiman's ringnorm: :math:`N(0, 4I)` (+1) around :math:`N(a, I)` (-1).

    Every coordinate of *a* is :math:`2/\sqrt{20}`; for d = 20 the Bayes risk is about 1.2 %.
    """
    law = ScaledPair(np.full(d, 2.0 / np.sqrt(20.0)), 1.0, np.zeros(d), 2.0)
    return *law.sample(n, random_state), law


def make_unbalanced(
    n: int,
    *,
    d: int = 5,
    distance: float = 4.0,
    ratio: float = 50.0,
    random_state: int | None = None,
) -> Made:
    """Two Gaussians with one positive example among ``ratio`` negative ones."""
    return make_gaussian(
        n, d=d, distance=distance, prior=1.0 / (1.0 + ratio), random_state=random_state
    )
