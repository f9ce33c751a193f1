"""Forecast memory and time before anything large is done, and decide how to do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from mercer import _config
from mercer.errors import LimitError, UserError
from mercer.tables.routes import PILOT_OF_OBJECTS

EXACT_ROWS = 20_000  # rows up to which the kernel machine itself is trained on all of them
RANK, MOST_RANK = 500, 2000  # landmarks: they grow with the root of the rows, never fall
SEARCH_ROWS = 2000
TRAIN_SHARE = 0.7  # of the rows, about, that a certified fit trains on
# Seconds per unit of work where `mercer._pace.pace` is one; an order of magnitude, and said so.
START = 2.0  # loading what is needed, reading, checks, comparisons and the page
SEARCH_COST = 4e-9  # per search row squared and setting
SETTING_COST = 0.004  # per setting, however few the rows
WIDE = 300  # columns that double the former
FIT_COST = 7e-11  # per training row squared and column
FITS = 6  # trainings on all rows: the model, its probabilities
RANK_COST = 2e-10  # per training row and landmark squared: five passes, two products each
CELL_COST = 2e-10  # per training row, row of a cell and column
CELL_SIZE = 4000
CACHE = 200_000_000  # bytes of kernel values that a machine keeps


@dataclass(frozen=True)
class Plan:
    """How the fit is going to be done."""

    kind: str  # "exact", "measured" (the best of all routes), "cells" or "low-rank"
    rank: int
    cell_size: int
    search_rows: int
    memory_bytes: int
    memory_limit: int
    seconds: float
    words: str
    pace: float = 1.0  # how much slower than usual this machine was held to be, for the seconds

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)


def make_plan(
    rows: int,
    width: int,
    settings: float,
    table_bytes: int,
    *,
    memory_limit: Any = None,
    time_limit: float | None = None,
    exact: bool = False,
    cells: bool = True,
    kernel_seconds: Callable[[int, int], float] | None = None,
    route: str = "auto",
    rank: int | None = None,
    cell_size: int | None = None,
    others: float = 0.0,
    pace: float = 1.0,
) -> Plan:
    """Exact if it fits; otherwise the routes are measured; an error if not even that fits.

    Parameters
    ----------
    rows, width : int
        Rows of data and coordinates after preparation.
    settings : float
        Kernels and parameters that the search may try, harder ones counting as several.
    table_bytes : int
        Size of the raw table in memory.
    memory_limit, time_limit
        What the user allows.
    exact : bool
        The data are a matrix of all pairs: there is no other way.
    cells : bool
        Whether rows have coordinates, which texts have not.
    kernel_seconds : function or None
        Seconds that the kernels themselves take, from the rows that are searched and trained on;
        None where that is little beside the rest.
    route : {"auto", "exact", "measured", "cells", "low-rank"}
        What the user asks for.
    rank, cell_size : int or None
        Landmarks and most rows of a cell, if the user says so.
    others : float
        Seconds for learners beside the kernel machines.
    pace : float
        How much slower this machine is just now than the one the costs were measured on.
    """
    limit = _config.memory_limit(memory_limit)
    train = max(1, round(TRAIN_SHARE * rows))
    searched = min(SEARCH_ROWS, train)
    rank = rank_for(rows) if rank is None else rank
    cell_size = CELL_SIZE if cell_size is None else cell_size
    base = table_bytes + 3 * rows * width * 8
    search = 4 * searched * searched * 8
    whole = base + max(search, min(CACHE, train * train * 8))
    work = SETTING_COST + SEARCH_COST * searched**2 * (1 + width / WIDE)
    search_seconds = START + others + settings * work
    exactly = FIT_COST * train**2 * (width + 10) * FITS
    low = RANK_COST * train * rank**2
    parted = CELL_COST * train * cell_size * (width + 10) if cells else 0.0
    pilot = FIT_COST * min(train, EXACT_ROWS) ** 2 * (width + 10)
    measured = low + parted + 0.2 * pilot  # without probabilities, and at their quickest
    if kernel_seconds is not None:
        some = min(train, PILOT_OF_OBJECTS) if route != "low-rank" else 0
        some_kernels = kernel_seconds(searched, round((some**2 + train * rank) ** 0.5))
        exactly += kernel_seconds(searched, train)
        low, measured = low + some_kernels, measured + some_kernels
    # A search ends in time by itself: what must be afforded is the training on all rows. Measuring
    # the routes trains an exact machine, too, and is no way out unless it saves most of the time.
    in_time = (
        time_limit is None
        or pace * exactly <= time_limit / 2
        or (exactly <= 2 * (measured + 0.8 * pilot))
    )
    seconds = pace * (search_seconds + exactly)
    fits = rows <= EXACT_ROWS and whole <= limit and in_time
    if exact or route == "exact" or (route == "auto" and fits):
        if whole > limit:
            raise _too_big(whole, limit, rows)
        gram = size(searched * searched * 8)
        words = f"exact kernels: {gram} Gram matrix, {size(whole)} in all, about {clock(seconds)}"
        return Plan("exact", rank, cell_size, searched, whole, limit, seconds, words, pace)
    if base + search > limit and searched > 500:
        searched = 500
        search = 4 * searched * searched * 8
    need = base + max(search, CACHE, 6 * rank * rank * 8)
    if need > limit:
        raise _too_big(need, limit, rows)
    if route == "cells" and not cells:
        raise UserError(
            "texts have no coordinates that cells could be cut by.",
            "Choose --route exact or low-rank, or leave the choice to Mercer.",
        )
    if route in ("cells", "low-rank"):
        kind, more = route, low if route == "low-rank" else parted
    else:
        kind, more = "measured", measured
    seconds = pace * (search_seconds + more)
    tried = min(train, EXACT_ROWS if cells else PILOT_OF_OBJECTS)
    how = {
        "measured": f"an exact machine on {tried:,} rows, "
        + (f"machines in cells of {cell_size:,} rows and " if cells else "and ")
        + f"{rank} landmarks are tried, and rows kept apart decide",
        "cells": f"exact machines in cells of at most {cell_size:,} rows",
        "low-rank": f"low rank: {rank} landmarks",
    }[kind]
    words = f"{how}; {size(need)}, about {clock(seconds)}"
    return Plan(kind, rank, cell_size, searched, need, limit, seconds, words, pace)


def rank_for(rows: int) -> int:
    """Landmarks for so many rows: more rows never get fewer."""
    return int(min(MOST_RANK, max(RANK, 50 * round(rows**0.5 / 50))))


def _too_big(need: int, limit: int, rows: int) -> LimitError:
    fits = max(1, int(rows * limit / need))
    return LimitError(
        f"{rows} rows would need about {size(need)}, the memory limit is {size(limit)}.",
        f"Raise --memory-limit, leave out columns, or use about {fits} rows.",
    )


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.0f} B"


def clock(seconds: float) -> str:
    """Seconds for people."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 100:
        return f"{round(seconds / 5) * 5} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
