"""Texts and hashes that tell settings and data apart, the same in every process."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np
from scipy import sparse


def identity(value: object) -> str:
    """Like repr, but never abbreviated, and a function by its name instead of its address."""
    if isinstance(value, type | FunctionType) and "<" not in value.__qualname__:
        return f"{value.__module__}.{value.__qualname__}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{type(value).__name__}{identity(value.get_params(deep=False))}"
    if isinstance(value, Mapping):
        return f"({', '.join(f'{k}={identity(v)}' for k, v in value.items())})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(identity(v) for v in value)}]"
    if isinstance(value, np.ndarray | np.generic):
        return repr(value.tolist())
    return repr(value)


def digest(*parts: Any) -> str:
    """A hash of texts, arrays, sparse matrices, tables and lists of anything."""
    found = hashlib.sha256()
    for part in parts:
        _feed(found, part)
    return found.hexdigest()


def _feed(found: Any, part: Any) -> None:
    if part is None or isinstance(part, str | bytes | int | float | np.generic):
        found.update(f"{part!r};".encode())
    elif sparse.issparse(part):
        csr = part.tocsr()
        found.update(f"{csr.shape}".encode())
        for piece in (csr.data, csr.indices, csr.indptr):
            _feed(found, piece)
    elif isinstance(part, list | tuple):
        found.update(f"{len(part)}[".encode())
        for piece in part:
            _feed(found, piece)
    elif hasattr(part, "__array__"):
        array = np.asarray(part)
        found.update(f"{array.dtype}{array.shape}".encode())
        if array.dtype == object:
            _feed(found, array.ravel().tolist())
        else:
            found.update(np.ascontiguousarray(array).tobytes())
    else:  # graphs and other objects
        found.update(pickle.dumps(part, protocol=4))
