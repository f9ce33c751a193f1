"""The compiled core for strings, sequences and series (csrc/sequences/)."""

import numpy as np
from numpy.typing import NDArray

Symbols = NDArray[np.int32]
Starts = NDArray[np.int64]
Floats = NDArray[np.float64]

def level() -> str: ...
def subsequence(
    x: Symbols,
    x_starts: Starts,
    y: Symbols,
    y_starts: Starts,
    weights: Floats,
    decay: float,
    symmetric: bool,
    n_threads: int,
) -> Floats: ...
def local_log(
    x: Symbols,
    x_starts: Starts,
    y: Symbols,
    y_starts: Starts,
    factors: Floats,
    open: float,
    extend: float,
    symmetric: bool,
    n_threads: int,
) -> Floats: ...
def global_log(
    x: Floats,
    x_starts: Starts,
    y: Floats,
    y_starts: Starts,
    length_scale: float,
    band: int,
    symmetric: bool,
    n_threads: int,
) -> Floats: ...
def warping(
    x: Floats,
    x_starts: Starts,
    y: Floats,
    y_starts: Starts,
    window: int,
    symmetric: bool,
    n_threads: int,
) -> Floats: ...
