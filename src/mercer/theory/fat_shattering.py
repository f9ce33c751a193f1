"""Fat shattering of finite sets of functions, with the witnesses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class FatShattering:
    """Points that are shattered at a scale, and the levels r_i around which they are."""

    points: tuple[int, ...]
    witnesses: tuple[float, ...]
    scale: float


def fat_shattered(outputs: Any, points: Any, scale: float) -> FatShattering | None:
    """Whether the functions (rows of ``outputs``) shatter these points (columns) at ``scale``.

    Shattered means: with some levels r_i, every pattern of signs s is realised by a function with
    s_i(f(x_i) − r_i) ≥ scale. It is enough to try levels f(x_i) + scale over the functions f.
    """
    outputs, points = np.asarray(outputs, dtype=float), tuple(int(i) for i in points)
    candidates = [np.unique(outputs[:, i]) + scale for i in points]
    patterns = list(product((-1.0, 1.0), repeat=len(points)))
    for levels in product(*candidates):
        gaps = outputs[:, list(points)] - np.array(levels)
        above, below = gaps >= scale - 1e-12, gaps <= -scale + 1e-12
        if all(_realised(above, below, pattern) for pattern in patterns):
            return FatShattering(points, tuple(float(r) for r in levels), scale)
    return None


def _realised(above: NDArray[Any], below: NDArray[Any], pattern: tuple[float, ...]) -> bool:
    wanted = [above[:, i] if s > 0 else below[:, i] for i, s in enumerate(pattern)]
    return bool(np.logical_and.reduce(wanted).any())


def fat_dimension(outputs: Any, scale: float) -> FatShattering:
    """A largest set of points shattered at ``scale``; its size is the fat-shattering dimension."""
    outputs = np.asarray(outputs, dtype=float)
    if not scale > 0:
        raise ValueError(f"the scale must be positive, got {scale!r}")
    best = FatShattering((), (), scale)
    most = int(np.log2(len(outputs))) if len(outputs) else 0
    for size in range(1, min(outputs.shape[1], most) + 1):
        found = next(
            (
                shattered
                for points in combinations(range(outputs.shape[1]), size)
                if (shattered := fat_shattered(outputs, points, scale))
            ),
            None,
        )
        if found is None:
            break
        best = found
    return best


def largest_scale(outputs: Any, points: Any) -> float:
    """Largest scale at which the points are shattered; 0 if they never are."""
    outputs = np.asarray(outputs, dtype=float)
    columns = outputs[:, [int(i) for i in points]]
    scales = np.unique(np.abs(columns[:, None, :] - columns[None, :, :])) / 2.0
    feasible = [s for s in scales if s > 0 and fat_shattered(outputs, points, float(s))]
    return float(max(feasible, default=0.0))
