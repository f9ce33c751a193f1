"""Exponential families: natural and mean parameters, log densities (table A.2, corrected).

p(x) = a₀(θ)·τ₀(x)·exp(θ·τ(x)). `FAMILIES` maps a name to its family; parameters are the usual ones
(Bernoulli p; binomial n, p; Poisson λ; exponential rate; normal μ, σ²; gamma shape, scale; beta).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, digamma, gammaln

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Family:
    """One exponential family on the line.

    ``to_natural`` turns the usual parameters into θ, ``to_usual`` back, ``mean`` gives E τ(x) from
    the usual parameters, ``log_a0`` the log normaliser at θ.
    """

    name: str
    to_natural: Callable[[Numbers], Numbers]
    to_usual: Callable[[Numbers], Numbers]
    log_a0: Callable[[Numbers], float]
    log_tau0: Callable[[float], float]
    tau: Callable[[float], Numbers]
    mean: Callable[[Numbers], Numbers]

    def log_density(self, x: float, *params: float) -> float:
        """Ln p(x) through the natural parameters."""
        theta = self.to_natural(params)
        dot = sum(t * s for t, s in zip(theta, self.tau(x), strict=True))
        return self.log_a0(theta) + self.log_tau0(x) + dot


def _logit(p: float) -> float:
    return math.log(p) - math.log1p(-p)


def _sigmoid(t: float) -> float:
    return 1.0 / (1.0 + math.exp(-t))


def binomial(n: int) -> Family:
    """Number of successes out of a known ``n``."""
    return Family(
        "binomial",
        lambda q: (_logit(q[0]),),
        lambda t: (_sigmoid(t[0]),),
        lambda t: -n * float(np.logaddexp(0.0, t[0])),
        lambda x: float(gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)),
        lambda x: (x,),
        lambda q: (n * q[0],),
    )


FAMILIES: dict[str, Family] = {
    "bernoulli": Family(
        "bernoulli",
        lambda q: (_logit(q[0]),),
        lambda t: (_sigmoid(t[0]),),
        lambda t: -float(np.logaddexp(0.0, t[0])),
        lambda x: 0.0,
        lambda x: (x,),
        lambda q: (q[0],),
    ),
    "poisson": Family(
        "poisson",
        lambda q: (math.log(q[0]),),
        lambda t: (math.exp(t[0]),),
        lambda t: -math.exp(t[0]),
        lambda x: -float(gammaln(x + 1)),
        lambda x: (x,),
        lambda q: (q[0],),
    ),
    "exponential": Family(
        "exponential",
        lambda q: (-q[0],),
        lambda t: (-t[0],),
        lambda t: math.log(-t[0]),
        lambda x: 0.0,
        lambda x: (x,),
        lambda q: (1.0 / q[0],),
    ),
    "normal": Family(
        "normal",
        lambda q: (q[0] / q[1], -0.5 / q[1]),
        lambda t: (-0.5 * t[0] / t[1], -0.5 / t[1]),
        lambda t: 0.5 * math.log(-t[1] / math.pi) + t[0] ** 2 / (4.0 * t[1]),
        lambda x: 0.0,
        lambda x: (x, x * x),
        lambda q: (q[0], q[0] ** 2 + q[1]),
    ),
    "gamma": Family(
        "gamma",
        lambda q: (q[0], -1.0 / q[1]),
        lambda t: (t[0], -1.0 / t[1]),
        lambda t: t[0] * math.log(-t[1]) - math.lgamma(t[0]),
        lambda x: -math.log(x),
        lambda x: (math.log(x), x),
        lambda q: (float(digamma(q[0])) + math.log(q[1]), q[0] * q[1]),
    ),
    "beta": Family(
        "beta",
        lambda q: (q[0], q[1]),
        lambda t: (t[0], t[1]),
        lambda t: -float(betaln(t[0], t[1])),
        lambda x: -math.log(x) - math.log1p(-x),
        lambda x: (math.log(x), math.log1p(-x)),
        lambda q: (
            float(digamma(q[0]) - digamma(q[0] + q[1])),
            float(digamma(q[1]) - digamma(q[0] + q[1])),
        ),
    ),
}


def beta_posterior(a: float, b: float, successes: int, trials: int) -> tuple[float, float]:
    """Beta(a, b) after ``successes`` of ``trials``: Beta(a + i, b + n − i)."""
    return a + successes, b + trials - successes
