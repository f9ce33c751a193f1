"""How much weight each class has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_every_class(classes: NDArray[Any], mass: NDArray[np.float64]) -> None:
    """Refuse a class without weight, for learners that estimate something in every class."""
    if np.any(mass == 0):
        missing = classes[mass == 0].tolist()
        raise ValueError(f"Classes {missing} have no sample with positive weight.")
