from typing import Any

import numpy as np
from numpy.typing import NDArray

def shortest_paths(
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    length: NDArray[np.float64],
    sources: NDArray[np.int32],
    result: NDArray[np.float64],
    threads: int,
) -> Any: ...
