"""How many threads the linear algebra may use.

Threads help with matrices of a thousand rows and more. For the many small ones of a search they
cost more than they give, and on a busy machine they wait for each other.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from mercer import _config

LARGE = 900  # rows


@cache
def _controller() -> ThreadpoolController:
    """Found once: looking for the libraries takes longer than a small factorisation."""
    return ThreadpoolController()


def blas_threads(rows: int) -> AbstractContextManager[Any]:
    """One thread for small matrices, mercer's ``n_threads`` for large ones."""
    threads = 1 if rows < LARGE else _config.n_threads()
    return _controller().limit(limits=threads, user_api="blas")
