"""Columns that only number or name the rows: a model would learn the order of the file from them.

One rule for every command, asked of all rows that were read: rows without a target are dropped
later, and must not turn a row number into a measurement.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.names import words_of
from mercer.tables.dataset import NUMBER, TEXT, Column

FEWEST = 20  # rows below which anything may be distinct by chance
MOST = 200_000  # rows looked at
DENSE = 0.6  # share of a range of whole numbers that row numbers fill, even if some rows are gone
NEARLY = 0.98  # distinct, among values of a column whose name says that it is a key
_KEY = frozenset(
    [
        "id",
        "ids",
        "nr",
        "no",
        "num",
        "number",
        "idx",
        "index",
        "key",
        "keys",
        "row",
        "rows",
        "rowname",
        "rownames",
        "rownum",
        "unnamed",
        "uid",
        "uuid",
        "guid",
        "pid",
        "seq",
        "seqn",
        "serial",
        "order",
        "record",
        "recno",
        "pidnum",
        "code",
        "url",
    ]
)
_TIME = frozenset(
    [
        "year",
        "years",
        "yr",
        "month",
        "day",
        "date",
        "time",
        "hour",
        "minute",
        "week",
        "quarter",
        "season",
        "period",
        "wave",
        "age",
    ]
)
_NUMBERED = re.compile(r"column \d+$")


def identifiers(columns: list[Column]) -> dict[str, str]:
    """Names of columns that are keys of the rows, with the reason."""
    names = [column.name for column in columns]
    headed = not all(_NUMBERED.match(name) for name in names)
    found = {}
    for column in columns:
        unnamed = headed and bool(_NUMBERED.match(column.name))  # an empty field of the header
        reason = key_reason(column, unnamed)
        if reason:
            found[column.name] = reason
    return found


def key_reason(column: Column, unnamed: bool = False) -> str:
    """Why this column is a key of the rows; empty if it is none."""
    if len(column.values) < FEWEST:
        return ""
    column = Column(column.name, column.kind, column.values[:MOST])
    present = column.values[~column.missing]
    if len(present) < max(FEWEST, 0.95 * len(column.values)):
        return ""
    named = unnamed or bool(words_of(column.name) & _KEY)
    if column.kind == NUMBER:
        return _numbers(present, named, words_of(column.name))
    return _texts(present, named) if column.kind == TEXT else ""


def _numbers(values: NDArray[Any], named: bool, words: frozenset[str]) -> str:
    if np.any(values != np.floor(values)) or np.any(np.abs(values) >= 2**53):
        return ""
    distinct = len(np.unique(values))
    if distinct == len(values):
        if words & _TIME and not named:
            return ""  # one row for every year is a series, not a list
        span = float(values.max() - values.min())
        steps = np.diff(np.sort(values))
        if np.all(steps == steps[0]) or len(values) >= DENSE * (span + 1):
            return "it numbers the rows"
        return "its values are all different, as its name suggests" if named else ""
    if named and not words & _TIME and _restarts(values):
        return "it counts the rows, beginning again several times"
    return (
        "nearly all its values are different" if named and distinct > NEARLY * len(values) else ""
    )


def _restarts(values: NDArray[Any]) -> bool:
    """1, 2, 3, ..., 1, 2, 3, ...: a counter that begins again with every block of the file."""
    back = np.flatnonzero(np.diff(values) != 1) + 1
    if not 0 < len(back) <= 0.05 * len(values) or np.any(values[back] != values[0]):
        return False
    sizes = np.diff(np.concatenate([[0], back, [len(values)]]))
    return bool(np.ptp(sizes) > 0)  # blocks of one size repeat persons or places: groups


def _texts(values: NDArray[Any], named: bool) -> str:
    texts = values.tolist()
    distinct = len(set(texts))
    some = texts[:1000]
    if distinct >= NEARLY * len(texts) and all(t.startswith(("http://", "https://")) for t in some):
        return "it holds addresses of pages, nearly all different"
    if distinct < (NEARLY if named else 1.0) * len(texts):
        return ""
    blanks = float(np.mean([" " in text for text in some]))
    return "its values are all different codes" if blanks < 0.5 and _codes(some) else ""


def _codes(texts: list[str]) -> bool:
    """Whether texts look like keys rather than like sentences, sequences or measurements."""
    lengths = np.array([len(text) for text in texts])
    digits = np.mean([any(c.isdigit() for c in text) for text in texts])
    return bool(lengths.max() <= 40 and (digits > 0.9 or np.ptp(lengths) == 0))
