"""Closure rules on values: sums, products, powers and exponentials of kernels are kernels.

Rules 1-4, 6 and 7 of Herbrich, Learning Kernel Classifiers, Theorem 2.20 and Corollary 2.21.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels._facts import monomials
from mercer.kernels.algebra._composite import Array, Composite, Vectors
from mercer.kernels.composed import PRODUCT, SUM, affine
from mercer.kernels.validate import natural, real
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.kernels.vectors.linear import Linear


class Sum(Composite):
    """k1 + k2 (rule 1)."""

    _grows = True

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @property
    def universal(self) -> bool:
        """One universal part is enough if both are positive semi-definite."""
        return self.psd is True and (self.left.universal or self.right.universal)

    def dimension(self, n_features: int | None) -> float | None:
        """The spaces side by side."""
        left, right = self.left.dimension(n_features), self.right.dimension(n_features)
        if left is None or right is None:
            return super().dimension(n_features)
        return left + right

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return values[0] + values[1]

    def _rule(self) -> Any:
        return SUM

    def _tangent(
        self,
        values: ArrayLike,
        left: Any,
        right: Any,
        moved: Any,
        moved_left: Any,
        moved_right: Any,
    ) -> Array:
        return moved[0] + moved[1]

    @classmethod
    def examples(cls) -> list[Sum]:
        """A smooth part and a straight one."""
        return [cls(Gaussian(np.array([0.5, 1.0, 2.0])), Shifted(Linear(), 0.4))]


class Product(Composite):
    """k1 k2, entry by entry (rule 4)."""

    _grows = True

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @property
    def universal(self) -> bool:
        """Universal if both factors are."""
        return self.left.universal and self.right.universal

    def dimension(self, n_features: int | None) -> float | None:
        """All products of a feature of one and a feature of the other."""
        left, right = self.left.dimension(n_features), self.right.dimension(n_features)
        if left is None or right is None:
            return super().dimension(n_features)
        return left * right

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return values[0] * values[1]

    def _rule(self) -> Any:
        return PRODUCT

    def _tangent(
        self, values: Any, left: Any, right: Any, moved: Any, moved_left: Any, moved_right: Any
    ) -> Array:
        return moved[0] * values[1] + values[0] * moved[1]

    @classmethod
    def examples(cls) -> list[Product]:
        """Locally straight functions, with one length scale per column."""
        return [cls(Gaussian(np.array([0.5, 1.0, 2.0])), Shifted(Linear(), 0.4))]


class Scaled(Composite):
    """c k for c >= 0 (rule 2)."""

    _grows = True

    def __init__(self, kernel: Kernel, factor: float = 1.0) -> None:
        self.kernel = kernel
        self.factor = factor

    @property
    def bounded(self) -> bool:
        """As the kernel."""
        return self.kernel.bounded or self.factor == 0

    @property
    def universal(self) -> bool:
        """As the kernel, unless multiplied by zero."""
        return self.kernel.universal and self.factor > 0

    def dimension(self, n_features: int | None) -> float | None:
        """As the kernel."""
        return self.kernel.dimension(n_features)

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.factor, "Scaled: factor", low=0)
        super()._check(X, name)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return self.factor * values[0]

    def _rule(self) -> Any:
        return affine(self.factor, 0.0)

    def _tangent(
        self,
        values: ArrayLike,
        left: Any,
        right: Any,
        moved: Any,
        moved_left: Any,
        moved_right: Any,
    ) -> Array:
        return self.factor * moved[0]

    def _own_gradient(self, values: list[Array], left: Vectors, right: Vectors) -> dict[str, Array]:
        return {"factor": values[0].copy()}

    @classmethod
    def examples(cls) -> list[Scaled]:
        """A signal variance."""
        return [cls(Gaussian(0.8), 2.5)]


class Shifted(Composite):
    """k + c for c >= 0 (rule 3): gives hyperplanes through the origin an offset."""

    _grows = True

    def __init__(self, kernel: Kernel, constant: float = 1.0) -> None:
        self.kernel = kernel
        self.constant = constant

    @property
    def universal(self) -> bool:
        """As the kernel."""
        return self.kernel.universal

    def dimension(self, n_features: int | None) -> float | None:
        """One more for the constant."""
        inner = self.kernel.dimension(n_features)
        return None if inner is None else inner + (self.constant > 0)

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.constant, "Shifted: constant", low=0)
        super()._check(X, name)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return values[0] + self.constant

    def _rule(self) -> Any:
        return affine(1.0, self.constant)

    def _tangent(
        self,
        values: ArrayLike,
        left: Any,
        right: Any,
        moved: Any,
        moved_left: Any,
        moved_right: Any,
    ) -> Array:
        return moved[0] + 0.0

    def _own_gradient(self, values: list[Array], left: Vectors, right: Vectors) -> dict[str, Array]:
        return {"constant": np.ones_like(values[0])}

    @classmethod
    def examples(cls) -> list[Shifted]:
        """A linear kernel with an offset."""
        return [cls(Linear(), 0.7)]


class Power(Composite):
    """(k + shift)^degree for shift >= 0 and a natural degree (rule 6)."""

    _grows = True

    def __init__(self, kernel: Kernel, degree: int = 2, shift: float = 0.0) -> None:
        self.kernel = kernel
        self.degree = degree
        self.shift = shift

    @property
    def universal(self) -> bool:
        """As the kernel."""
        return self.kernel.universal

    def dimension(self, n_features: int | None) -> float | None:
        """The monomials of the kernel's features."""
        inner = self.kernel.dimension(n_features)
        return None if inner is None else monomials(inner + (self.shift > 0), int(self.degree))

    def _check(self, X: Samples, name: str = "X") -> None:
        natural(self.degree, "Power: degree")
        real(self.shift, "Power: shift", low=0)
        super()._check(X, name)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return (values[0] + self.shift) ** int(self.degree)

    def _rule(self) -> Any:
        return affine(1.0, self.shift, self.degree)

    def _slope(self, value: Array) -> Array:
        return self.degree * (value + self.shift) ** (int(self.degree) - 1)

    def _tangent(
        self, values: Any, left: Any, right: Any, moved: Any, moved_left: Any, moved_right: Any
    ) -> Array:
        return self._slope(values[0]) * moved[0]

    def _own_gradient(self, values: list[Array], left: Vectors, right: Vectors) -> dict[str, Array]:
        return {"shift": self._slope(values[0])}

    @classmethod
    def examples(cls) -> list[Power]:
        """The complete cubic kernel of a Gaussian."""
        return [cls(Gaussian(0.8), 3, 0.5), cls(Linear(), 2, 1.0)]


