"""Who runs the tasks: a loop, threads, or a Dask cluster. Nothing else knows.

An engine has two verbs. ``map(task, items)`` gives the answers in the order of the items.
``reduce(task, items, merge)`` joins them along a binary tree that is fixed by that order, so sums
have the same bits whoever runs them, however many there are, and whoever is lost on the way. What
tasks need goes along as their arguments (``functools.partial``), so that any of them can be done
again anywhere. A further engine is a further file here and a line in `open_engine`.
"""

from __future__ import annotations

from typing import Any

from mercer._discover import names_of
from mercer.engine.here import Here
from mercer.engine.threads import Threads
from mercer.errors import UserError

__all__ = ["Here", "Threads", "open_engine"]

__dir__ = names_of(__name__)


def open_engine(wanted: Any = None) -> Any:
    """The engine that is meant: use it in a ``with`` block.

    Parameters
    ----------
    wanted : None, "here", "threads", int, "local", "local:N", an address, or a client
        None and "here" are the loop of this process; a number is so many threads; "local" starts
        Dask workers on this machine; an address such as ``"tcp://head:8786"`` or a
        ``distributed.Client`` is a Dask cluster that somebody else started.
    """
    if wanted is None or wanted == "here":
        return Here()
    if wanted == "threads":
        return Threads()
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        return Threads(wanted)
    if hasattr(wanted, "map") and hasattr(wanted, "reduce"):
        return wanted
    if isinstance(wanted, str) or hasattr(wanted, "submit"):
        from mercer.engine.dask import Dask

        return Dask(wanted)
    raise UserError(
        f"{wanted!r} is no engine.",
        "Give 'here', 'threads', a number of threads, 'local', the address of a Dask scheduler, or "
        "a distributed.Client.",
    )
