"""``+``, ``*``, ``**`` and the other ways to make a kernel from a kernel."""

from __future__ import annotations

import numbers
from typing import Any

from mercer.kernels.validate import natural, real


class Operators:
    """The algebra as methods; every result is a kernel of its own (see ``algebra.py``)."""

    # Without this numpy scalars would try to multiply us element by element.
    __array_ufunc__ = None

    def __add__(self: Any, other: Any) -> Any:
        from mercer.kernels._base import Kernel
        from mercer.kernels.algebra.arithmetic import Shifted, Sum

        if isinstance(other, Kernel):
            return Sum(self, other)
        if isinstance(other, numbers.Real):
            return Shifted(self, real(other, "the constant added to a kernel", low=0))
        return NotImplemented

    __radd__ = __add__

    def __mul__(self: Any, other: Any) -> Any:
        from mercer.kernels._base import Kernel
        from mercer.kernels.algebra.arithmetic import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        if isinstance(other, numbers.Real):
            return Scaled(self, real(other, "the factor of a kernel", low=0))
        return NotImplemented

    __rmul__ = __mul__

    def __pow__(self: Any, degree: Any) -> Any:
        from mercer.kernels.algebra.arithmetic import Power

        if isinstance(degree, numbers.Real):
            return Power(self, natural(degree, "the power of a kernel"))
        return NotImplemented

    def normalized(self: Any) -> Any:
        """k(x, y) / sqrt(k(x, x) k(y, y)): every image gets length one."""
        from mercer.kernels.algebra.feature_space import Normalized

        return Normalized(self)

    def centered(self: Any) -> Any:
        """The kernel after moving the mean of a reference sample to the origin."""
        from mercer.kernels.algebra.centered import Centered

        return Centered(self)

    def on(self: Any, columns: Any) -> Any:
        """The kernel on some columns only."""
        from mercer.kernels.algebra.on import On

        return On(self, columns)

    def exponential(self: Any, length_scale: float = 1.0) -> Any:
        """exp(k / length_scale^2)."""
        from mercer.kernels.algebra.arithmetic import Exponential

        return Exponential(self, length_scale)

    def gaussian(self: Any, length_scale: float = 1.0) -> Any:
        """A Gaussian of the distance in this kernel's feature space."""
        from mercer.kernels.algebra.feature_space import FeatureGaussian

        return FeatureGaussian(self, length_scale)
