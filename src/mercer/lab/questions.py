"""Questions of the page as dataclasses whose fields know what they accept.

Everything a view is asked arrives as JSON and is read by `read_question`: unknown names, wrong
types, numbers out of range and lists that are too long are refused before a view sees them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, field, fields
from typing import Any, TypeVar

import numpy as np

from mercer.errors import UserError

T = TypeVar("T")
Reader = Callable[[str, Any], Any]


def number(low: float, high: float, default: Any = MISSING) -> Any:
    """A field for a number between two others."""

    def read(name: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{name} must be a number.")
        if not (math.isfinite(value) and low <= value <= high):
            raise UserError(f"{name} must lie between {low:g} and {high:g}, not {value:g}.")
        return float(value)

    return _field(read, default)


def whole(low: int, high: int, default: Any = MISSING) -> Any:
    """A field for a whole number."""

    def read(name: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UserError(f"{name} must be a whole number between {low} and {high:,}.")
        return value

    return _field(read, default)


def word(longest: int = 200, default: Any = MISSING) -> Any:
    """A field for a text."""

    def read(name: str, value: object) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise UserError(f"{name} must be a text of at most {longest} characters.")
        return value

    return _field(read, default)


def one_of(*choices: str, default: Any = MISSING) -> Any:
    """A field for one of a few words; the first is the default."""

    def read(name: str, value: object) -> str:
        if value not in choices:
            raise UserError(f"{name} must be one of {', '.join(choices)}.")
        return str(value)

    return _field(read, choices[0] if default is MISSING else default)


def words(most: int = 1000, longest: int = 1000) -> Any:
    """A field for several texts; none by default."""

    def read(name: str, value: Any) -> tuple[str, ...]:
        texts = isinstance(value, list) and all(isinstance(v, str) for v in value)
        if not texts or len(value) > most or any(len(v) > longest for v in value):
            raise UserError(f"{name} must be a list of at most {most} texts.")
        return tuple(value)

    return _field(read, ())


def switch(default: bool) -> Any:
    """A field for yes or no."""

    def read(name: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise UserError(f"{name} must be true or false.")
        return value

    return _field(read, default)


def rows_of(width: int | None, most: int, limit: float = 1e6) -> Any:
    """A field for rows of numbers, as an array; ``width=None`` takes a square matrix."""

    def read(name: str, value: object) -> Any:
        shape = f"{width} numbers each" if width else "as many numbers each"
        wrong = UserError(f"{name} must be a list of at most {most:,} rows of {shape}.")
        if not isinstance(value, list) or len(value) > most:
            raise wrong
        wide = width or len(value)
        if not all(isinstance(row, list) and len(row) == wide for row in value):
            raise wrong
        flat = [x for row in value for x in row]
        if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in flat):
            raise wrong
        found = np.array(flat, dtype=np.float64).reshape(len(value), wide)
        if not np.all(np.abs(found) <= limit):  # also NaN
            raise UserError(f"{name} must hold numbers between {-limit:g} and {limit:g}.")
        return found

    return _field(read, MISSING)


def facts(most: int = 200) -> Any:
    """A field for names with numbers, words or yes and no; the view checks them."""

    def read(name: str, value: Any) -> dict[str, Any]:
        plain = isinstance(value, dict) and len(value) <= most
        if not plain or not all(isinstance(v, int | float | str | None) for v in value.values()):
            raise UserError(f"{name} must be an object of at most {most} plain values.")
        return dict(value)

    return _field(read, dict)


def _field(read: Reader, default: Any) -> Any:
    if callable(default):
        return field(default_factory=default, metadata={"read": read})
    return field(default=default, metadata={"read": read})


def read_question(kind: type[T], body: Any) -> T:
    """The question that a JSON body holds.

    Raises
    ------
    UserError
        Naming the field and what it accepts.
    """
    if not isinstance(body, dict):
        raise UserError("a question is a JSON object.")
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    for name in body:
        if name not in known:
            raise UserError(f"there is nothing called {str(name)[:80]!r} in this question.")
    missing = [n for n, f in known.items() if n not in body and f.default is MISSING
               and f.default_factory is MISSING]  # fmt: skip
    if missing:
        raise UserError(f"the question does not say {missing[0]}.")
    return kind(**{name: known[name].metadata["read"](name, value) for name, value in body.items()})
