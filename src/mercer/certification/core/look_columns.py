"""Rows known again by one column: the same records with other columns, or by another kernel.

Whoever leaves out columns, changes their preparation or computes another kernel still counts the
same records, though no row is as it was. What stays is the target, or a column, in the order of the
rows. It names the rows if its values come in an order that other rows would hardly have: sorted
labels, repeated designs and row numbers do not.

Whoever shuffles the rows as well keeps the order of the targets along a column of numbers, however
that is scaled and whatever the classes are called.
"""

from __future__ import annotations

import hashlib
import zlib
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer._marks import Marks, cell_bits, columns_of
from mercer._types import Samples

TELLING = 24  # bytes that the order of the values needs, when packed
_HEAD = 2048  # rows that are packed
_KEPT = 32  # columns that stand for all of them
_SORTED = 3_000_000  # cells of a table whose columns are sorted


def column_names(X: Samples, y: ArrayLike | None, salt: bytes, *, pairwise: bool) -> frozenset[str]:
    """Names of the target and of some columns, each together with the target.

    Of a column of numbers that are all different, also of the targets in its order.
    """
    target = cell_bits(np.asarray(y).ravel(), salt) if y is not None else np.empty(0, np.uint64)
    own = _name(target, salt)
    found = {own} if tells(target) else set()
    if pairwise or sparse.issparse(X):
        return frozenset(found)
    cells = list(columns_of(X))
    if y is not None:
        found.update(_along(cells, np.asarray(y).ravel(), salt))
    columns = (cell_bits(column, salt) for column in cells)
    named = sorted(((_name(bits, salt + own.encode()), bits) for bits in columns), key=_first)
    telling = (name for name, bits in named if tells(bits))
    found.update(name for name, _ in zip(telling, range(_KEPT), strict=False))
    return frozenset(found)


def _along(cells: list[NDArray[Any]], y: NDArray[Any], salt: bytes) -> set[str]:
    """Names of the targets in the order of each column; the smallest ones stand for all."""
    codes = np.unique(y.astype(str) if y.dtype.kind == "O" else y, return_inverse=True)[1].ravel()
    if len(cells) * len(codes) > _SORTED:
        return set()
    many = len(codes) > 2 and codes.max() > len(codes) // 2  # numbers, whose order is kept
    found = []
    for column in cells:
        if column.dtype.kind not in "biuf" or len(column) < 2:
            continue
        order = np.argsort(column, kind="stable")
        if not (np.diff(column[order].astype(np.float64)) > 0).all():  # ties, or gaps
            continue
        ways = [codes[order], codes[order[::-1]]]
        bits = min((way if many else _by_first(way)).astype(np.uint64).tobytes() for way in ways)
        named = np.frombuffer(bits, np.uint64)
        if tells(named) if many else _in_telling_order(named[:_HEAD]):
            found.append(_name(named, salt + b"along"))
    return set(sorted(found)[:_KEPT])


def _by_first(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Classes numbered as they appear: what they are called does not matter."""
    first = np.empty(codes.max() + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal codes the last one written stays
    return np.argsort(np.argsort(first))[codes]


def tells(values: Marks) -> bool:
    """Whether the order of these values says which rows they belong to."""
    return _in_telling_order(np.unique(values[:_HEAD], return_inverse=True)[1])


def _in_telling_order(codes: NDArray[Any]) -> bool:
    """Of values that are numbered without gaps, as `_by_first` does: they need no sorting."""
    steps = np.diff(codes.astype(np.int64), prepend=0).astype(np.int16)  # sorted, repeated: alike
    return _packed(steps.tobytes()) - _of_nothing(2 * len(steps)) >= TELLING


def _packed(text: bytes) -> int:
    return len(zlib.compress(text, 9))


@cache
def _of_nothing(size: int) -> int:
    """What bytes that are all alike take; every column of a table asks."""
    return _packed(bytes(size))


def _name(bits: Marks, salt: bytes) -> str:
    key = hashlib.blake2b(salt, digest_size=16).digest()
    return hashlib.blake2b(bits.tobytes(), digest_size=8, key=key).hexdigest()


def _first(pair: tuple[str, Marks]) -> str:
    return pair[0]
