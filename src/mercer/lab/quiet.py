"""No warnings of solvers that stopped early: the page shows the gap itself.

The filters of a process are one list, and answers are made in threads: ``warnings.catch_warnings``
in two of them at once would take the filter from one when the other ends. Here the first to come
sets it and the last to go takes it away.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

_LOCK = threading.Lock()
_INSIDE: list[warnings.catch_warnings] = []  # one for each thread, all of them the first


@contextmanager
def stopped_early_is_shown() -> Iterator[None]:
    """Ignore `ConvergenceWarning` while any thread is inside."""
    with _LOCK:
        mine = warnings.catch_warnings()
        if not _INSIDE:
            mine.__enter__()
            warnings.simplefilter("ignore", ConvergenceWarning)
        _INSIDE.append(_INSIDE[0] if _INSIDE else mine)
    try:
        yield
    finally:
        with _LOCK:
            last = _INSIDE.pop()
            if not _INSIDE:
                last.__exit__(None, None, None)
