"""The binary problems of a sample, and the ground they are solved on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.learners._kernel import radius

Floats = NDArray[np.float64]
Part = tuple[NDArray[np.intp], Floats, Floats]  # rows, their targets, their weights


@dataclass(frozen=True)
class Tasks:
    """One part for each problem; classifiers add what the labels are."""

    parts: Sequence[Part]
    names: tuple[str, ...] = ("",)
    classes: NDArray[Any] | None = None
    codes: NDArray[np.intp] | None = None
    class_weight: Floats | None = None


@dataclass(frozen=True)
class Ground:
    """What a problem may know about the kernel matrix: its size and its diagonal."""

    n: int
    diagonal: Floats

    @property
    def radius(self) -> float:
        """Radius of the data in feature space."""
        return radius(self.diagonal)
