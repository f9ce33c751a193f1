"""Rows that belong together, told by the name of a column or by its values in the file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mercer.app.levels import level_codes
from mercer.app.names import words_of
from mercer.tables.dataset import DATE, NUMBER, TEXT, Column

FEWEST_ROWS, FEWEST_LEVELS = 20, 5
MOST = 200_000  # rows looked at
BLOCKS = 10  # levels from which on equal blocks are no accident
MANY_NAMES = 30
EQUAL = 0.6  # share of the blocks that have the commonest size
_BELONGS = frozenset(
    [
        "patient",
        "subject",
        "user",
        "customer",
        "person",
        "participant",
        "client",
        "household",
        "family",
        "group",
        "batch",
        "site",
        "school",
        "hospital",
        "clinic",
        "firm",
        "company",
        "business",
        "county",
        "country",
        "village",
        "locality",
        "unit",
        "individual",
        "pupil",
        "child",
        "mother",
        "animal",
        "mote",
        "session",
        "id",
        "pid",
        "uid",
    ]
)


def group_signs(columns: list[Column], keys: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Column and what speaks for groups, for every column that may name them."""
    for column in columns:
        if column.name in keys or column.kind == DATE or len(column.values) < FEWEST_ROWS:
            continue
        codes = _codes(Column(column.name, column.kind, column.values[:MOST]))
        if codes is None:
            continue
        levels, n = int(codes.max()) + 1, len(codes)
        if not FEWEST_LEVELS <= levels <= 0.9 * n:
            continue
        per_level = n / levels
        if words_of(column.name) & _BELONGS and (column.kind == TEXT or _whole(column)):
            yield column.name, f"{levels:,} values of '{column.name}' stand for {n:,} rows"
        elif per_level >= 2 and _in_blocks(codes, levels, column.kind == TEXT):
            yield column.name, f"rows with one '{column.name}' stand together in the file"


def _codes(column: Column) -> NDArray[np.int32] | None:
    """Levels as numbers; None where there are gaps or fractions, which name no groups."""
    if column.missing.any() or (column.kind == NUMBER and not _whole(column)):
        return None
    return level_codes(column)


def _whole(column: Column) -> bool:
    present = column.values[~column.missing]
    return column.kind == NUMBER and bool(np.all(present == np.floor(present)))


def _in_blocks(codes: NDArray[np.int32], levels: int, names: bool) -> bool:
    """Every level is one run of rows, and most runs are equally long, as in panels.

    Many names, each in one run, need not be in equally long ones: measurements are not sorted so.
    """
    if levels < BLOCKS:
        return False
    starts = np.flatnonzero(np.diff(codes)) + 1
    if len(starts) + 1 != levels:
        return False
    if names and levels >= MANY_NAMES:
        return True
    sizes = np.diff(np.concatenate([[0], starts, [len(codes)]]))
    common = int(np.bincount(sizes).argmax())
    return common >= 2 and float(np.mean(sizes == common)) >= EQUAL
