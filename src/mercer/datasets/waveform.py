"""Breiman's waveforms: random mixtures of two of three triangles, plus noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from mercer._cached import cached_property
from mercer.datasets._law import Array, Labels, Law, Sample

_GRID = np.arange(1, 22)
TRIANGLES = np.maximum(6.0 - np.abs(_GRID - np.array([[11.0], [15.0], [7.0]])), 0.0)
# Class c mixes the two triangles PAIRS[c].
PAIRS = ((0, 1), (0, 2), (1, 2))


class Waveform(Law):
    r"""Inputs :math:`u h_i + (1-u) h_j + \varepsilon` in 21 dimensions, :math:`u` uniform.

    The class names the pair of triangles :math:`(h_i, h_j)` and :math:`\varepsilon` is standard
    Gaussian. A class density is a Gaussian integrated along a segment, that is a difference of two
    error functions. All segments lie in the plane through :math:`h_1, h_2, h_3` and noise across
    that plane is the same for all classes, so the Bayes risk is an integral over two dimensions.

    Parameters
    ----------
    classes : tuple of int, default=(0, 1, 2)
        Which of the three classes occur, equally often. With two of them labels are -1 and +1.
        The triangles peak at 11, 15 and 7; class 0 mixes the first and second, class 1 the first
        and third, class 2 the second and third.
    """

    def __init__(self, classes: tuple[int, ...] = (0, 1, 2)) -> None:
        if not 2 <= len(set(classes)) == len(classes) or not set(classes) <= {0, 1, 2}:
            raise ValueError(f"classes must be two or three of 0, 1, 2, got {classes}")
        self.pairs = tuple(PAIRS[c] for c in classes)
        self.classes = np.array([-1, 1]) if len(classes) == 2 else np.array(classes)

    @staticmethod
    def _log_density(X: Array, start: Array, end: Array) -> Array:
        """Log of the mean over the segment of exp(-|x - point|^2 / 2)."""
        step = end - start
        length = np.linalg.norm(step)
        along = (X - start) @ step / length
        across = np.maximum(((X - start) ** 2).sum(axis=1) - along**2, 0.0)
        # log(cdf(b) - cdf(a)), taken on the side where the two do not cancel
        a, b = np.where(along > length / 2.0, [-along, length - along], [along - length, along])
        low, high = special.log_ndtr(a), special.log_ndtr(b)
        inside = high + np.log1p(-np.exp(low - high))
        return -across / 2.0 + inside + np.log(np.sqrt(2.0 * np.pi) / length)

    def _log_densities(self, X: Array, corners: Array) -> Array:
        return np.column_stack(
            [self._log_density(X, corners[j], corners[i]) for i, j in self.pairs]
        )

    @cached_property
    def bayes_risk(self) -> float:
        """By summing over a fine grid of the plane of the triangles."""
        basis = np.linalg.qr((TRIANGLES[1:] - TRIANGLES[0]).T)[0]
        corners = (TRIANGLES - TRIANGLES[0]) @ basis
        step = 0.04
        xs, ys = (np.arange(c.min() - 8.0, c.max() + 8.0, step) for c in corners.T)
        total = 0.0
        for strip in np.array_split(xs, 40):
            grid = np.column_stack([axis.ravel() for axis in np.meshgrid(strip, ys)])
            density = np.exp(self._log_densities(grid, corners)) / (2.0 * np.pi)
            total += (density.sum(axis=1) - density.max(axis=1)).sum()
        return float(total * step**2 / len(self.classes))

    def posterior(self, X: ArrayLike) -> Array:
        """From the class densities."""
        return special.softmax(self._log_densities(np.asarray(X, dtype=float), TRIANGLES), axis=1)

    def _draw(self, n: int, rng: np.random.Generator) -> Sample:
        index = rng.integers(len(self.pairs), size=n)
        pair = np.array(self.pairs)[index]
        u = rng.random((n, 1))
        X = u * TRIANGLES[pair[:, 0]] + (1.0 - u) * TRIANGLES[pair[:, 1]]
        return X + rng.standard_normal(X.shape), self.classes[index]


def make_waveform(
    n: int, *, classes: tuple[int, ...] = (0, 1, 2), random_state: int | None = None
) -> tuple[Array, Labels, Law]:
    """Breiman's waveforms; ``classes=(0, 1)`` gives the two-class problem."""
    law = Waveform(classes)
    return *law.sample(n, random_state), law
