"""The compiled core (csrc/)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Params = tuple[float, float, float]
Steps = list[tuple[str, Params, int, int]]

class Source:
    @property
    def n(self) -> int: ...

def level() -> str: ...
def levels() -> list[str]: ...
def set_level(name: str) -> None: ...
def kernel_tile(
    X: NDArray[Any], Y: NDArray[Any], family: str, params: Params | Steps, n_threads: int
) -> NDArray[Any]: ...
def kernel_matmul(
    X: NDArray[Any],
    Y: NDArray[Any],
    V: NDArray[np.float64],
    family: str,
    params: Params | Steps,
    n_threads: int,
    same: bool = False,
) -> NDArray[np.float64]: ...
def single_matmul(
    X: NDArray[np.float32],
    Y: NDArray[np.float32],
    V: NDArray[np.float64],
    family: str,
    params: Params | Steps,
    n_threads: int,
) -> NDArray[np.float64]: ...
def symmetric_matmul(
    X: NDArray[Any],
    V: NDArray[np.float64],
    family: str,
    params: Params | Steps,
    out: NDArray[np.float64],
    n_threads: int,
) -> None: ...
def vector_source(
    X: NDArray[Any], family: str, params: Params | Steps, n_threads: int
) -> Source: ...
def sparse_source(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    data: NDArray[Any],
    columns: int,
    family: str,
    params: Params,
) -> Source: ...
def matrix_source(K: NDArray[Any]) -> Source: ...
def callback_source(
    diagonal: NDArray[np.float64], tile: Callable[[Any, Any], NDArray[np.float64]]
) -> Source: ...
def solve_many(
    source: Source,
    problems: list[tuple[Any, ...]],
    tol: float,
    max_iter: int,
    time_limit: float,
    cache_bytes: float,
    inner: int,
    middle: int,
    n_threads: int,
    callback: Callable[[dict[str, Any]], Any] | None,
    patient: bool = False,
) -> list[dict[str, Any]]: ...
