"""Exponential families a0(θ)·τ0(x)·exp(θ·τ(x)), one number at a time, and their likeliest θ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import digamma, gammaln, polygamma, xlogy

from mercer._storable import record

Floats = NDArray[np.float64]


@record("exponential-family")
@dataclass(frozen=True)
class Family:
    """``statistics(x)`` and ``fit(x, weight)`` have a last axis of τ's length.

    ``fit`` takes the rows of one class, shape (n, d), and returns θ of shape (d, len τ);
    ``log_a0(θ)`` has shape (d,). ``domain(x)`` is True where x is possible. Families in which a
    zero is possible have τ(0) = 0 and take sparse rows: τ is then asked of what is stored.
    """

    name: str
    statistics: Callable[[Floats], Floats]
    fit: Callable[[Floats, Floats], Floats]
    log_a0: Callable[[Floats], Floats]
    domain: Callable[[Floats], NDArray[np.bool_]]
    wants: str


def _mean(x: Any, weight: Floats) -> Floats:
    return np.asarray(weight @ x) / weight.sum()


def _identity(x: Floats) -> Floats:
    return x[..., None]


# -- normal ----------------------------------------------------------------------------------------


def _variance(x: Any, mean: Floats, weight: Floats) -> Floats:
    """Mean of (x − mean)²; of sparse columns the zeros are added at once."""
    if not sparse.issparse(x):
        return _mean((x - mean) ** 2, weight)
    own = np.repeat(weight, np.diff(x.indptr))
    stored = np.bincount(x.indices, own * (x.data - mean[x.indices]) ** 2, x.shape[1])
    zeros = weight.sum() - np.bincount(x.indices, own, x.shape[1])
    return (stored + np.maximum(zeros, 0.0) * mean**2) / weight.sum()


def _largest(x: Any) -> float:
    return float(np.max(np.abs(x.data if sparse.issparse(x) else x), initial=0.0))


def _fit_normal(x: Any, weight: Floats) -> Floats:
    mean = _mean(x, weight)
    spread = _variance(x, mean, weight)
    # A column that is constant within a class has no density; the floor keeps it comparable. If all
    # are, as with one row per class, the size of the numbers says what is small.
    widest = float(np.max(spread, initial=0.0)) or _largest(x) ** 2 or 1.0
    spread = np.maximum(spread, 1e-9 * widest)
    return np.stack([mean / spread, -0.5 / spread], axis=-1)


def _normal_a0(theta: Floats) -> Floats:
    first, second = theta[..., 0], theta[..., 1]
    return 0.5 * np.log(-second / np.pi) + first**2 / (4.0 * second)


# -- one parameter ---------------------------------------------------------------------------------

SMOOTHING = 0.5  # a pseudo-count on either side keeps the estimates off the boundary


def _fit_bernoulli(x: Any, weight: Floats) -> Floats:
    ones = (weight @ x + SMOOTHING) / (weight.sum() + 2 * SMOOTHING)
    return np.log(ones / (1.0 - ones))[:, None]


def _fit_poisson(x: Any, weight: Floats) -> Floats:
    return np.log((weight @ x + SMOOTHING) / (weight.sum() + SMOOTHING))[:, None]


def _fit_multinomial(x: Any, weight: Floats) -> Floats:
    """Logarithms of the shares of the columns: a row is a sample of its size from them."""
    counts = weight @ x + SMOOTHING
    return np.log(counts / counts.sum())[:, None]


def _fit_exponential(x: Any, weight: Floats) -> Floats:
    return -1.0 / np.maximum(_mean(x, weight), 1e-300)[:, None]


# -- two parameters by Newton's method -------------------------------------------------------------


def _fit_gamma(x: Floats, weight: Floats) -> Floats:
    """Shape a with ln a − ψ(a) = ln(mean) − mean(ln), scale mean/a (Minka 2002)."""
    mean = _mean(x, weight)
    gap = np.maximum(np.log(mean) - _mean(np.log(x), weight), 1e-12)
    shape = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(50):
        slope = 1.0 / shape - polygamma(1, shape)
        inverse = 1.0 / shape + (np.log(shape) - digamma(shape) - gap) / (shape**2 * slope)
        shape = 1.0 / np.maximum(inverse, 1e-12)
    return np.stack([shape, -shape / mean], axis=-1)


def _gamma_a0(theta: Floats) -> Floats:
    shape, rate = theta[..., 0], -theta[..., 1]
    return xlogy(shape, rate) - gammaln(shape)


def _fit_beta(x: Floats, weight: Floats) -> Floats:
    """Solve ψ(a) − ψ(a + b) = mean ln x and its mirror image, from the moments."""
    left, right = _mean(np.log(x), weight), _mean(np.log1p(-x), weight)
    mean = _mean(x, weight)
    spread = np.maximum(_mean((x - mean) ** 2, weight), 1e-9)
    total = np.maximum(mean * (1.0 - mean) / spread - 1.0, 0.1)
    a, b = mean * total, (1.0 - mean) * total
    for _ in range(100):
        first = digamma(a) - digamma(a + b) - left
        second = digamma(b) - digamma(a + b) - right
        shared = polygamma(1, a + b)
        aa, bb = polygamma(1, a) - shared, polygamma(1, b) - shared
        det = aa * bb - shared**2
        step_a = (bb * first + shared * second) / det
        step_b = (aa * second + shared * first) / det
        a, b = np.maximum(a - step_a, 0.1 * a), np.maximum(b - step_b, 0.1 * b)
    return np.stack([a, b], axis=-1)


def _beta_a0(theta: Floats) -> Floats:
    a, b = theta[..., 0], theta[..., 1]
    return gammaln(a + b) - gammaln(a) - gammaln(b)


FAMILIES = {
    family.name: family
    for family in (
        Family(
            "normal",
            lambda x: np.stack([x, x**2], axis=-1),
            _fit_normal,
            _normal_a0,
            np.isfinite,
            "finite numbers",
        ),
        Family(
            "bernoulli",
            _identity,
            _fit_bernoulli,
            lambda theta: -np.logaddexp(0.0, theta[..., 0]),
            lambda x: (x == 0) | (x == 1),
            "0 and 1",
        ),
        Family(
            "poisson",
            _identity,
            _fit_poisson,
            lambda theta: -np.exp(theta[..., 0]),
            lambda x: (x >= 0) & (x == np.round(x)),
            "counts 0, 1, 2, ...",
        ),
        Family(
            "multinomial",
            _identity,
            _fit_multinomial,
            lambda theta: np.zeros(theta.shape[:-1]),  # the shares sum to 1 already
            lambda x: x >= 0,
            "numbers >= 0",
        ),
        Family(
            "exponential",
            _identity,
            _fit_exponential,
            lambda theta: np.log(-theta[..., 0]),
            lambda x: x >= 0,
            "numbers >= 0",
        ),
        Family(
            "gamma",
            lambda x: np.stack([np.log(x), x], axis=-1),
            _fit_gamma,
            _gamma_a0,
            lambda x: x > 0,
            "numbers > 0",
        ),
        Family(
            "beta",
            lambda x: np.stack([np.log(x), np.log1p(-x)], axis=-1),
            _fit_beta,
            _beta_a0,
            lambda x: (x > 0) & (x < 1),
            "numbers strictly between 0 and 1",
        ),
    )
}
