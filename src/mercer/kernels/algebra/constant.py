"""The constant kernel, and white noise on the diagonal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.composed import Composed, affine, no_columns
from mercer.kernels.fused import Fused
from mercer.kernels.validate import n_rows, real


class _AnyData(Kernel):
    """A kernel that never looks at its data."""

    accepts = frozenset({"vectors", "sparse", "objects", "strings"})
    sparse_tiles = True
    bounded = True
    stationary = True


class Constant(_AnyData):
    """k(x, y) = value: the offset of a function as a kernel.

    Parameters
    ----------
    value : nonnegative float
    """

    def __init__(self, value: float = 1.0) -> None:
        self.value = value

    @property
    def sup_norm(self) -> float:
        """The root of the value."""
        return math.sqrt(self.value)

    @property
    def value_range(self) -> tuple[float, float]:
        """One value only."""
        return float(self.value), float(self.value)

    def dimension(self, n_features: int | None) -> float:
        """Every image is the same."""
        return 1.0

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.value, "Constant: value", low=0)

    def fused_for(self, X: Any) -> Fused | None:
        """An inner product of no columns, and the value."""
        if sparse.issparse(X) or getattr(X, "ndim", 1) != 2:
            return None
        nothing = Fused("linear", (0.0, 0.0, 0.0))
        return Composed.of([nothing], affine(1.0, self.value), no_columns, X)

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        return np.full((n_rows(X), n_rows(Y)), float(self.value))

    def _diag(self, X: Samples) -> NDArray[np.float64]:
        return np.full(n_rows(X), float(self.value))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[np.float64]]:
        return {"value": np.ones((n_rows(X), n_rows(Y)))}

    @classmethod
    def examples(cls) -> list[Constant]:
        """Not one."""
        return [cls(1.7)]


class White(_AnyData):
    """``noise`` where an object meets itself, 0 elsewhere: independent noise in each observation.

    "Itself" means the same row of the training sample, so only the diagonal of a training Gram
    (``Y=None``) has the noise: two observations with equal inputs have independent noise, and new
    objects meet the training sample without it (Herbrich, equation 3.15).

    Parameters
    ----------
    noise : nonnegative float
        The variance.
    """

    def __init__(self, noise: float = 1.0) -> None:
        self.noise = noise

    def _check(self, X: Samples, name: str = "X") -> None:
        real(self.noise, "White: noise", low=0)

    def _tile(self, X: Samples, Y: Samples) -> NDArray[np.float64]:
        return np.zeros((n_rows(X), n_rows(Y)))

    def _diag(self, X: Samples) -> NDArray[np.float64]:
        return np.full(n_rows(X), float(self.noise))

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[np.float64]]:
        return {"noise": np.zeros((n_rows(X), n_rows(Y)))}

    def _diag_gradient(self, X: Samples) -> dict[str, NDArray[np.float64]]:
        return {"noise": np.ones(n_rows(X))}

    @classmethod
    def examples(cls) -> list[White]:
        """Not one."""
        return [cls(0.3)]
