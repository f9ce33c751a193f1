"""How probable it is that two inputs are equal, from how often they were; what a hash costs then.

A keyed hash sends every input to one of several models, equal inputs to the same one. Over the key
the risk is a sum of independent terms, one per input x, each between 0 and P(x): by Hoeffding's
inequality it exceeds its mean by more than √(c·ln(1/δ)/2) with probability at most δ, where
c = Σ P(x)² is the probability that two rows are equal. The limits on c are proved in
``docs/theory/repeated-inputs.md``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mercer.bounds.numerics.checks import check_counts, check_unit, log_level
from mercer.bounds.numerics.relative_entropy import kl_upper
from mercer.bounds.numerics.root import increasing_root

_RATES = np.geomspace(1e-4, 40.0, 240)  # any of them is valid, so is the best
_MEDIAN = math.log(2.0)  # a Poisson number of mean n is at most n with probability 1/2


def hash_radius(c: float, delta: float | None = None, *, log_delta: float | None = None) -> float:
    """√(c·ln(1/δ)/2): how far a hashed mixture may lie above the mean of its models."""
    return math.sqrt(0.5 * check_unit(c, "c") * -log_level(delta, log_delta))


def collision_upper(n: int, repeated: int, equal_pairs: int, delta: float) -> float:
    """Upper limit on P(X = X') after n rows, the better of two at δ/2 each.

    ``repeated`` rows are equal to an earlier one, ``equal_pairs`` of the n(n − 1)/2 pairs are
    equal. Few repetitions make the first limit small, many inputs of small weight the second.
    """
    repeated, n = check_counts(repeated, n, what="repeated rows")
    log_half = log_level(delta) - math.log(2.0)
    few = _from_repeated(n, repeated, log_half)
    pairs = n * (n - 1) // 2
    if not pairs:
        return 1.0
    many = kl_upper(min(1.0, equal_pairs / pairs), -log_half / (n // 2))
    return min(1.0, few, many)


def _from_repeated(n: int, repeated: int, log_delta: float) -> float:
    """(s/n)², s the largest with 2·min_λ exp(λ·repeated − ψ_λ(s)) ≥ δ."""

    def short(s: float) -> float:
        return float(np.max(_exponent(s) - _RATES * repeated)) + log_delta - _MEDIAN

    if short(float(n)) <= 0.0:
        return 1.0
    return (increasing_root(short, 0.0, float(n), safe="above") / n) ** 2


def _exponent(s: float) -> NDArray[np.float64]:
    """ψ_λ(s) = s − ln(1 + e^λ(e^{s·e^{−λ}} − 1)) for all λ."""
    scaled = s * np.exp(-_RATES)
    log_expm1 = scaled + np.log(-np.expm1(-scaled)) if s > 0 else np.full_like(scaled, -np.inf)
    return s - np.logaddexp(0.0, _RATES + log_expm1)
