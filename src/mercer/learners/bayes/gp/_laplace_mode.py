"""The mode of a latent posterior by Newton's method (B.7.3 of the text), sparing factorisations."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.theta import Theta

Floats = NDArray[np.float64]
HALVINGS = 40  # each costs next to nothing, and a step far out may have to shrink a lot
NEWTON_TOL = 1e-14  # nats that one more step would gain
SEARCH_TOL = 1e-12  # leaves the determinant, which moves with its root, right to 1e-5
SLOW = 0.3  # of the last gain: while steps gain less than that, an old factor is good enough


class LatentMode(ABC):
    """Maximises ln P(y | t) - ½ a't over the coefficients a of t = K a, one or several columns.

    Called with the parameters of a kernel: minus the approximate log evidence and its gradient, for
    a minimiser; infinite where the kernel breaks down.
    """

    t: Floats | None = None  # at the mode of the last parameters: where the next begins
    X: Any
    K: Triangle
    theta: Theta | SklearnTheta
    noise: float

    def fill(self, kernel: Kernel) -> None:
        """Put the Gram matrix of the kernel into K, with the noise on its diagonal."""
        self.K.fill(kernel, self.X)
        if self.noise:
            self.K.add_diagonal(self.noise)

    def __call__(self, p: Floats) -> tuple[float, Floats]:
        kernel = self.theta.kernel_at(p)
        try:
            self.fill(kernel)
            a, t = self.mode(SEARCH_TOL)
        except ValueError:
            self.t = None
            return math.inf, np.zeros_like(p)
        value, slopes = self._value_and_slopes(kernel, a, t)
        gradient = self.theta.pull_back(kernel, slopes)
        if not (math.isfinite(value) and np.all(np.isfinite(gradient))):
            return math.inf, np.zeros_like(p)
        return -value, -gradient

    def log_evidence(self, p: Floats) -> float:
        """The approximate log evidence at one set of parameters, to rounding."""
        try:
            self.fill(self.theta.kernel_at(p))
            return self.value(*self.mode())
        except ValueError:
            return -math.inf

    @abstractmethod
    def value(self, a: Floats, t: Floats) -> float:
        """The approximate log evidence at the mode, everything factored there."""

    @abstractmethod
    def _value_and_slopes(self, kernel: Kernel, a: Floats, t: Floats) -> tuple[float, Any]:
        """The log evidence at the mode, and its derivatives in the kernel's parameters."""

    @abstractmethod
    def objective(self, a: Floats, t: Floats) -> float:
        """What the mode maximises."""

    @abstractmethod
    def _zero(self) -> Floats:
        """Coefficients zero."""

    @abstractmethod
    def _times(self, a: Floats) -> Floats:
        """K a."""

    @abstractmethod
    def _pull(self, t: Floats) -> Floats:
        """First derivative of ln P(y | t)."""

    @abstractmethod
    def _factor_at(self, t: Floats) -> Any:
        """Factor what a step needs at the curvature of these latent values; what `_target` asks."""

    @abstractmethod
    def _target(self, t: Floats, at: Any) -> Floats:
        """Where Newton's method, with the curvature last factored, would go from t."""

    def mode(self, tol: float = NEWTON_TOL, max_iter: int = 500) -> tuple[Floats, Floats]:
        """Dual coefficients and latent values at the mode, and everything factored there.

        While steps shrink fast the factor stays, for it costs as much as ten of them; the last one
        is always made at the mode.
        """
        a, t, value, at = self._begin()
        before, fresh = math.inf, True
        for _ in range(max_iter):
            step = self._target(t, at) - a
            moved = self._times(step)
            promise = 0.5 * float(np.vdot(self._pull(t) - a, moved))
            eta, trial = 1.0, self.objective(a + step, t + moved)
            while trial < value and eta > 0.5**HALVINGS:
                eta *= 0.5
                trial = self.objective(a + eta * step, t + eta * moved)
            gain = trial - value
            if gain >= 0:
                a, t, value = a + eta * step, t + eta * moved, trial
            if promise < tol or (fresh and gain <= 0):  # what is left is rounding
                break
            fresh = not 0 < gain <= SLOW * before or eta < 1.0
            before = gain
            if fresh:
                at, before = self._factor_at(t), math.inf
        self.factor_at_mode(t)
        return a, t

    def factor_at_mode(self, t: Floats) -> None:
        """Factor what predictions need at the latent values of the mode."""
        self._factor_at(t)
        self.t = t

    def _begin(self) -> tuple[Floats, Floats, float, Any]:
        """A first point: one step from the last mode, or zero if that is better."""
        zero = self._zero()
        nothing = self.objective(zero, zero)
        if self.t is not None:
            at = self._factor_at(self.t)
            near = self._target(self.t, at)
            there = self._times(near)
            value = self.objective(near, there)
            if value > nothing:
                return near, there, value, at
        return zero, zero, nothing, self._factor_at(zero)
