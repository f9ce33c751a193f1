"""One file whose rows do not fit into memory goes in batches, as many files do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mercer.app.options import FitOptions
from mercer.app.run import Run
from mercer.errors import DataError, LimitError, UserError


def in_memory_or_batches(
    in_memory: Callable[[], Run],
    path: Any,
    options: FitOptions,
    quiet: bool,
    reproduction: dict[str, Any] | None = None,
) -> Run:
    """The fit in memory, or that of the stream where the memory limit forbids the first.

    What only rows in memory can have keeps its refusal, and so has a file of a format that
    cannot be read in batches.
    """
    try:
        return in_memory()
    except LimitError as problem:  # its traceback holds the rows: it must not outlive the block
        if options.route == "exact" or not _goes_in_batches(path, options):
            raise
        told = problem.message
    from mercer.app.streams.fit import fit_stream
    from mercer.app.streams.follow import Follow
    from mercer.app.streams.options import StreamOptions

    Follow(quiet).say(f"{told} It is read in batches.")
    return fit_stream(str(path), options, StreamOptions(quiet=quiet), reproduction)


def _goes_in_batches(path: Any, options: FitOptions) -> bool:
    if not isinstance(path, str | Path) or not Path(path).is_file():
        return False
    from mercer.app.streams.options import refuse
    from mercer.io.streams import partitions_of

    try:
        refuse(options)
        parts, bad = partitions_of([path], options.reading)
    except (DataError, UserError, OSError):
        return False
    return bool(parts) and not bad