class Exponential(Composite):
    """exp(k / length_scale^2) (rule 7)."""

    _grows = True

    def __init__(self, kernel: Kernel, length_scale: float = 1.0) -> None:
        self.kernel = kernel
        self.length_scale = length_scale

    @property
    def universal(self) -> bool:
        """If the kernel is, or if it is linear: its power series has every monomial."""
        return self.kernel.universal or isinstance(self.kernel, Linear)

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.length_scale, "Exponential: length_scale", low=0, closed=False)
        super()._check(X, name)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        with np.errstate(over="ignore"):
            K = np.exp(values[0] / self.length_scale**2)
        if not np.all(np.isfinite(K)):
            raise ValueError(
                "Exponential: exp(k / length_scale^2) overflows on these data; use a larger "
                "length_scale or normalise the kernel first"
            )
        return K

    def _tangent(
        self, values: Any, left: Any, right: Any, moved: Any, moved_left: Any, moved_right: Any
    ) -> Array:
        return self._combine(values, left, right) * moved[0] / self.length_scale**2

    def _own_gradient(self, values: list[Array], left: Vectors, right: Vectors) -> dict[str, Array]:
        slope = -2.0 * values[0] / self.length_scale**3
        return {"length_scale": slope * self._combine(values, left, right)}

    @classmethod
    def examples(cls) -> list[Exponential]:
        """The exponential of an inner product."""
        return [cls(Linear(), 2.0)]
