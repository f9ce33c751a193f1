"""How many threads to use, how much memory to take, and what models remember.

``set_config`` changes the process, ``config`` changes one ``with`` block. Nothing is read from the
machine before the first question, so importing the package costs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
TEMPORARIES = 8  # arrays of the size of a tile that computing it may hold at once
_TILE_BYTES = 64 * 2**20  # one working tile: large enough for BLAS, small enough to stay polite

_process: dict[str, Any] = {
    "n_threads": None,
    "memory_limit": None,
    "compiled": True,
    "remember_rows": True,
}
_block: ContextVar[dict[str, Any]] = ContextVar("mercer_config", default={})  # noqa: B039 (never mutated)


class MemoryLimitError(MemoryError):
    """A result would not fit in the memory limit; raised before anything is allocated."""


def parse_bytes(size: float | str) -> int:
    """Read ``2_000_000``, ``"500MB"`` or ``"2 GiB"`` as a number of bytes."""
    if not isinstance(size, str):
        number, unit = float(size), ""
    else:
        text = size.strip().lower()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        unit = text[len(digits) :].strip()
        try:
            number = float(digits)
        except ValueError:
            number = float("nan")
    if unit not in _UNITS or not number > 0:
        raise ValueError(
            f"memory limit {size!r} is not a positive size; write e.g. 500_000_000 or '2GB'"
        )
    return int(min(number * _UNITS[unit], 2**62))


def _check(options: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(options) - set(_process))
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; the options are {sorted(_process)}")
    if options.get("memory_limit") is not None:
        options["memory_limit"] = parse_bytes(options["memory_limit"])
    threads = options.get("n_threads")
    if threads is not None and (isinstance(threads, bool) or int(threads) != threads):
        raise ValueError(f"n_threads must be a whole number or None, got {threads!r}")
    if threads is not None and threads < 1 and threads != -1:
        raise ValueError(f"n_threads must be at least 1, or -1 for all cores, got {threads!r}")
    return options


def set_config(**options: Any) -> None:
    """Set ``n_threads``, ``memory_limit``, ``compiled`` or ``remember_rows`` for this process.

    ``None`` restores the default of the first two, a number of threads, and bytes or '2GB'.
    ``compiled=False`` makes every kernel use its slow NumPy twin, which is how the tests check the
    compiled core. ``remember_rows=False`` makes fits keep no marks of their training rows: model
    files are then free of them, and ``mercer.certify`` cannot tell training rows from fresh ones.
    """
    _process.update(_check(options))


@contextmanager
def config(**options: Any) -> Iterator[None]:
    """Set the same options for the duration of a ``with`` block."""
    token = _block.set({**_block.get(), **_check(options)})
    try:
        yield
    finally:
        _block.reset(token)


def _get(name: str) -> Any:
    return _block.get().get(name, _process[name])


def compiled() -> bool:
    """Whether the compiled core may be used."""
    return bool(_get("compiled"))


def remembers_rows() -> bool:
    """Whether fits keep marks of their training rows."""
    return bool(_get("remember_rows"))


def n_threads(requested: int | None = None) -> int:
    """Number of threads: as requested, else as configured, else every core we may run on."""
    chosen = requested if requested is not None else _get("n_threads")
    if chosen is None:
        chosen = int(os.environ.get("MERCER_NUM_THREADS", "-1"))
    count = int(_check({"n_threads": chosen})["n_threads"])
    if count > 0:
        return count
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def memory_limit(requested: float | str | None = None) -> int:
    """Bytes that one computation may hold: as requested, else configured, else half the machine."""
    chosen = requested or _get("memory_limit") or os.environ.get("MERCER_MEMORY_LIMIT")
    return parse_bytes(chosen) if chosen else _machine_memory() // 2


@cache
def _machine_memory() -> int:
    found = [8 * 2**30]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):  # containers, cgroup v2 and v1
        try:
            found.append(int((Path("/sys/fs/cgroup") / name).read_text()))
        except (OSError, ValueError):
            continue
    return min(size for size in found if size > 0)


def reserve(nbytes: int, what: str, advice: str, limit: float | str | None = None) -> None:
    """Refuse before allocating: raise `MemoryLimitError` if ``what`` exceeds the limit."""
    allowed = memory_limit(limit)
    if nbytes > allowed:
        raise MemoryLimitError(
            f"{what} needs {nbytes / 1e6:,.0f} MB, the memory limit is {allowed / 1e6:,.0f} MB. "
            f"{advice}"
        )


def block_rows(row_bytes: int, limit: float | str | None = None) -> int:
    """How many rows of ``row_bytes`` each to work on at a time."""
    return max(1, min(_TILE_BYTES, memory_limit(limit) // 4) // max(1, row_bytes))
