"""A keyed hash of every row: dice that give equal inputs equal answers."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples

from mercer._types import Samples


def hash_numbers(X: Samples, key: bytes) -> NDArray[np.uint64]:
    """One number below 2⁶⁴ per row, as good as random to whoever does not know the key."""
    return np.array(
        [
            int.from_bytes(hashlib.blake2b(row, digest_size=8, key=key).digest(), "little")
            for row in row_bytes(X)
        ],
        dtype=np.uint64,
    )


def hash_key(seed: int | None) -> bytes:
    """A key that depends on the recorded seed and on nothing else."""
    return np.random.default_rng([seed or 0, 0x6D657263]).bytes(16)


def row_bytes(X: Any) -> Any:
    """The bytes of every row; equal rows give equal bytes, whatever the container."""
    if sparse.issparse(X):
        csr = X.tocsr().copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
        for a, b in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
            data = csr.data[a:b].astype(np.float64)
            yield csr.indices[a:b].astype(np.int64).tobytes() + data.tobytes()
        return
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        table = None
    if table is not None and table.ndim == 2:
        yield from (row.tobytes() for row in np.ascontiguousarray(table + 0.0))
        return
    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    for i in range(_num_samples(values)):
        row = values[i]
        yield repr(row.tolist() if isinstance(row, np.ndarray) else row).encode()
