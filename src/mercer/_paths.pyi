"""Machines along paths of costs over one Gram matrix (csrc/paths.cpp)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Step = tuple[float, float, float, int, str]
Floats = NDArray[np.float64]

def paths(
    K: NDArray[Any],
    jobs: list[tuple[Any, ...]],
    costs: list[float],
    tol: float,
    max_iter: int,
    time_limit: float,
    n_threads: int,
) -> list[tuple[Floats, Floats, Floats, list[Step]]]: ...
