"""Kernels that the compiled core knows.

A fused kernel is described by a family, three numbers and, optionally, factors for the columns; one
that is made of such kernels (`Composed`, in `composed`) by the steps that make it. Everything else
(tiles, products, rows inside the solver) then runs in ``mercer._native``. The NumPy ``_tile`` of
the same kernel is its slow twin, and the oracle of the tests.
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

_CHEAP = "linear"  # in double precision, too
_KINKED = "matern12"  # exp(-r) at r = 0, the root of a cancelled difference: float32 has no digits

# Families of |x-y|^2, expanded into norms and a product, and the power of it that they see
_EXPANDED = {"gaussian": 1.0, "matern12": 0.5, "matern32": 0.5, "matern52": 0.5}
_PRODUCTS = ("linear", "polynomial", "sigmoid")

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
    params: Any  # three numbers, or the steps of a composed kernel
    scale: NDArray[np.floating] | None = None

    @property
    def kinked(self) -> bool:
        """Whether single precision has no digits where two rows are near each other."""
        return self.family == _KINKED

    @property
    def gains_by_single(self) -> bool:
        """Whether labels are worth a first look in single precision."""
        return self.family not in (_CHEAP, _KINKED)

    def single_size(self, square: float, n_columns: int) -> tuple[float, float]:
        """The largest value and its error in units of float32's rounding; inf: too large for it.

        ``square`` is the largest squared norm of the prepared rows.
        """
        # |x-y|^2 as a difference of squares, or a large argument of tanh: its error times the slope
        argument = 0.0
        if self.family in _EXPANDED:
            argument = self.params[0] ** (1 / _EXPANDED[self.family]) * square
        elif self.family in _PRODUCTS:
            gamma, offset = (1.0, 0.0) if self.family == "linear" else self.params[:2]
            argument = abs(gamma) * square + abs(offset)
        elif self.family == "intersection":
            argument = np.sqrt(square * n_columns)
        value = 1.0
        if self.family in ("linear", "polynomial", "intersection"):  # unbounded
            power = self.params[2] if self.family == "polynomial" else 1.0
            value = max(argument, 1.0) ** power if argument < 100 else np.inf
        good = np.isfinite(square) and argument < 100 and value < 100 and not self.kinked
        return (value, value) if good else (np.inf, np.inf)

    def single_size_of(self, rows: NDArray[np.floating]) -> tuple[float, float]:
        """`single_size` of prepared rows."""
        square = float(np.max(np.einsum("ij,ij->i", rows, rows), initial=0.0))
        return self.single_size(square, rows.shape[1])

    def shift(self, Y: NDArray[np.floating]) -> Any:
        """What to subtract from both samples so that rounding is relative to their spread."""
        if self.family not in _STATIONARY:
            return None
        return Y.mean(axis=0, dtype=np.float64).astype(Y.dtype)

    def prepare(
        self, X: NDArray[np.floating], shift: Any = None, dtype: Any = None
    ) -> NDArray[np.floating]:
        """The rows as the compiled core wants them: shifted, rounded, scaled, C-contiguous."""
        dtype = X.dtype if dtype is None else dtype
        if shift is None and self.scale is None:
            return np.ascontiguousarray(X, dtype=dtype)
        rows = np.empty((X.shape[0], self.width(X)), dtype=dtype)
        self.fill(rows, X, shift)
        return rows

    def width(self, X: NDArray[Any]) -> int:
        """Columns of the prepared rows."""
        return int(X.shape[1])

    def fill(self, rows: NDArray[Any], X: NDArray[Any], shift: Any) -> None:
        """Write the prepared rows into an array."""
        if shift is None:
            rows[...] = X
        else:
            np.subtract(X, shift, out=rows, casting="same_kind")
        if self.scale is not None:
            rows *= self.scale.astype(rows.dtype)

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
        if not self.gains_by_single:
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
        if self.kinked and Y.dtype == np.float32:
            Y = Y.astype(np.float64)
            X = Y if same else X.astype(np.float64)
        shift, both = self.shift(Y), np.result_type(X, Y)  # the compiled core wants one type
        right = self.prepare(Y, shift, both)
        return (right if same else self.prepare(X, shift, both)), right
