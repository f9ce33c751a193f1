"""Paying for several statements at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mercer.bounds.numerics.checks import as_level, check_positive, log_level
from mercer.bounds.numerics.level import Level


def split_delta(delta: float, weights: Sequence[float] | int) -> tuple[Level, ...]:
    """Shares δ·w_i of a union bound; an integer means that many equal shares.

    The weights are a distribution over the statements fixed before the data were seen (Herbrich
    lemma 4.14); they may sum to less than one, never to more.
    """
    level = as_level(delta)
    return tuple(level * w for w in _weights(weights))


def split_log_delta(log_delta: float, weights: Sequence[float] | int) -> tuple[float, ...]:
    """Like :func:`split_delta` for logarithms."""
    level = log_level(None, log_delta)
    return tuple(level + math.log(w) for w in _weights(weights))


def integer_weights(j: int) -> float:
    """A distribution over all integers, 1/(z·(1+|j|)²) with z = π²/3 − 1.

    For scales chosen after the fact: the price of scale 2^j grows only like 2·ln(1+|j|).
    """
    return 1.0 / ((math.pi**2 / 3.0 - 1.0) * (1.0 + abs(j)) ** 2)


def quantifier_reversal(
    alpha: float, beta: float, delta: float | None = None, *, log_delta: float | None = None
) -> float:
    """Ln of the level (αβδ)^{1/(1−β)} at which to evaluate a statement that holds for each fixed
    hypothesis, so that with probability 1−δ it holds for all but a fraction α of them.

    McAllester's quantifier reversal lemma (Herbrich C.10); β in (0, 1) is fixed in advance.
    """
    level = log_level(delta, log_delta)
    if not 0.0 < alpha <= 1.0:
        raise ValueError(f"alpha must lie in (0, 1], got {alpha!r}")
    if not 0.0 < beta < 1.0:
        raise ValueError(f"beta must lie in (0, 1), got {beta!r}")
    return (math.log(alpha) + math.log(beta) + level) / (1.0 - beta)


def _weights(weights: Sequence[float] | int) -> list[float]:
    if isinstance(weights, int):
        if weights < 1:
            raise ValueError(f"at least one statement is needed, got {weights}")
        return [1.0 / weights] * weights
    values = [check_positive(w, "a weight") for w in weights]
    if not values:
        raise ValueError("at least one weight is needed")
    if sum(values) > 1.0 + 1e-9:
        raise ValueError(f"the weights of a union bound must sum to at most 1, got {sum(values)}")
    return values
