"""Student classes: outliers of any size occur, and the best rule is still a plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from mercer.datasets._law import Array, Labels, Law, Sample, two_columns


class StudentPair(Law):
    r"""Multivariate Student classes with ``df`` degrees of freedom around :math:`\pm\mu`.

    The density falls with the distance from its centre, so the nearer centre is the better guess,
    and the projection on :math:`\mu` is a univariate Student variable: the Bayes risk is
    :math:`P(T_{df} > \lVert\mu\rVert)`.
    """

    def __init__(self, mean: ArrayLike, df: float = 2.0) -> None:
        self.mean = np.atleast_1d(np.asarray(mean, dtype=float))
        if df <= 0.0:
            raise ValueError(f"df must be positive, got {df}")
        self.df = float(df)

    @property
    def bayes_risk(self) -> float:
        """In closed form."""
        return float(stats.t.sf(np.linalg.norm(self.mean), self.df))

    def posterior(self, X: ArrayLike) -> Array:
        """From the ratio of the two densities."""
        points = np.asarray(X, dtype=float)
        near, far = (
            np.log1p(((points - side * self.mean) ** 2).sum(axis=1) / self.df) for side in (1, -1)
        )
        return two_columns(special.expit((far - near) * (self.df + points.shape[1]) / 2.0))

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        y = rng.choice([-1, 1], size=n)
        stretch = np.sqrt(self.df / rng.chisquare(self.df, size=n))
        noise = rng.standard_normal((n, len(self.mean))) * stretch[:, None]
        return y[:, None] * self.mean + noise, y


def make_heavy_tails(
    n: int, *, d: int = 2, distance: float = 4.0, df: float = 2.0, random_state: int | None = None
) -> tuple[Array, Labels, Law]:
    """Two Student classes whose centres are ``distance`` apart; ``df=1`` is Cauchy."""
    law = StudentPair(np.full(d, distance / (2.0 * np.sqrt(d))), df)
    return *law.sample(n, random_state), law
