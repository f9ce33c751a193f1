"""How fast is this machine just now? Forecasts are for a quiet one and are multiplied by this."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

# Processor seconds of the work below on the quiet core that costs were measured on (2026). Python
# itself and compiled loops gain differently from one machine to the next: a run has much of both.
PYTHON, COMPILED = 0.00023, 0.0007
TIMES = 7
RUNNING = "/proc/loadavg"


def pace() -> float:
    """Seconds here for one second there: how slow a core is, and how many want one."""
    return alone() * waiting()


def alone() -> float:
    """The same for a process that has a core to itself."""
    slow = (_least(_python) / PYTHON * _least(_compiled) / COMPILED) ** 0.5
    return float(np.clip(slow, 0.3, 8.0))


def waiting() -> float:
    """How many want a core, ourselves included: at least one.

    The average of the last minute tells of what has ended, too; what runs this very moment may be
    gone in the next one. Only what both have seen is counted.
    """
    if not hasattr(os, "getloadavg"):  # Windows
        return 1.0
    cores = os.cpu_count() or 1
    return float(np.clip(min(os.getloadavg()[0], _running()) / cores, 1.0, 20.0))


def _running() -> float:
    """Tasks that run or want to, over a few looks; where nobody tells, unknown is many."""
    seen = []
    try:
        for _ in range(TIMES):
            with open(RUNNING, encoding="ascii") as file:
                seen.append(int(file.read().split()[3].partition("/")[0]))
            _python()  # some time goes by
    except (OSError, ValueError, IndexError):
        return float("inf")
    return float(np.mean(seen))


def _least(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(TIMES):
        start = time.process_time()  # the time of this process alone: others are counted above
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def _python() -> int:
    return sum(i * i for i in range(10_000))


def _compiled() -> float:
    values = np.sin(np.arange(20_000.0))
    places = np.searchsorted(np.sort(values), values[:8_000])
    return float(np.exp(-values).sum() + places[-1])
