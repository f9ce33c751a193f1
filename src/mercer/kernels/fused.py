"""Kernels that the compiled core knows by name.

A fused kernel is described by a family, three numbers and, optionally, factors for the columns.
Everything else about it (tiles, products, rows inside the solver) then runs in ``mercer._native``.
The NumPy ``_tile`` of the same kernel is its slow twin, and the oracle of the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _config

Floats = NDArray[np.float64]
Product = Callable[[Floats], Floats]
_SEVERAL = 4  # vectors that make it worth while to use each kernel value for its row and its column

_NOT_SINGLE = ("linear", "matern12")  # cheap anyway; a kink where float32 has no digits left

# Functions of x - y: moving both samples changes nothing but the rounding. Distance from the origin
# costs digits, all the more where |x-y|^2 is expanded into norms and a product.
_STATIONARY = frozenset({"gaussian", "matern12", "matern32", "matern52", "laplacian"})


@cache
def _load() -> ModuleType | None:
    try:
        from mercer import _native
    except ImportError:
        return None
    return _native


def native() -> ModuleType | None:
    """The compiled core, or None if it is absent or switched off."""
    return _load() if _config.compiled() else None


@dataclass(frozen=True)
class Fused:
    """A kernel of the compiled core: ``family``, ``params`` and factors of the columns."""

    family: str
    params: tuple[float, float, float]
    scale: NDArray[np.floating] | None = None

    def shift(self, Y: NDArray[np.floating]) -> NDArray[np.floating] | None:
        """What to subtract from both samples so that rounding is relative to their spread."""
        if self.family not in _STATIONARY:
            return None
        return Y.mean(axis=0, dtype=np.float64).astype(Y.dtype)

    def prepare(
        self, X: NDArray[np.floating], shift: NDArray[np.floating] | None = None
    ) -> NDArray[np.floating]:
        """The rows as the compiled core wants them: shifted, scaled, C-contiguous."""
        if shift is not None:
            X = X - shift
        if self.scale is not None:
            X = X * self.scale.astype(X.dtype)
        return np.ascontiguousarray(X)

    def tile(self, X: NDArray[Any], Y: NDArray[Any], core: ModuleType) -> NDArray[Any]:
        """K(X, Y) by the compiled core."""
        left, right = self._pair(X, Y)
        K = core.kernel_tile(left, right, self.family, self.params, _config.n_threads())
        return K.astype(Y.dtype, copy=False)

    def matmul(
        self, X: NDArray[Any], Y: NDArray[Any], V: Floats, core: ModuleType, same: bool
    ) -> Floats:
        """K(X, Y) @ V by the compiled core, without storing K; ``same``: Y are the rows of X."""
        left, right = self._pair(X, Y)
        threads = _config.n_threads()
        if same and left.dtype == np.float64 and V.shape[1] >= _SEVERAL:
            return self._symmetric(left, V, core)
        return core.kernel_matmul(left, right, V, self.family, self.params, threads, same)

    def single(self, X: NDArray[Any], core: ModuleType) -> Product | None:
        """V ↦ K(X, X)·V with kernel values in float32, or None if that gains nothing."""
        if self.family in _NOT_SINGLE:
            return None
        with np.errstate(over="ignore"):
            rows = self.prepare(X, self.shift(X)).astype(np.float32)
        return partial(self._symmetric, rows, core=core) if np.isfinite(rows).all() else None

    def _symmetric(self, X: NDArray[Any], V: Floats, core: ModuleType) -> Floats:
        result = np.empty(V.shape)
        threads = _config.n_threads()
        core.symmetric_matmul(X, np.ascontiguousarray(V), self.family, self.params, result, threads)
        return result

    def _pair(self, X: NDArray[Any], Y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        same = X is Y  # saves work, and changes no bit
        if self.family == "matern12" and Y.dtype == np.float32:
            # exp(-r) has a kink at r = 0, where r is the root of a cancelled difference
            Y = Y.astype(np.float64)
            X = Y if same else X.astype(np.float64)
        shift = self.shift(Y)
        right = self.prepare(Y, shift)
        return (right if same else self.prepare(X, shift)), right
