"""The compiled core (csrc/)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

def isa() -> str: ...
def isa_levels() -> list[str]: ...
def set_isa(level: str) -> None: ...
def kernel_tile(
    X: NDArray[np.floating],
    Y: NDArray[np.floating],
    family: str,
    params: tuple[float, float, float],
    n_threads: int,
) -> NDArray[np.floating]: ...
def kernel_matmul(
    X: NDArray[np.floating],
    Y: NDArray[np.floating],
    V: NDArray[np.float64],
    family: str,
    params: tuple[float, float, float],
    n_threads: int,
) -> NDArray[np.float64]: ...
