"""Rows that were copied, for instance to balance the classes: half of a pair may test the other."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.bounds import Choice
from mercer.certification.checks.duplicates import looks_continuous
from mercer.certification.checks.finding import CertificateWarning
from mercer.certification.checks.seen import row_keys
from mercer.certification.core.order import Order
from mercer.certification.core.rows import Rows

FEW = 0.01  # of the rows: so many are mentioned, more are told in the first line


def copied_rows(X: Any, unit: NDArray[Any] | None = None, like: Any = None) -> int:
    """Rows that equal an earlier one (of another ``unit``) although values do not repeat by chance.

    They do not if some column hardly ever repeats among the rows that differ, here or in ``like``.
    Tables of few values repeat by nature, and so may sparse ones: those are not counted.
    """
    if sparse.issparse(X):
        return 0
    keys = row_keys(X)
    first: dict[bytes, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    if len(first) == len(keys):
        return 0
    table = np.asarray(X, dtype=np.float64)
    if not (looks_continuous(table[list(first.values())]) or _continuous_table(like)):
        return 0
    earlier = np.array([first[key] for key in keys])
    again = earlier != np.arange(len(keys))
    if unit is not None:
        again &= unit[earlier] != unit
    return int(np.count_nonzero(again))


def _continuous_table(X: Any) -> bool:
    if sparse.issparse(X) or not row_keys(X):
        return False
    return looks_continuous(np.unique(np.asarray(X, dtype=np.float64), axis=0))


def copies_among(rows: Rows, order: Order, notes: list[str]) -> tuple[Choice, ...]:
    """Tell of copies; many of them are something that no certificate here covers."""
    unit = None
    if order.kind == "groups":  # copies inside one group stay on one side
        unit = np.empty(rows.n, dtype=np.intp)
        unit[order.rows] = order.unit_of(0)
    copies = 0 if rows.pairwise else copied_rows(rows.X, unit)
    words = (
        f"{copies} of {rows.n} rows equal an earlier row. If they are copies of the same record, "
        "rows that were trained on are counted as unseen: drop them, or pass groups= with one name "
        "per record. If new data repeat rows as often, nothing is wrong."
    )
    if copies:
        notes.append(words)
    return _told(copies, rows.n, words, stacklevel=4)


def fresh_copies(X: Any, n: int, unit: NDArray[Any] | None = None) -> tuple[Choice, ...]:
    """Tell of fresh rows that would be counted more than once, those inside one ``unit`` apart."""
    copies = copied_rows(X, unit)
    words = (
        f"{copies} of {n} fresh rows equal an earlier one of them. If they are copies of the same "
        "record, it is counted more than once and the number is too small: drop them."
    )
    return _told(copies, n, words, stacklevel=4)


def tell_pool_copies(pool: Any, X: Any, notes: list[str]) -> None:
    """Tell of pool rows that repeat others: they are no further draws."""
    copies, n = copied_rows(pool, like=X), len(row_keys(pool))
    if copies:
        notes.append(
            f"{copies} of {n} pool rows equal an earlier one of them. If they are copies, they are "
            "counted more than once and the number is too small: drop them."
        )
        _told(copies, n, notes[-1], stacklevel=6)


def _told(copies: int, n: int, words: str, stacklevel: int) -> tuple[Choice, ...]:
    if copies <= FEW * n:
        return ()
    warnings.warn(words, CertificateWarning, stacklevel=stacklevel)
    return (Choice("copied rows", f"{copies} of {n} equal an earlier row", rows="fresh"),)
