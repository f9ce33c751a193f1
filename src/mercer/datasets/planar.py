"""Laws in the plane that no straight line separates, easy to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from mercer._cached import cached_property
from mercer.datasets._law import (
    Array,
    Labels,
    Law,
    Sample,
    check_probability,
    flip,
    noisy,
    two_columns,
)

Made = tuple[Array, Labels, Law]


class Xor(Law):
    r"""Four Gaussian blobs at :math:`(\pm1, \pm1)`; the label is the product of the signs.

    The Bayes rule is the sign of :math:`x_1 x_2`; with :math:`q = \Phi(-1/s)` it errs with
    probability :math:`2q(1-q)` before labels are flipped.
    """

    def __init__(self, scale: float = 0.5, noise: float = 0.0) -> None:
        self.scale = float(scale)
        self.noise = check_probability(noise, "noise", 0.0, 0.5)

    @property
    def bayes_risk(self) -> float:
        """In closed form."""
        q = stats.norm.sf(1.0 / self.scale)
        return noisy(2.0 * q * (1.0 - q), self.noise)

    def posterior(self, X: ArrayLike) -> Array:
        """The two coordinates are independent given their signs."""
        right = special.expit(2.0 * np.asarray(X, dtype=float) / self.scale**2)
        return two_columns(right.prod(axis=1) + (1.0 - right).prod(axis=1), self.noise)

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        corner = rng.choice([-1, 1], size=(n, 2))
        X = corner + self.scale * rng.standard_normal((n, 2))
        return X, flip(corner.prod(axis=1), self.noise, rng)


class Banana(Law):
    r"""Two bent bands :math:`x_2 = x_1^2/2 \pm \delta + s\varepsilon` with Gaussian :math:`x_1`.

    Straightened by :math:`x_2 - x_1^2/2` the classes are two Gaussians on a line, so the Bayes risk
    is :math:`\Phi(-\delta/s)` before labels are flipped.
    """

    width = 1.5

    def __init__(self, shift: float = 1.0, scale: float = 0.6, noise: float = 0.0) -> None:
        self.shift, self.scale = float(shift), float(scale)
        self.noise = check_probability(noise, "noise", 0.0, 0.5)

    @property
    def bayes_risk(self) -> float:
        """In closed form."""
        return noisy(float(stats.norm.sf(self.shift / self.scale)), self.noise)

    def posterior(self, X: ArrayLike) -> Array:
        """Logistic in the straightened coordinate."""
        points = np.asarray(X, dtype=float)
        height = points[:, 1] - points[:, 0] ** 2 / 2.0
        return two_columns(special.expit(2.0 * self.shift * height / self.scale**2), self.noise)

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        y = rng.choice([-1, 1], size=n)
        x1 = self.width * rng.standard_normal(n)
        x2 = x1**2 / 2.0 + y * self.shift + self.scale * rng.standard_normal(n)
        return np.column_stack([x1, x2]), flip(y, self.noise, rng)


class Moons(Law):
    r"""Two interleaved half circles blurred by Gaussian noise of size ``scale``.

    A class density is an arc smeared out,
    :math:`\frac1\pi\int_0^\pi N(x;\,c(t), s^2 I)\,dt`, computed by Gauss-Legendre quadrature; the
    Bayes risk is the integral of the smaller of the two over the plane.
    """

    def __init__(self, scale: float = 0.2, noise: float = 0.0) -> None:
        if scale < 0.02:
            raise ValueError(f"scale must be at least 0.02 for the quadrature, got {scale}")
        self.scale = float(scale)
        self.noise = check_probability(noise, "noise", 0.0, 0.5)

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        """Quadrature angles and the log of their weights; finer for a thinner arc."""
        x, w = np.polynomial.legendre.leggauss(int(30 + 5 / self.scale))
        return np.pi * (x + 1.0) / 2.0, np.log(w / 2.0)

    @staticmethod
    def _arc(t: Array, upper: bool) -> Array:
        across, along = np.cos(t), np.sin(t)
        xy = (across, along) if upper else (1.0 - across, 0.5 - along)
        return np.column_stack(xy)

    def _log_density(self, X: Array, upper: bool) -> Array:
        """Log density of one class up to the factor 1/(2 pi s^2)."""
        t, log_weight = self._nodes
        out = np.empty(len(X))
        arc = self._arc(t, upper)
        for start in range(0, len(X), 5000):
            block = X[start : start + 5000]
            square = ((block[:, None, :] - arc) ** 2).sum(axis=2)
            out[start : start + 5000] = special.logsumexp(
                log_weight - square / (2.0 * self.scale**2), axis=1
            )
        return out

    @cached_property
    def bayes_risk(self) -> float:
        """By summing over a fine grid of the plane."""
        step = self.scale / 8.0  # good to about 1e-5
        reach = 7.0 * self.scale
        xs = np.arange(-1.0 - reach, 2.0 + reach, step)
        ys = np.arange(-0.5 - reach, 1.0 + reach, step)
        total = 0.0
        for strip in np.array_split(xs, max(1, len(xs) * len(ys) // 50_000)):
            grid = np.column_stack([axis.ravel() for axis in np.meshgrid(strip, ys)])
            smaller = np.minimum(self._log_density(grid, True), self._log_density(grid, False))
            total += np.exp(smaller).sum()
        clean = 0.5 * total * step**2 / (2.0 * np.pi * self.scale**2)
        return noisy(float(clean), self.noise)

    def posterior(self, X: ArrayLike) -> Array:
        """From the two smeared arcs; the upper one is the class +1."""
        points = np.asarray(X, dtype=float)
        odds = self._log_density(points, True) - self._log_density(points, False)
        return two_columns(special.expit(odds), self.noise)

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        y = rng.choice([-1, 1], size=n)
        t = np.pi * rng.random(n)
        centre = np.where(y[:, None] > 0, self._arc(t, True), self._arc(t, False))
        return centre + self.scale * rng.standard_normal((n, 2)), flip(y, self.noise, rng)


def make_xor(
    n: int, *, scale: float = 0.5, noise: float = 0.0, random_state: int | None = None
) -> Made:
    """Four blobs labelled like a chessboard; ``noise`` is the share of flipped labels."""
    law = Xor(scale, noise)
    return *law.sample(n, random_state), law


def make_banana(
    n: int,
    *,
    shift: float = 1.0,
    scale: float = 0.6,
    noise: float = 0.0,
    random_state: int | None = None,
) -> Made:
    """Two bent bands, one above the other."""
    law = Banana(shift, scale, noise)
    return *law.sample(n, random_state), law


def make_moons(
    n: int, *, scale: float = 0.2, noise: float = 0.0, random_state: int | None = None
) -> Made:
    """Two interleaved half moons."""
    law = Moons(scale, noise)
    return *law.sample(n, random_state), law
