"""Columns of a table, whatever holds it: which are numbers, and which of those hardly ever repeat.

A frame of numbers, dates and texts is no array of numbers; each column is looked at by itself.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._marks import is_gap
from mercer.certification.checks.check import PROJECTIONS, Floats

_HARDLY = 0.9  # of the rows that differ: so many values a column has that hardly ever repeats
STEPS = 16  # of a grid: values so near are as likely as equal ones
_MOST_APART = 64
_BY_CHANCE = 5  # values that meet by chance on so fine a grid, or one in a hundred rows
_DIGITS = 6
_MOST = 256  # columns that are looked at


def numbers_in(cells: NDArray[Any]) -> Floats | None:
    """The cells as numbers, dates as moments, gaps as NaN; None for names and texts."""
    if cells.dtype.kind in "mM":
        unit = "timedelta64[us]" if cells.dtype.kind == "m" else "datetime64[us]"
        moments = cells.astype(unit).astype(np.int64).astype(np.float64)
        return np.where(np.isnat(cells), np.nan, moments)
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float64)
    if cells.dtype.kind != "O":
        return None
    try:
        return np.array([_number(cell) for cell in cells], dtype=np.float64)
    except (TypeError, ValueError):
        return None


def is_date(cells: NDArray[Any]) -> bool:
    """Whether a column holds dates or moments."""
    if cells.dtype.kind != "O":
        return cells.dtype.kind == "M"
    known = [cell for cell in cells if not is_gap(cell)]
    return bool(known) and all(isinstance(cell, date) for cell in known)


def _number(cell: Any) -> float:
    if is_gap(cell):
        return np.nan
    if isinstance(cell, datetime):
        return (cell.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
    if isinstance(cell, date):
        return 86400.0 * cell.toordinal()
    if isinstance(cell, timedelta):
        return cell.total_seconds()
    if isinstance(cell, Number | np.generic) and not isinstance(cell, np.character):
        return float(cell)  # type: ignore[arg-type]
    raise TypeError("a name, whatever its letters are")


def rare_columns(columns: list[Floats | None], firsts: NDArray[np.intp]) -> list[int]:
    """Columns of numbers in which rows that differ hardly ever agree.

    Where only one column is not constant, all its repeats are repeated rows and nothing can be
    read off the others: then its values must have many digits.
    """
    step = max(1, -(-len(columns) // _MOST))
    some = [j for j in range(0, len(columns), step) if columns[j] is not None]
    rare = [j for j in some if _hardly_repeats(columns[j], firsts)]  # type: ignore[arg-type]
    if len(rare) == 1 and not _others_differ(columns, rare[0]):
        rare = [j for j in rare if many_digits(columns[j])]  # type: ignore[arg-type]
    return rare


def _hardly_repeats(column: Floats, firsts: NDArray[np.intp]) -> bool:
    among = column[firsts]
    among = among[np.isfinite(among)]
    if len(among) < max(PROJECTIONS, len(firsts) / 2):
        return False
    return len(np.unique(among)) > _HARDLY * len(among)


def on_a_grid(column: Floats) -> bool:
    """Whether values keep such distances that more than a few would meet by chance."""
    values = np.unique(column[np.isfinite(column)])
    within = np.searchsorted(values, values + reach(values), side="right")
    pairs = int((within - np.arange(1, len(values) + 1)).sum())
    return pairs / STEPS > max(_BY_CHANCE, 0.01 * len(column))


def reach(values: Floats) -> float:
    """A few steps of the grid that sorted values keep to."""
    return STEPS * float(np.diff(values).min(initial=np.inf)) * (1 + 1e-9)


def near_pairs(column: Floats, some: NDArray[np.intp]) -> NDArray[np.intp]:
    """Pairs of rows whose values are a few steps of the grid apart, or equal."""
    some = some[np.argsort(column[some], kind="stable")]
    some = some[np.isfinite(column[some])]
    values = column[some]
    far = reach(np.unique(values))
    found = []
    for apart in range(1, min(_MOST_APART, len(values))):
        close = np.flatnonzero(values[apart:] - values[:-apart] <= far)
        if not len(close):
            break
        found.append(np.column_stack([some[close], some[close + apart]]))
    return np.concatenate(found) if found else np.empty((0, 2), np.intp)


def _others_differ(columns: list[Floats | None], j: int) -> bool:
    return any(
        column is None or np.nanmin(column, initial=np.inf) < np.nanmax(column, initial=-np.inf)
        for i, column in enumerate(columns)
        if i != j
    )


def many_digits(column: Floats) -> bool:
    """Whether hardly any value is a number of at most six digits."""
    values = column[np.isfinite(column) & (column != 0)]
    scale = 10.0 ** (np.floor(np.log10(np.abs(values))) - _DIGITS + 1)
    short = np.abs(values / scale - np.round(values / scale)) < 1e-6
    return bool(short.mean() < 1 - _HARDLY) if len(values) else False
