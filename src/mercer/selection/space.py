"""Which kernels and parameters are tried."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from mercer import kernels as library
from mercer._cached import cached_property
from mercer._discover import snake_case
from mercer.kernels import Kernel, from_sklearn
from mercer.kernels.bandwidth import median_distance
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.vectors.gaussian import Gaussian
from mercer.selection._fingerprint import identity

_ALIASES = {"rbf": "gaussian", "poly": "polynomial", "matern": "matern", "cosine": "cosine"}
ARD = "ard"  # a Gaussian with one length scale per column, found by following a gradient
BANDWIDTHS = 2.0 ** np.arange(-3.0, 3.1, 1.5)  # times the median distance
COSTS = 10.0 ** np.arange(-1.0, 4.0)


@dataclass(frozen=True)
class Candidate:
    """One setting: a kernel (None: the estimator's own) and parameters of the estimator."""

    kernel: Kernel | None
    params: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""

    @cached_property
    def key(self) -> str:
        """A text that identifies the setting, the same in every process."""
        inside = ", ".join(f"{name}={identity(v)}" for name, v in sorted(self.params.items()))
        return f"{self.kernel_key} | {inside}"

    @cached_property
    def kernel_key(self) -> str:
        """A text that identifies the kernel."""
        return identity(self.kernel)

    def named(self) -> dict[str, Any]:
        """Everything that was chosen, for the results table."""
        return {} if self.kernel is None else {"kernel": self.kernel, **self.params}


def _plain(value: object) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def by_kernel(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates that share a kernel, in their order."""
    units: dict[int, list[Candidate]] = {}
    for candidate in candidates:  # a kernel is one object for all its costs
        units.setdefault(id(candidate.kernel), []).append(candidate)
    return list(units.values())


def bandwidth_name(kernel: Kernel) -> str | None:
    """The parameter that sets the kernel's scale, if it has one."""
    names = kernel.get_params(deep=False)
    return next((name for name in ("length_scale", "gamma", "sigma") if name in names), None)


def read_kernels(kernels: Any, X: Any) -> list[tuple[str, Kernel, bool]]:
    """Name, template and whether its bandwidth is searched, for every kernel asked for.

    A name gets its bandwidth searched; a kernel object is taken as it is, with numbers in place of
    heuristics such as "median".
    """
    if isinstance(kernels, str) and kernels == "auto":
        kernels = ["gaussian"]
    if isinstance(kernels, str | Kernel) or not isinstance(kernels, Iterable):
        kernels = [kernels]
    found: list[tuple[str, Kernel, bool]] = []
    for one in kernels:
        if isinstance(one, Kernel):
            found.append((snake_case(type(one).__name__), one.resolve(X), False))
        elif isinstance(one, str):
            name, kernel, searched = by_name(one)
            if "vectors" not in kernel.accepts and not searched:
                kernel = kernel.resolve(X)  # an alphabet or weights of words
            found.append((name, kernel, searched))
        else:
            raise TypeError(
                f"kernels must hold names or mercer kernels, got {one!r}; wrap a function as "
                "mercer.kernels.FromCallable(function)"
            )
    if not found:
        raise ValueError("kernels is empty: there is nothing to search")
    return found


def by_name(name: str) -> tuple[str, Kernel, bool]:
    """Name, kernel and whether its bandwidth is searched, of a kernel given by its name."""
    known = library.available()
    if name == "precomputed":
        return name, Precomputed(), False
    if name == ARD:
        return name, Gaussian(), True
    if name == "cosine":
        return name, from_sklearn("cosine"), False
    plain = _ALIASES.get(name, name)
    if plain not in known:
        raise ValueError(f"there is no kernel {name!r}; there are {sorted(known)}")
    try:
        kernel = known[plain]()
    except TypeError as problem:
        raise ValueError(
            f"the kernel {name!r} needs arguments; pass an object, such as "
            f"kernels=[{known[plain].__name__}(...)]"
        ) from problem
    return plain, kernel, bandwidth_name(kernel) is not None


def typical_bandwidth(kernel: Kernel, X: Any) -> float:
    """The bandwidth at which the kernel of two typical rows is neither 0 nor 1."""
    if "vectors" not in kernel.accepts:
        return 1.0  # strings and other objects: nothing to measure a length with
    name = bandwidth_name(kernel)
    if name == "length_scale":
        metric = getattr(kernel, "_metric", "euclidean")
        return median_distance(X, metric)
    values = X.data if sparse.issparse(X) else np.asarray(X)
    squares = float(np.sum(np.square(values.astype(np.float64)))) / max(1, X.shape[0])
    return 1.0 / squares if squares > 0 else 1.0


def with_bandwidth(kernel: Kernel, value: float) -> Kernel:
    """A copy of the kernel with another scale."""
    name = bandwidth_name(kernel)
    return clone(kernel) if name is None else clone(kernel).set_params(**{name: float(value)})


def bandwidth_of(kernel: Kernel | None) -> float:
    """The kernel's scale as a length; NaN if it has none or several."""
    name = None if kernel is None else bandwidth_name(kernel)
    if kernel is None or name is None:
        return math.nan
    value = getattr(kernel, name)
    if isinstance(value, str) or np.ndim(value):
        return math.nan
    return float(value)


def check_values(name: str, values: Any) -> list[Any]:
    """The values of one parameter as a list; refuses an empty or contradictory one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = [values]
    values = [_plain(value) for value in values]
    if not values:
        raise ValueError(f"param_grid[{name!r}] is empty: there is nothing to search")
    seen = {repr(value) for value in values}
    if len(seen) < len(values):
        raise ValueError(f"param_grid[{name!r}] holds a value twice: {values}")
    return values
