"""The parameters of a kernel as one vector of logarithms, for optimisers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.validate import take

Floats = NDArray[np.float64]
REACH = {"length_scale": 1e4, "period": 1e2}  # how far a parameter may move from where it starts
OTHERWISE = 1e5


class Theta:
    """Every positive, finite parameter of a kernel, in the order of `Kernel.gradient`.

    Parameters that are zero or infinite stay as they are (they switch something off), and so do
    those that ``bounds`` declares "fixed".

    Parameters
    ----------
    kernel : Kernel
        Resolved: numbers only.
    X : validated sample
        Two of its rows are used to ask which parameters have derivatives.
    bounds : mapping from parameter name to (low, high) or "fixed", optional
        Names as `set_params` spells them. By default a parameter may move by a factor of 10,000
        (length scales), 100 (periods) or 100,000 (all others) either way.

    Attributes
    ----------
    names : list of str
        One per entry of the vector; entries of an array are numbered, ``"length_scale[2]"``.
    """

    _tag = "record:theta"

    def __init__(self, kernel: Kernel, X: Samples, bounds: Mapping[str, Any] | None = None) -> None:
        self.kernel = kernel
        given = dict(bounds or {})
        slopes = kernel.gradient(take(X, slice(0, 2)))
        unknown = sorted(set(given) - set(slopes))
        if unknown:
            raise ValueError(
                f"bounds: {kernel} has no parameter {unknown[0]!r}; it has {sorted(slopes)}"
            )
        values = kernel.get_params(deep=True)
        self._places: list[tuple[str, NDArray[np.intp]]] = []
        self.names: list[str] = []
        self._limits: list[tuple[float, float]] = []
        for name in slopes:
            if isinstance(given.get(name), str) and given[name] == "fixed":
                continue
            flat = np.atleast_1d(np.asarray(values[name], dtype=np.float64))
            free = np.flatnonzero(np.isfinite(flat) & (flat > 0))
            if free.size:
                self._places.append((name, free))
                scalar = np.ndim(values[name]) == 0
                self.names += [name if scalar else f"{name}[{i}]" for i in free]
                self._limits += [_limits(name, flat[i], given.get(name)) for i in free]

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.names)

    def start(self) -> Floats:
        """The logarithms of the present values."""
        return self._pack(self.kernel.get_params(deep=True))

    def bounds(self) -> Floats:
        """Lower and upper limits of the logarithms, shape (size, 2)."""
        return np.log(np.asarray(self._limits).reshape(-1, 2))

    def kernel_at(self, theta: Any) -> Kernel:
        """A copy of the kernel with the parameters exp(theta)."""
        values = self.kernel.get_params(deep=True)
        changes: dict[str, Any] = {}
        done = 0
        for name, free in self._places:
            new = np.exp(np.asarray(theta[done : done + free.size], dtype=np.float64))
            done += free.size
            if np.ndim(values[name]) == 0:
                changes[name] = float(new[0])
            else:
                changes[name] = np.array(values[name], dtype=np.float64)
                changes[name][free] = new
        moved: Kernel = clone(self.kernel).set_params(**changes)
        return moved

    def public_at(self, theta: Any) -> Kernel:
        """What a learner publishes: the same."""
        return self.kernel_at(theta)

    def pull_back(self, kernel: Kernel, slopes: Mapping[str, Any]) -> Floats:
        """Derivatives in theta from derivatives in the parameters of ``kernel_at(theta)``."""
        return self._pack(slopes, raw=True) * np.exp(self._pack(kernel.get_params(deep=True)))

    def _pack(self, values: Mapping[str, Any], raw: bool = False) -> Floats:
        parts = [
            np.atleast_1d(np.asarray(values[name], dtype=np.float64))[free]
            for name, free in self._places
        ]
        flat = np.concatenate(parts) if parts else np.empty(0)
        return flat if raw else np.log(flat)


def _limits(name: str, value: float, given: Any) -> tuple[float, float]:
    if given is None:
        reach = REACH.get(name.rpartition("__")[2], OTHERWISE)
        return value / reach, value * reach
    low, high = (float(limit) for limit in given)
    if not 0 < low <= high:
        raise ValueError(f"bounds[{name!r}] must be 0 < low <= high or 'fixed', got {given!r}")
    return min(low, value), max(high, value)
