"""How fast is this machine just now? Forecasts are for a quiet one and are multiplied by this."""

from __future__ import annotations

import os
import time

import numpy as np

USUAL = 0.0006  # seconds of the work below on a quiet core of 2020


def pace() -> float:
    """Seconds here for one second there: how slow a core is, and how many want one."""
    taken = []
    for _ in range(5):
        start = time.process_time()  # the time of this process alone: others are counted below
        sum(i * i for i in range(10_000))
        taken.append(time.process_time() - start)
    slow = float(np.clip(min(taken) / USUAL, 0.3, 5.0))
    if not hasattr(os, "getloadavg"):  # Windows
        return slow
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return slow * float(np.clip(waiting, 1.0, 20.0))
