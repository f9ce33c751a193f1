"""What a computation warns of, kept for the page: the terminal of the lab is read by nobody.

The filters of a process are one list, and answers are made in threads: ``warnings.catch_warnings``
in two of them at once would give what one hears to the other, and take the filter from one when the
other ends. Here the first to come sets filter and hearing, the last to go takes them away, and
between them every thread hears its own.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_LOCK = threading.Lock()
_INSIDE: list[tuple[int, type[Warning], list[str]]] = []  # thread, what it hears, what it heard
_BEFORE = warnings.catch_warnings()  # renewed by the first to come
_ELSEWHERE = warnings.showwarning


@contextmanager
def said(what: type[Warning] = Warning) -> Iterator[list[str]]:
    """First lines of the warnings of one kind that this thread gives meanwhile; none is printed."""
    global _BEFORE, _ELSEWHERE
    mine: list[str] = []
    entry = (threading.get_ident(), what, mine)
    with _LOCK:
        if not _INSIDE:
            _BEFORE = warnings.catch_warnings()
            _BEFORE.__enter__()
            _ELSEWHERE = warnings.showwarning
            warnings.simplefilter("always")
            warnings.showwarning = _hear
        _INSIDE.append(entry)
    try:
        yield mine
    finally:
        with _LOCK:
            del _INSIDE[next(k for k, other in enumerate(_INSIDE) if other is entry)]
            if not _INSIDE:
                _BEFORE.__exit__(None, None, None)


def _hear(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    me = threading.get_ident()
    for thread, what, heard in reversed(_INSIDE):
        if thread == me and issubclass(category, what):
            heard.append(str(message).split("\n")[0])
            return
    _ELSEWHERE(message, category, filename, lineno, file, line)
