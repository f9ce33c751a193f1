from typing import Any

import numpy as np
from numpy.typing import NDArray

def level() -> str: ...
def shortest_paths(
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    length: NDArray[np.float64],
    sources: NDArray[np.int32],
    result: NDArray[np.float64],
    threads: int,
) -> Any: ...
def nearest(
    points: NDArray[np.float64],
    queries: NDArray[np.float64],
    same: bool,
    squares: NDArray[np.float64],
    places: NDArray[np.int32],
    threads: int,
) -> None: ...
def order(points: NDArray[np.float64]) -> NDArray[np.int32]: ...
def within(
    points: NDArray[np.float64],
    queries: NDArray[np.float64],
    same: bool,
    itself: bool,
    limit: float,
    most: int,
    threads: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
def joined(
    points: NDArray[np.float64], k: int, mutual: bool, itself: bool, threads: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
def joined_from(
    squares: NDArray[np.float64],
    places: NDArray[np.int32],
    mutual: bool,
    itself: bool,
    threads: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...

class Walk:
    def __init__(
        self,
        start: NDArray[np.int32],
        end: NDArray[np.int32],
        value: NDArray[np.float64],
        threads: int,
    ) -> None: ...
    def chebyshev(
        self,
        x: NDArray[np.float64],
        result: NDArray[np.float64],
        degree: int,
        low: float,
        high: float,
        top: float,
    ) -> None: ...
