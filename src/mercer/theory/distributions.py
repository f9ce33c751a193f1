"""Common laws: means and variances, exponential families (tables A.1 and A.2, corrected).

p(x) = a₀(θ)·τ₀(x)·exp(θ·τ(x)). `FAMILIES` maps a name to its family; parameters are the usual ones
(Bernoulli p; binomial n, p; Poisson λ; exponential rate; normal μ, σ²; gamma shape, scale; beta).
The normal law in several dimensions is in `mercer.theory.gaussian`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, root
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

    def from_mean(self, target: Numbers) -> Numbers:
        """The usual parameters at which E τ(x) is ``target``: what maximum likelihood solves."""
        if self.name in _FROM_MEAN:
            return _FROM_MEAN[self.name](target)
        for method in ("hybr", "lm"):  # each finds what the other sometimes misses
            found = root(
                lambda u: np.subtract(self.mean(tuple(np.exp(u))), target),
                np.zeros(len(target)),
                method=method,
            )
            if found.success and np.abs(found.fun).max() < 1e-6:
                return tuple(float(v) for v in np.exp(found.x))
        raise ValueError(f"found no {self.name} law with E τ(x) = {target}")


def _gamma_from_mean(target: Numbers) -> Numbers:
    """ψ(a) − ln a = E ln x − ln E x, whose left side grows from −∞ to 0."""
    gap = target[0] - math.log(target[1])
    if not gap < 0:
        raise ValueError(f"there is no gamma law with E τ(x) = {target}")
    log_shape = brentq(lambda u: float(digamma(math.exp(u))) - u - gap, -30.0, 30.0)
    return math.exp(log_shape), target[1] / math.exp(log_shape)


_FROM_MEAN: dict[str, Callable[[Numbers], Numbers]] = {
    "bernoulli": lambda t: (t[0],),
    "poisson": lambda t: (t[0],),
    "exponential": lambda t: (1.0 / t[0],),
    "normal": lambda t: (t[0], t[1] - t[0] ** 2),
    "gamma": _gamma_from_mean,
}


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


# mean and variance from the usual parameters
MOMENTS: dict[str, Callable[..., tuple[float, float]]] = {
    "bernoulli": lambda p: (p, p * (1.0 - p)),
    "binomial": lambda n, p: (n * p, n * p * (1.0 - p)),
    "poisson": lambda rate: (rate, rate),
    "uniform on a set": lambda *points: (float(np.mean(points)), float(np.var(points))),
    "uniform": lambda a, b: (0.5 * (a + b), (b - a) ** 2 / 12.0),
    "exponential": lambda rate: (1.0 / rate, 1.0 / rate**2),
    "normal": lambda mu, variance: (mu, variance),
    "gamma": lambda a, b: (a * b, a * b * b),
    "beta": lambda a, b: (a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1.0))),
}


def beta_posterior(a: float, b: float, successes: int, trials: int) -> tuple[float, float]:
    """Beta(a, b) after ``successes`` of ``trials``: Beta(a + i, b + n − i)."""
    return a + successes, b + trials - successes
