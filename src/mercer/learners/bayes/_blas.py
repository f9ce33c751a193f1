"""How many threads the linear algebra may use.

Threads help with matrices of a thousand rows and more. For the many small ones of a search they
cost more than they give, and on a busy machine they wait for each other.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from threadpoolctl import threadpool_limits

from mercer import _config

LARGE = 900  # rows


def blas_threads(rows: int) -> AbstractContextManager[Any]:
    """One thread for small matrices, mercer's ``n_threads`` for large ones."""
    return threadpool_limits(1 if rows < LARGE else _config.n_threads(), user_api="blas")
