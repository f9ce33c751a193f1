"""`Loss`: value, gradient, curvature, conjugate and proximal point, with the facts bounds ask for.

A loss ℓ(f, y) prices the output f when the truth is y. Losses of the margin y·f are for labels
−1 and +1, losses of the residual f − y for numbers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

BISECTIONS = 100  # halvings of an interval: more than a double has bits


@dataclass(frozen=True)
class Loss(ABC):
    """Write ``_value`` and ``_slope`` in one variable; arrays, signs and the rest are inherited.

    Facts
    -----
    task : "classification" or "regression".
    convex : whether ℓ(·, y) is convex.
    smooth : whether it has a gradient everywhere, so that Newton's method applies.
    lipschitz : the largest |∂ℓ/∂f|, ``inf`` if there is none.
    upper : the largest value, ``inf`` if there is none. The smallest is 0 unless ``lower`` says so.
    calibrated : whether its population minimiser has the Bayes rule's sign; None for regressions.
    """

    _stored_as: ClassVar[str] = "loss"
    task: ClassVar[str] = "classification"
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    calibrated: ClassVar[bool | None] = None
    lower: ClassVar[float] = 0.0

    @property
    def lipschitz(self) -> float:
        """The largest slope."""
        return math.inf

    @property
    def upper(self) -> float:
        """The largest value."""
        return math.inf

    # -- in the variable t that the loss is a function of ------------------------------------------

    @abstractmethod
    def _value(self, t: Floats) -> Floats:
        """The loss as a function of the margin or the residual."""

    @abstractmethod
    def _slope(self, t: Floats) -> Floats:
        """Its derivative; at a kink any number between the one-sided ones."""

    def _bend(self, t: Floats) -> Floats:
        """Its second derivative, 0 where there is none."""
        return np.zeros_like(t)

    def _conjugate(self, s: Floats) -> Floats:
        """The supremum over t of s·t − ℓ(t); ``inf`` where it is not bounded."""
        raise NotImplementedError(f"{type(self).__name__} has no conjugate: it is not convex")

    @abstractmethod
    def _variable(self, f: Floats, y: Floats) -> tuple[Floats, Any]:
        """The variable t and the factor dt/df, which is 1 or −1."""

    @abstractmethod
    def _conjugate_in_f(self, u: Floats, y: Floats) -> Floats:
        """The conjugate with respect to f."""

    # -- as functions of output and truth ----------------------------------------------------------

    def value(self, f: ArrayLike, y: ArrayLike) -> Floats:
        """ℓ(f, y)."""
        return self._value(self._variable(*_floats(f, y))[0])

    __call__ = value

    def gradient(self, f: ArrayLike, y: ArrayLike) -> Floats:
        """∂ℓ/∂f, a subgradient at kinks."""
        t, sign = self._variable(*_floats(f, y))
        return sign * self._slope(t)

    def curvature(self, f: ArrayLike, y: ArrayLike) -> Floats:
        """∂²ℓ/∂f² where it exists, else 0."""
        return self._bend(self._variable(*_floats(f, y))[0])

    def conjugate(self, u: ArrayLike, y: ArrayLike) -> Floats:
        """The supremum over f of u·f − ℓ(f, y)."""
        return self._conjugate_in_f(*_floats(u, y))

    def prox(self, v: ArrayLike, y: ArrayLike, step: ArrayLike = 1.0) -> Floats:
        """The f that minimises ℓ(f, y) + (f − v)²/(2·step).

        By bisection on the monotone condition f − v + step·∂ℓ = 0, which needs nothing but the
        gradient; losses with a closed form override it.
        """
        if not self.convex:
            raise NotImplementedError(f"{type(self).__name__} is not convex: no proximal point")
        v, y = _floats(v, y)
        step = np.broadcast_to(np.asarray(step, dtype=np.float64), v.shape)
        reach = step * np.abs(self.gradient(v, y)) + 1e-300
        low, high = v - reach, v + reach
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            right = middle - v + step * self.gradient(middle, y) > 0
            low, high = np.where(right, low, middle), np.where(right, middle, high)
        return 0.5 * (low + high)

    def risk(self, f: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The (weighted) mean loss of a sample."""
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.value(f, y), weights=weight))

    @classmethod
    def examples(cls) -> Iterator[Self]:
        """Instances for the contract tests."""
        yield cls()


@dataclass(frozen=True)
class MarginLoss(Loss):
    """A function of the margin t = y·f, for labels −1 and +1."""

    def _variable(self, f: Floats, y: Floats) -> tuple[Floats, Any]:
        return y * f, y

    def _conjugate_in_f(self, u: Floats, y: Floats) -> Floats:
        return self._conjugate(y * u)


@dataclass(frozen=True)
class ResidualLoss(Loss):
    """A function of the residual t = f − y, for real targets."""

    task = "regression"

    def _variable(self, f: Floats, y: Floats) -> tuple[Floats, Any]:
        return f - y, 1.0

    def _conjugate_in_f(self, u: Floats, y: Floats) -> Floats:
        return self._conjugate(u) + u * y


def _floats(f: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.broadcast_arrays(
        np.asarray(f, dtype=np.float64), np.asarray(y, dtype=np.float64)
    )
    return first, second


def inside(s: Floats, low: float, high: float, value: Floats) -> Floats:
    """``value`` on an interval, with room for rounding at its ends, and ``inf`` outside."""
    room = 1e-12 * max(abs(low) if math.isfinite(low) else 0.0, 1.0)
    return np.where((s >= low - room) & (s <= high + room), value, math.inf)


def positive(name: str, value: float, *, zero: bool = False) -> None:
    """Refuse a parameter that is not a positive number."""
    fine = isinstance(value, int | float) and math.isfinite(value)
    if not fine or value < 0 or (value == 0 and not zero):
        kind = ">= 0" if zero else "> 0"
        raise ValueError(f"{name} must be a finite number {kind}, got {value!r}")
