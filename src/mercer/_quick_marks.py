"""Marks that a fit has time for: numbers to single precision, one product with keys per row.

What a pipeline computes twice, or a file keeps in fewer bits, differs beyond that precision. A row
is Σ key_j · (32 bits of its j-th number) modulo 2⁶⁴: two rows that differ share a mark with
probability 2⁻³³ at most, and their marks are spread evenly. Zeros add nothing, so a sparse table
has the marks of a dense one. Objects, texts and mixed tables are marked as by `row_marks`.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

from mercer._marks import GAP, STEP, Marks, height, mixed, numbers_of, row_marks, row_sums
from mercer._types import Samples

_SALTING = 16  # rows that a salt is made of
_GAP_WORD = np.uint32(int(GAP) >> 32)


def quick_marks(X: Any, key: bytes) -> Marks:
    """The marks of the rows of a table or a list of objects; ``key`` has 16 bytes."""
    start, turn = np.frombuffer(key, dtype=np.uint64)
    if sparse.issparse(X):
        csr = sparse.csr_array(X, copy=not X.has_canonical_format)
        csr.sum_duplicates()
        keys = mixed(csr.indices.astype(np.uint64) * STEP) ^ turn
        return row_sums(_words(csr.data) * keys, csr.indptr) + start
    table = X if _is_table(X) else numbers_of(X)
    if table is None:
        return row_marks(X, key)
    return np.einsum("ij,j->i", _words(table), _keys(table.shape[1]) ^ turn) + start


@lru_cache(maxsize=8)
def _keys(columns: int) -> Marks:
    return mixed(np.arange(columns, dtype=np.uint64) * STEP)


def quick_salt(X: Any) -> bytes:
    """A key that other tables hardly share; equal input gives an equal one."""
    n = height(X)
    some = slice(0, n, max(1, n // _SALTING))
    if _is_table(X):
        told = X[some].tobytes()
    elif sparse.issparse(X):
        part = sparse.csr_array(X)[some]
        told = part.indices.tobytes() + part.data.tobytes()
    else:
        told = row_marks(_safe_indexing(X, some)).tobytes()
    return hashlib.blake2b(told, digest_size=16, key=str(n).encode()).digest()


def _is_table(X: Samples) -> bool:
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"


def _words(values: NDArray[Any]) -> NDArray[np.uint32]:
    """32 bits per number; 0 for the number zero, and one NaN."""
    with np.errstate(over="ignore"):
        numbers = values.astype(np.float32, order="C") + np.float32(0.0)
    words = numbers.view(np.uint32)
    gaps = numbers != numbers
    if np.count_nonzero(gaps):
        words[gaps] = _GAP_WORD
    return words
