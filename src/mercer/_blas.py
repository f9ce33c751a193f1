"""How many threads the linear algebra may use.

Threads help with matrices of a thousand rows and more. For the many small ones of a search they
cost more than they give, and on a busy machine they wait for each other.

NumPy and SciPy often bring a BLAS each. A thread that has just finished waits busily for more work,
so two libraries with threads take the processors from each other: one of them gets a single thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import PurePath
from threading import RLock, current_thread, main_thread
from typing import Any

from threadpoolctl import ThreadpoolController

from mercer import _config

LARGE = 900  # rows


@cache
def _found(kind: str) -> list[Any]:
    """Libraries with threads; looked for once, which takes longer than a small factorisation."""
    return [lib for lib in ThreadpoolController().lib_controllers if lib.user_api == kind]


@cache
def _libraries() -> list[tuple[str, Any]]:
    """Each BLAS and whose it is."""
    return [(_owner(lib.filepath), lib) for lib in _found("blas")]


_home = os.getpid()


def mind_forks() -> None:
    """In a forked child nobody ends what other threads of the parent had begun.

    A lock that one of them held is never let go, and OpenMP waits for its team: scikit-learn's
    k-means, neighbours and boosting hang there for ever. The thread that was forked keeps to one;
    threads that the child starts have teams of their own.
    """
    global _home, _lock, _inside, _askers
    if os.getpid() != _home and current_thread() is main_thread():
        _home, _lock = os.getpid(), RLock()
        if _inside:
            _set(_first)
        _inside = _askers = 0
        for lib in _found("openmp"):
            lib.set_num_threads(1)


def _owner(path: str) -> str:
    """The package that a library was delivered with, empty for one that all share."""
    folders = {part.split(".")[0] for part in PurePath(path).parts}
    return next((name for name in ("numpy", "scipy") if name in folders), "")


_lock = RLock()
_first: list[int] = []  # threads of each BLAS before the first that changed them
_inside = 0


def _set(threads: list[int]) -> None:
    for (_, lib), many in zip(_libraries(), threads, strict=True):
        _let_go(lib)
        lib.set_num_threads(many)
        _let_go(lib)


def _let_go(lib: Any) -> None:
    """From threadpoolctl 3.8 on OpenBLAS listens to the first thread that ever set a number.

    What others ask for is dropped without a word, so a task in a thread kept all threads, and its
    sums had other bits. Here a lock says who sets what, so nobody keeps that right.
    """
    clear = getattr(lib, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


def _enter(threads: list[int]) -> list[int]:
    """Set the threads of each BLAS, and say what they were."""
    global _inside
    with _lock:
        now = [lib.get_num_threads() for _, lib in _libraries()]
        if _inside == 0:
            _first[:] = now
        _inside += 1
        _set(threads)
        return now


def _leave(before: list[int]) -> None:
    """Back to what was before; the last to leave restores what the first found."""
    global _inside
    with _lock:
        _inside -= 1
        _set(before if _inside else _first)


@contextmanager
def blas_threads(rows: int, worker: str = "scipy") -> Iterator[None]:
    """Mercer's ``n_threads`` for large matrices, one thread for small ones.

    ``worker`` says whose BLAS does the large part: "scipy" (factorisations) or "numpy" (products).
    """
    many = 1 if rows < LARGE else _config.n_threads()
    before = _enter([many if owner in (worker, "") else 1 for owner, _ in _libraries()])
    try:
        yield
    finally:
        _leave(before)


_calm: list[int] = []  # threads of each BLAS before the first that asked for calm
_askers = 0


@contextmanager
def calm_blas(rows: int) -> Iterator[None]:
    """One thread for small matrices, everything as it is for large ones.

    On a busy machine threads that wait for each other make a factor of 150 rows take half a second
    instead of a tenth of a millisecond. Fits may run side by side: the last to leave restores.
    """
    global _askers
    if rows >= LARGE:
        yield
        return
    with _lock:
        if _askers == 0:
            _calm[:] = _enter([1] * len(_libraries()))
        _askers += 1
    try:
        yield
    finally:
        with _lock:
            _askers -= 1
            if _askers == 0:
                _leave(_calm)
