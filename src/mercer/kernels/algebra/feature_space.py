"""Closure rules in feature space: normalisation and the Gaussian of feature-space distances.

Rules 8 and 9 of Herbrich, Learning Kernel Classifiers, Corollary 2.21.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.algebra._composite import Array, Composite, Vectors
from mercer.kernels.validate import real
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.kernels.vectors.linear import Linear
from mercer.kernels.vectors.polynomial import Polynomial


class _OnDiagonal(Composite):
    """A composite that needs k(x, x) of both objects."""

    kernel: Kernel

    def _statistics(self, X: Samples) -> Vectors:
        return (self.kernel._diag(X),)

    def _statistics_gradient(self, X: Samples) -> dict[str, Vectors]:
        inner = self.kernel._diag_gradient(X)
        return {f"kernel__{name}": (slope,) for name, slope in inner.items()}


class Normalized(_OnDiagonal):
    """k(x, y) / sqrt(k(x, x) k(y, y)): the cosine in feature space (rule 9).

    An object with k(x, x) = 0 has the zero vector as its image. It has no direction, so it keeps
    that image: its values are 0, on the diagonal too.
    """

    _tag = "kernel:normalised"

    bounded = True
    sup_norm = 1.0
    value_range = (-1.0, 1.0)

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def dimension(self, n_features: int | None) -> float | None:
        """As the kernel: only lengths change."""
        return self.kernel.dimension(n_features)

    @property
    def universal(self) -> bool:
        """As the kernel."""
        return self.kernel.universal

    def _statistics(self, X: Samples) -> Vectors:
        own = self.kernel._diag(X)
        if np.any(own < 0):
            raise ValueError(
                f"Normalized: k(x, x) is negative for row {int(np.argmin(own))}; the kernel is not "
                "positive semi-definite and cannot be normalised"
            )
        return (own,)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        # Two roots rather than the root of a product: the product overflows first.
        return values[0] * _inverse(np.sqrt(left[0])) * _inverse(np.sqrt(right[0]))

    def _tangent(
        self, values: Any, left: Any, right: Any, moved: Any, moved_left: Any, moved_right: Any
    ) -> Array:
        roots = _inverse(np.sqrt(left[0])) * _inverse(np.sqrt(right[0]))
        drift = moved_left[0] * _inverse(left[0]) + moved_right[0] * _inverse(right[0])
        return roots * (moved[0] - 0.5 * values[0] * drift)

    @classmethod
    def examples(cls) -> list[Normalized]:
        """The cosine, and a normalised polynomial."""
        return [cls(Linear()), cls(Polynomial(2, coef0=0.5, gamma=0.7))]


def _inverse(value: Array) -> Array:
    return np.divide(1.0, value, out=np.zeros_like(value), where=value > 0)


class FeatureGaussian(_OnDiagonal):
    """exp(-|phi(x) - phi(y)|^2 / (2 l^2)): a Gaussian in the feature space of a kernel (rule 8)."""

    bounded = True
    sup_norm = 1.0
    value_range = (0.0, 1.0)

    def __init__(self, kernel: Kernel, length_scale: float = 1.0) -> None:
        self.kernel = kernel
        self.length_scale = length_scale

    @property
    def universal(self) -> bool:
        """If the feature map separates points: a universal kernel, or the linear one."""
        return self.kernel.universal or isinstance(self.kernel, Linear)

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.length_scale, "FeatureGaussian: length_scale", low=0, closed=False)
        super()._check(X, name)

    def _squares(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return np.maximum(left[0] - 2.0 * values[0] + right[0], 0.0)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return np.exp(-self._squares(values, left, right) / (2.0 * self.length_scale**2))

    def _tangent(
        self, values: Any, left: Any, right: Any, moved: Any, moved_left: Any, moved_right: Any
    ) -> Array:
        slope = -self._combine(values, left, right) / (2.0 * self.length_scale**2)
        return slope * (moved_left[0] - 2.0 * moved[0] + moved_right[0])

    def _own_gradient(self, values: list[Array], left: Vectors, right: Vectors) -> dict[str, Array]:
        squares = self._squares(values, left, right)
        return {"length_scale": self._combine(values, left, right) * squares / self.length_scale**3}

    @classmethod
    def examples(cls) -> list[FeatureGaussian]:
        """In the feature space of a polynomial, and of a Gaussian."""
        return [cls(Polynomial(2, coef0=0.5, gamma=0.7), 1.5), cls(Gaussian(0.9), 0.8)]
