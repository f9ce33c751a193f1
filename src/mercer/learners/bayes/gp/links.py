"""From a latent function to a class: the noise links of the text, and the probit.

The text uses three meanings of its noise level β. ``slope`` translates them: P(+1 | t) is
link(slope · t).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_ndtr, ndtr

Floats = NDArray[np.float64]
CONVENTIONS = ("B.7", "3.16", "algorithm 5")
LINKS = ("logistic", "probit")
NODES = 201
SPREAD = 8.0  # standard deviations: beyond, a Gaussian has nothing left


def slope(beta: float, convention: str) -> float:
    """The factor of the latent value under a convention of the text.

    "B.7": 1/(1+exp(-t/β)); "3.16": 1/(1+exp(-2t/β)); "algorithm 5": the Gram matrix is divided by
    β, which is B.7 with √β.
    """
    if not beta > 0 or not np.isfinite(beta):
        raise ValueError(f"beta must be positive and finite, got {beta!r}")
    factors = {"B.7": 1.0 / beta, "3.16": 2.0 / beta, "algorithm 5": 1.0 / np.sqrt(beta)}
    if convention not in factors:
        raise ValueError(f"convention must be one of {CONVENTIONS}, got {convention!r}")
    return float(factors[convention])


@dataclass(frozen=True)
class Link:
    """ln P(y | t) with its derivatives in t, for y = -1 or +1."""

    kind: str = "logistic"
    slope: float = 1.0

    def log_likelihood(self, y: Floats, t: Floats) -> Floats:
        """Ln P(y | t) of each row."""
        z = self.slope * y * t
        return log_expit(z) if self.kind == "logistic" else log_ndtr(z)

    def derivatives(self, y: Floats, t: Floats) -> tuple[Floats, Floats, Floats]:
        """First derivative, minus the second, and the third one divided by minus the second.

        The last quotient stays finite where the second derivative vanishes.
        """
        c, z = self.slope, self.slope * y * t
        if self.kind == "logistic":
            p = expit(c * t)
            first = c * ((y + 1.0) / 2.0 - p)
            return first, c**2 * p * (1.0 - p), -c * (1.0 - 2.0 * p)
        ratio = np.exp(-0.5 * z**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(z))
        falling = -ratio * (z + ratio)
        bend = ratio * (z + ratio)
        third = -(2.0 * ratio * falling + ratio + z * falling)
        quotient = np.divide(third, bend, out=np.zeros_like(z), where=bend > 1e-300)
        return c * y * ratio, c**2 * bend, c * y * quotient

    def probability(self, mean: Floats, variance: Floats) -> Floats:
        """E P(+1 | t) for t ~ N(mean, variance), by the trapezoidal rule (closed for probit)."""
        if self.kind == "probit":
            return ndtr(self.slope * mean / np.sqrt(1.0 + self.slope**2 * variance))
        width = self.slope * np.sqrt(variance)
        # the rule is exact to rounding while the step is small beside the logistic's width
        nodes = NODES if width.size == 0 or float(width.max()) < 12 else 20 * NODES
        z = np.linspace(-SPREAD, SPREAD, nodes)
        weight = np.exp(-0.5 * z**2)
        weight /= weight.sum()
        result = np.empty_like(mean)
        for start in range(0, len(mean), 4096):
            part = slice(start, start + 4096)
            inner = expit(self.slope * mean[part, None] + width[part, None] * z)
            result[part] = inner @ weight
        return result
