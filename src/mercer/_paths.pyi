"""Machines along paths of costs (csrc/paths.cpp); kernels from shared pairs (csrc/shared.cpp)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Step = tuple[float, float, float, int, str]
Floats = NDArray[np.float64]

def level() -> str: ...
def paths(
    K: NDArray[Any],
    jobs: list[tuple[Any, ...]],
    costs: list[float],
    tol: float,
    max_iter: int,
    time_limit: float,
    n_threads: int,
) -> list[tuple[Floats, Floats, Floats, list[Step]]]: ...
def finish(
    pairs: NDArray[Any],
    left: NDArray[Any],
    right: NDArray[Any],
    family: str,
    params: tuple[float, float, float],
    out: NDArray[Any],
    n_threads: int,
) -> None: ...
