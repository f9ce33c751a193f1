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
CONVENTIONS = ("scale", "twice", "square")
LINKS = ("logistic", "probit")
NODES = 201
# The logistic function as a mixture of eight error functions, Σ p Φ(s t), to 3e-9 (Monahan and
# Stefanski 1992): its average under a Gaussian is then closed.
SHARES = (
    0.003246343272134, 0.051517477033972, 0.195077912673858, 0.315569823632818,
    0.274149576158423, 0.131076880695470, 0.027912418727972, 0.001449567805354,
)  # fmt: skip
SLOPES = (
    1.365340806296348, 1.059523971016916, 0.830791313765644, 0.650732166639391,
    0.508135425366489, 0.396313345166341, 0.308904252267995, 0.238212616409306,
)  # fmt: skip
WIDE = 2.0  # logistic widths: from here on the trapezoidal rule needs many nodes
SPREAD = 8.0  # standard deviations: beyond, a Gaussian has nothing left


def slope(beta: float, convention: str) -> float:
    """The factor of the latent value if β is its scale, twice that scale, or its square.

    The text has all three: 1/(1+exp(-t/β)) in its appendix B.7, 1/(1+exp(-2t/β)) in (3.16), and a
    Gram matrix divided by β in algorithm 5.
    """
    if not beta > 0 or not np.isfinite(beta):
        raise ValueError(f"beta must be positive and finite, got {beta!r}")
    factors = {"scale": 1.0 / beta, "twice": 2.0 / beta, "square": 1.0 / np.sqrt(beta)}
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

    def slopes(self, y: Floats, t: Floats) -> Floats:
        """The first derivative of ln P(y | t) of each row."""
        z = self.slope * y * t
        if self.kind == "logistic":
            return self.slope * y * expit(-z)
        return self.slope * y * np.exp(-0.5 * z**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(z))

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

    def mean_probability(self, means: Floats, variance: Floats) -> Floats:
        """The same for many means of each row, averaged over them: (rows, means) and (rows,)."""
        if self.kind == "probit":
            return self.probability(means, variance[:, None]).mean(axis=1)
        result = np.empty(len(means))
        width = self.slope * np.sqrt(variance)
        wide = width > WIDE
        result[wide] = self._by_error_functions(means[wide], variance[wide])
        narrow, width = self.slope * means[~wide], width[~wide, None]
        # a step of 0.4, and of 0.4 logistic widths, is exact to rounding
        nodes = int(np.ceil(2.0 * SPREAD / 0.4 * max(1.0, width.max(initial=0.0)))) + 1
        z = np.linspace(-SPREAD, SPREAD, nodes)
        weight = np.exp(-0.5 * z**2)
        total = np.zeros(len(narrow))
        for node, share in zip(z, weight / weight.sum(), strict=True):
            total += share * expit(narrow + node * width).mean(axis=1)
        result[~wide] = total
        return result

    def _by_error_functions(self, means: Floats, variance: Floats) -> Floats:
        total = np.zeros(len(means))
        for share, slope in zip(SHARES, SLOPES, strict=True):
            own = slope * self.slope
            flat = own / np.sqrt(1.0 + own**2 * variance)
            total += share * ndtr(means * flat[:, None]).mean(axis=1)
        return total
