"""Log evidence of Gaussian-process regression and its gradient in all hyper-parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.gram import NotPositiveDefiniteError
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.kernels.contraction import contract, contract_diagonal
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.theta import Theta
from mercer.kernels.validate import take

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Likelihood:
    """How targets scatter around the function: variances (alpha + noise) / weight.

    ``alpha`` is known, per row or one number; ``noise`` is learned if ``learn``. A weight is the
    precision of its target relative to the others. It does not count as so many rows: equal
    targets at equal rows, in the evidence too, would say that there is no noise at all.
    """

    alpha: Floats
    weight: Floats
    noise: float
    learn: bool

    def rows(self, index: Any) -> Likelihood:
        """The same for some of the rows."""
        return Likelihood(self.alpha[index], self.weight[index], self.noise, self.learn)

    def split(self, theta: Theta | SklearnTheta, p: Floats) -> tuple[Kernel, float]:
        """The kernel and the noise variance that a vector of parameters stands for."""
        kernel = theta.kernel_at(p[: theta.size])
        return kernel, math.exp(p[-1]) if self.learn else self.noise

    def variances(self, noise: float) -> Floats:
        """Of the targets around the function."""
        return (self.alpha + noise) / self.weight


class RegressionEvidence:
    """ln p(y | parameters) for y ~ N(0, K + noise), summed over the columns of y.

    The parameters are the kernel's `Theta` followed by ln(noise) if it is learned. Calling the
    object returns minus the evidence and its gradient, for a minimiser. One n x n array is used.
    A ``forgiving`` one adds a little to a diagonal that rounding has made singular.

    Formula: -(1/2) [n ln 2 pi + ln |C| + y' C^-1 y], with derivative
    (1/2) tr((a a' - C^-1) dC/dp), a = C^-1 y.
    """

    def __init__(
        self,
        X: Samples,
        y: Floats,
        theta: Theta | SklearnTheta,
        likelihood: Likelihood,
        dtype: Any = np.float64,
        rate: float = 0.0,
        forgiving: bool = True,
    ) -> None:
        self.X, self.y, self.theta, self.likelihood = X, y, theta, likelihood
        self.rate, self.forgiving = rate, forgiving
        self.triangle = Triangle(len(y), dtype)

    def split(self, p: Floats) -> tuple[Kernel, float]:
        """The kernel and the noise variance that a vector of parameters stands for."""
        return self.likelihood.split(self.theta, p)

    def factored(self, kernel: Kernel, noise: float) -> tuple[Floats, float]:
        """Factor the covariance in place; the dual coefficients and the log evidence."""
        triangle = self.triangle

        def fill() -> None:
            triangle.fill(kernel, self.X)
            triangle.add_diagonal(self.likelihood.variances(noise))

        fill()
        triangle.factor(fill if self.forgiving else None)
        a = triangle.solve(self.y)
        n, outputs = self.y.shape
        fit = outputs * triangle.log_determinant() + float(np.vdot(self.y, a))
        return a, -0.5 * (fit + n * outputs * math.log(2.0 * math.pi))

    def __call__(self, p: Floats) -> tuple[float, Floats]:
        kernel, noise = self.split(p)
        try:
            a, value = self.factored(kernel, noise)
        except (NotPositiveDefiniteError, ValueError):
            return math.inf, np.zeros_like(p)
        self.triangle.invert()
        slopes, diagonal = trace_with_derivatives(kernel, self.X, a, self.triangle)
        gradient = self.theta.pull_back(kernel, slopes)
        if self.likelihood.learn:
            own = 0.5 * float(diagonal @ (1.0 / self.likelihood.weight))
            gradient = np.append(gradient, own * noise)
        prior, push = self._relevance_prior(p)
        if not (math.isfinite(value) and np.all(np.isfinite(gradient))):
            return math.inf, np.zeros_like(p)
        return -value - prior, -gradient - push

    def _relevance_prior(self, p: Floats) -> tuple[float, Floats]:
        """An exponential prior on every inverse squared length scale, if a rate was given."""
        push = np.zeros_like(p)
        if self.rate == 0.0:
            return 0.0, push
        here = [i for i, name in enumerate(self.theta.names) if "length_scale" in name]
        inverse = np.exp(-2.0 * p[here])
        push[here] = 2.0 * self.rate * inverse
        return -self.rate * float(inverse.sum()), push


def trace_with_derivatives(
    kernel: Kernel,
    X: Samples,
    a: Floats,
    inverse: Triangle,
    extra: tuple[Floats, Floats] | None = None,
    gram: Triangle | None = None,
) -> tuple[dict[str, Any], Floats]:
    """(1/2) tr(M dK/dp) for M = a a' - k C^-1 (+ u v' + v u'), and the diagonal of M.

    ``a`` has one column per output (k of them), u and v as many columns as each other;
    ``inverse`` holds the lower triangle of C^-1, and is left as it is. ``gram`` holds the Gram
    matrix, if the caller has it; its diagonal is not read. Works on a group of rows at a time.
    """
    outputs = a.shape[1]
    diagonal = np.einsum("ij,ij->i", a, a) - outputs * inverse.diagonal()
    if extra is not None:
        diagonal += 2.0 * np.einsum("ij,ij->i", *extra)
    if isinstance(kernel, Precomputed):
        return {}, diagonal
    slopes = {name: 0.5 * s for name, s in contract_diagonal(kernel, X, diagonal).items()}
    for start, stop in inverse.blocks():
        W = a[start:stop] @ a[:stop].T
        W -= outputs * inverse.array[start:stop, :stop]
        if extra is not None:
            u, v = extra
            W += u[start:stop] @ v[:stop].T + v[start:stop] @ u[:stop].T
        # an entry below the diagonal stands for two, and one on or above it was counted or will be
        W[:, start:] = np.tril(W[:, start:], k=-1)
        part, before = take(X, slice(start, stop)), take(X, slice(0, stop))
        K = None if gram is None else gram.array[start:stop, :stop]
        for name, slope in contract(kernel, part, before, W, K).items():
            slopes[name] = slopes[name] + slope
    return slopes, diagonal
