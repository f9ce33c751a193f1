"""Laplace's approximation of Gaussian-process classification: mode, evidence, gradient.

Newton's method of the text's B.7.3 in the form that never inverts the Gram matrix: with
W = -∂² ln P/∂t² the matrix B = I + W^½ K W^½ is always well conditioned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.theta import Theta
from mercer.learners.bayes.gp._evidence import trace_with_derivatives
from mercer.learners.bayes.gp._laplace_mode import LatentMode
from mercer.learners.bayes.gp.links import Link

Floats = NDArray[np.float64]


class LaplaceEvidence(LatentMode):
    """Minus the approximate log evidence of labels ±1, for a minimiser. Two n x n arrays.

    ``noise`` is the text's σ_t²: added to the diagonal of the training Gram.
    """

    def __init__(
        self,
        X: Samples,
        y: Floats,
        weight: Floats,
        theta: Theta | SklearnTheta,
        link: Link,
        noise: float = 0.0,
        dtype: Any = np.float64,
    ) -> None:
        self.X, self.y, self.weight, self.theta, self.link = X, y, weight, theta, link
        self.noise = noise
        self.K, self.B = Triangle(len(y), dtype), Triangle(len(y), dtype)

    def objective(self, a: Floats, t: Floats) -> float:
        """Ln P(y | t) - ½ a' t, what the mode maximises."""
        return float(self.weight @ self.link.log_likelihood(self.y, t) - 0.5 * a @ t)

    def value(self, a: Floats, t: Floats) -> float:
        return self.objective(a, t) - 0.5 * self.B.log_determinant()

    def factor_scaled(self, root: Floats) -> None:
        """Factor B = I + root K root."""
        for start, stop in self.K.blocks():
            block = self.K.array[start:stop, :stop] * root[:stop].astype(self.K.array.dtype)
            block *= root[start:stop, None].astype(self.K.array.dtype)
            self.B.array[start:stop, :stop] = block
        self.B.add_diagonal(1.0)
        self.B.factor()

    def _zero(self) -> Floats:
        return np.zeros(len(self.y))

    def _times(self, a: Floats) -> Floats:
        return self.K.times(a)

    def _pull(self, t: Floats) -> Floats:
        return self.weight * self.link.derivatives(self.y, t)[0]

    def _factor_at(self, t: Floats) -> Floats:
        """Factor B at the curvature of these latent values, and return that curvature."""
        bend = self.weight * self.link.derivatives(self.y, t)[1]
        self.factor_scaled(np.sqrt(bend))
        return bend

    def _target(self, t: Floats, at: Floats) -> Floats:
        root, b = np.sqrt(at), at * t + self._pull(t)
        return b - root * self.B.solve(root * self.K.times(b))

    def _value_and_slopes(self, kernel: Kernel, a: Floats, t: Floats) -> tuple[float, Any]:
        value = self.value(a, t)
        first, bend, quotient = self.link.derivatives(self.y, t)
        first, bend = self.weight * first, self.weight * bend
        self.B.invert()
        # half the third derivative times the posterior variance (1 - B^-1_ii) / W_i
        pull = 0.5 * (1.0 - self.B.diagonal()) * quotient
        self._scale_inverse(np.sqrt(bend))
        shift = pull - self.B.times(self.K.times(pull))
        slopes, _ = trace_with_derivatives(
            kernel, self.X, a[:, None], self.B, (shift[:, None], first[:, None]), self.K
        )
        return value, slopes

    def _scale_inverse(self, root: Floats) -> None:
        """B^-1 becomes R = W^½ B^-1 W^½ = (K + W^-1)^-1, in place."""
        root = root.astype(self.B.array.dtype)
        for start, stop in self.B.blocks():
            self.B.array[start:stop, :stop] *= root[:stop]
            self.B.array[start:stop, :stop] *= root[start:stop, None]
