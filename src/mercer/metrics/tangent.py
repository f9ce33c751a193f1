"""Distance between images that forgives small movements."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from mercer._types import Samples
from mercer.metrics._base import Floats, Metric

MOVES = ("right", "down", "rotation", "scale", "stretch", "shear", "thickness")


class Tangent(Metric):
    """The tangent distance of Simard, LeCun and Denker (1993) between square images.

    Moving an image a little (to the right, downwards, turning, growing, stretching, shearing,
    thicker strokes) adds a combination of tangent vectors T to it. The distance is how far two
    images remain apart when both may be moved:
    min over a, b of √(‖x + T_x a − y − T_y b‖² + r (‖a‖² + ‖b‖²)), tangents of length one.
    The triangle inequality may fail: x may be near y, y near z, by movements that do not combine.

    Parameters
    ----------
    moves : sequence of str, default=all seven
        Which movements are forgiven.
    smoothing : float, default=0.9
        Width in pixels of the Gaussian that images are blurred with before they are differentiated.
    reg_param : float, default=0.1
        Price r of moving; without one distant images can be moved into each other.
    """

    def __init__(self, moves: Any = MOVES, smoothing: float = 0.9, reg_param: float = 0.1) -> None:
        self.moves = moves
        self.smoothing = smoothing
        self.reg_param = reg_param

    def _check(self, X: Any, name: str = "X") -> None:
        unknown = [move for move in self.moves if move not in MOVES]
        if unknown or len(self.moves) == 0:
            raise ValueError(f"moves must be some of {MOVES}, got {self.moves!r}")
        if not (self.smoothing > 0 and self.reg_param > 0):
            raise ValueError("smoothing and reg_param must be positive")
        side = round(X.shape[1] ** 0.5)
        if side * side != X.shape[1] or side < 2:
            raise ValueError(
                f"Tangent compares square images, a row each; {name} has {X.shape[1]} columns"
            )

    def tangents(self, X: Samples) -> Floats:
        """Tangent vectors of every image, of shape (n, moves, pixels) and length one (or zero)."""
        X = np.asarray(X, dtype=np.float64)
        side = round(X.shape[1] ** 0.5)
        images = X.reshape(-1, side, side)
        width = (0.0, self.smoothing, self.smoothing)
        down = gaussian_filter(images, width, order=(0, 1, 0), mode="nearest")
        right = gaussian_filter(images, width, order=(0, 0, 1), mode="nearest")
        place = np.linspace(-1.0, 1.0, side)
        x, y = place[None, None, :], place[None, :, None]
        every = {
            "right": right,
            "down": down,
            "rotation": y * right - x * down,
            "scale": x * right + y * down,
            "stretch": x * right - y * down,
            "shear": y * right + x * down,
            "thickness": right**2 + down**2,
        }
        found = np.stack([every[move].reshape(len(X), -1) for move in self.moves], axis=1)
        size = np.linalg.norm(found, axis=2, keepdims=True)
        return np.divide(found, size, out=np.zeros_like(found), where=size > 0)

    def _tile(self, X: Samples, Y: Samples) -> Floats:
        X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
        left, right = self.tangents(X), self.tangents(Y)
        m = left.shape[1]
        ridge = self.reg_param * np.eye(m)
        own_left = np.einsum("imd,ikd->imk", left, left) + ridge
        own_right = np.einsum("jmd,jkd->jmk", right, right) + ridge
        across_right = np.einsum("jmd,jd->jm", right, Y)
        D = np.empty((len(X), len(Y)))
        block = np.empty((len(Y), 2 * m, 2 * m))
        block[:, m:, m:] = own_right
        for i, image in enumerate(X):
            gap = image - Y
            mixed = -np.einsum("md,jkd->jmk", left[i], right)
            block[:, :m, :m] = own_left[i]
            block[:, :m, m:] = mixed
            block[:, m:, :m] = np.swapaxes(mixed, 1, 2)
            slope = np.concatenate([gap @ left[i].T, across_right - right @ image], axis=1)
            moved = np.linalg.solve(block, slope[..., None])[..., 0]
            D[i] = np.einsum("jd,jd->j", gap, gap) - np.einsum("jm,jm->j", slope, moved)
        return np.sqrt(np.maximum(D, 0.0))

    @classmethod
    def examples(cls) -> list[Tangent]:
        """All movements, and shifts only."""
        return [cls(), cls(moves=("right", "down"), smoothing=0.6, reg_param=1.0)]

    @classmethod
    def example_data(cls, n: int, rng: np.random.Generator) -> Any:
        """Random images of 5 × 5 pixels."""
        return rng.random((n, 25))
