"""What the pictures over a plane share: a mesh around points, and the points on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.plots import _style

Floats = NDArray[np.float64]


def plane_mesh(X: Floats, resolution: int, margin: float = 0.1) -> tuple[Floats, Floats, Floats]:
    """Two axes around the points, and the rows of their mesh."""
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"a picture of the plane needs rows of two numbers, got shape {X.shape}")
    low, high = X.min(axis=0), X.max(axis=0)
    room = margin * np.maximum(high - low, 1e-9)
    x, y = (np.linspace(low[j] - room[j], high[j] + room[j], resolution) for j in (0, 1))
    return x, y, np.column_stack([part.ravel() for part in np.meshgrid(x, y)])


def draw_points(ax: Any, X: Floats, labels: ArrayLike | None, size: float = 18.0) -> None:
    """Points with the colours and markers of their classes."""
    codes = np.zeros(len(X), dtype=int)
    names: Any = [""]
    if labels is not None:
        names, codes = np.unique(np.asarray(labels), return_inverse=True)
    for k, name in enumerate(names):
        own = X[codes == k]
        ax.scatter(
            own[:, 0],
            own[:, 1],
            s=size,
            color=_style.class_colour(k),
            marker=_style.class_marker(k),
            edgecolor=_style.INK,
            lw=0.4,
            label=str(name) or None,
            zorder=3,
        )
