"""Refuse nonsense before it becomes a number that somebody signs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral
from typing import TypeVar

from mercer.bounds.numerics.level import Level

T = TypeVar("T")


def log_level(delta: float | None = None, log_delta: float | None = None) -> float:
    """Return ln(δ) from exactly one of ``delta`` in (0, 1) or ``log_delta`` < 0.

    Compression and scale arguments ask for δ as small as e^-100000, so every tail accepts the
    logarithm as well.
    """
    return as_level(delta, log_delta).log


def as_level(delta: float | None = None, log_delta: float | None = None) -> Level:
    """Exactly one of ``delta`` in (0, 1) and ``log_delta`` < 0 as a `Level`."""
    if (delta is None) == (log_delta is None):
        raise ValueError("give exactly one of delta and log_delta")
    if delta is not None:
        return check_delta(delta)
    try:
        log = float(log_delta)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        log = math.nan
    if not -math.inf < log < 0:
        raise ValueError(f"log_delta must be a finite negative number, got {log_delta!r}")
    return Level.from_log(log)


def check_delta(delta: float) -> Level:
    """Return ``delta`` if it is a probability strictly between 0 and 1."""
    if isinstance(delta, Level) and delta.log < 0:
        return delta
    try:
        value = float(delta)
    except (TypeError, ValueError):
        raise ValueError(f"delta must be a number in (0, 1), got {delta!r}") from None
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"delta is the probability that the statement fails and must lie in (0, 1), "
            f"got {delta!r}; 0.05 means 95 % confidence, and log_delta takes logarithms"
        )
    return Level(value)


def level_or_default(delta: float | None, log_delta: float | None) -> Level:
    """A `Level` from either argument; 0.05 if none is given."""
    return as_level(0.05 if delta is None and log_delta is None else delta, log_delta)


def check_counts(k: int, m: int, *, what: str = "errors") -> tuple[int, int]:
    """Return ``(k, m)`` as integers with ``0 <= k <= m`` and ``m >= 1``."""
    k, m = as_count(k, what), as_count(m, "trials")
    if m < 1:
        raise ValueError(f"at least one trial is needed, got m={m}")
    if k > m:
        raise ValueError(f"{k} {what} among {m} trials is impossible")
    return k, m


def as_count(value: float, what: str) -> int:
    """Return ``value`` as a non-negative integer."""
    if isinstance(value, Integral):
        count = int(value)
    else:
        number = float(value)
        if math.isnan(number) or math.isinf(number) or number != math.floor(number):
            raise ValueError(f"{what} must be a whole number, got {value!r}")
        count = int(number)
    if count < 0:
        raise ValueError(f"{what} must not be negative, got {value!r}")
    return count


def at_most_one(log_tail: float) -> float:
    """e^``log_tail`` as a probability: what a union bound gives beyond one says nothing."""
    return math.exp(min(0.0, log_tail))


def check_choice(name: str, table: Mapping[str, T], what: str) -> T:
    """Return ``table[name]``, or say which names there are."""
    if name not in table:
        raise ValueError(f"{what} must be one of {sorted(table)}, got {name!r}")
    return table[name]


def check_unit(value: float, what: str) -> float:
    """Return ``value`` if it lies in [0, 1]."""
    value = float(value)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} must lie in [0, 1], got {value!r}")
    return value


def check_positive(value: float, what: str) -> float:
    """Return ``value`` if it is positive and finite."""
    value = float(value)
    if not 0.0 < value < math.inf:
        raise ValueError(f"{what} must be positive and finite, got {value!r}")
    return value


def check_nonnegative(value: float, what: str) -> float:
    """Return ``value`` if it is at least zero and finite."""
    value = float(value)
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{what} must be at least zero and finite, got {value!r}")
    return value
