"""Derivatives of a kernel whose author gave none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer._types import Samples

if TYPE_CHECKING:
    from mercer.kernels._base import Kernel


def float_parameters(kernel: Kernel) -> dict[str, Any]:
    """The parameters that are real numbers or arrays of them (not whole numbers, not choices)."""
    return {
        name: value
        for name, value in kernel.get_params(deep=False).items()
        if name not in kernel.choices
        and (
            isinstance(value, float)
            or (isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "f")
        )
    }


def numeric_gradient(kernel: Kernel, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
    """Central differences, accurate to about ten digits in float64."""
    gradients: dict[str, NDArray[Any]] = {}
    for name, value in float_parameters(kernel).items():
        flat = np.atleast_1d(np.asarray(value, dtype=np.float64))
        slices = [_slope(kernel, name, value, i, X, Y) for i in range(flat.size)]
        gradients[name] = slices[0] if np.ndim(value) == 0 else np.stack(slices, axis=-1)
    return gradients


def _slope(kernel: Kernel, name: str, value: Any, i: int, X: Any, Y: Any) -> NDArray[Any]:
    flat = np.atleast_1d(np.asarray(value, dtype=np.float64))
    step = np.zeros_like(flat)
    step[i] = np.cbrt(np.finfo(np.float64).eps) * max(1e-3, abs(flat[i]))
    if getattr(X, "dtype", None) == np.float32:
        X, Y = X.astype(np.float64), Y.astype(np.float64)

    def values(point: NDArray[np.float64]) -> NDArray[Any]:
        setting = float(point[0]) if np.ndim(value) == 0 else point
        return clone(kernel).set_params(**{name: setting})._values(X, Y)

    return (values(flat + step) - values(flat - step)) / (2 * step[i])
