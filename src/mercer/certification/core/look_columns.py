"""Rows known again by one column: the same records with other columns, or by another kernel.

Whoever leaves out columns, changes their preparation or computes another kernel still counts the
same records, though no row is as it was. What stays is the target, or a column, in the order of the
rows. It names the rows if its values come in an order that other rows would hardly have: sorted
labels, repeated designs and row numbers do not.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import numpy as np
from scipy import sparse

from mercer._marks import Marks, cell_bits, columns_of

TELLING = 24  # bytes that the order of the values needs, when packed
_HEAD = 2048  # rows that are packed
_KEPT = 32  # columns that stand for all of them


def column_names(X: Any, y: Any, salt: bytes, *, pairwise: bool) -> frozenset[str]:
    """Names of the target and of some columns, each together with the target."""
    target = cell_bits(np.asarray(y).ravel(), salt) if y is not None else np.empty(0, np.uint64)
    own = _name(target, salt)
    found = {own} if tells(target) else set()
    if pairwise or sparse.issparse(X):
        return frozenset(found)
    columns = (cell_bits(column, salt) for column in columns_of(X))
    named = sorted(((_name(bits, salt + own.encode()), bits) for bits in columns), key=_first)
    telling = (name for name, bits in named if tells(bits))
    found.update(name for name, _ in zip(telling, range(_KEPT), strict=False))
    return frozenset(found)


def tells(values: Marks) -> bool:
    """Whether the order of these values says which rows they belong to."""
    codes = np.unique(values[:_HEAD], return_inverse=True)[1]
    steps = np.diff(codes, prepend=0).astype(np.int16)  # of sorted and repeated values: all alike
    return _packed(steps.tobytes()) - _packed(bytes(2 * len(steps))) >= TELLING


def _packed(text: bytes) -> int:
    return len(zlib.compress(text, 9))


def _name(bits: Marks, salt: bytes) -> str:
    key = hashlib.blake2b(salt, digest_size=16).digest()
    return hashlib.blake2b(bits.tobytes(), digest_size=8, key=key).hexdigest()


def _first(pair: tuple[str, Marks]) -> str:
    return pair[0]
