"""In which order candidates are tried: a given grid, or coarse first and then fine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.selection._space import (
    BANDWIDTHS,
    COSTS,
    Candidate,
    bandwidth_name,
    bandwidth_of,
    check_values,
    read_kernels,
    typical_bandwidth,
    with_bandwidth,
)


class Space:
    """The candidates of a search, in rounds.

    Parameters given by the user are a grid, tried completely. Without any, the first round is a
    coarse grid around the median distance of the rows, and the following rounds halve the steps
    around the best so far.
    """

    def __init__(
        self, kernels: Any, params: Any, X: Any, path: str | None, known: Sequence[str]
    ) -> None:
        self.path = path
        self.given = read_params(params, known)
        self.automatic = path is not None and path not in self.given
        self.families = [] if kernels is None else read_kernels(kernels, X)
        self.bandwidths = {
            name: self._bandwidths(kernel, searched, X) for name, kernel, searched in self.families
        }
        self.refines = not self.given

    def _scales(self) -> list[float] | None:
        for name in ("length_scale", "gamma"):
            if name in self.given:
                return [float(v) for v in self.given[name]]
        return None

    def _bandwidths(self, kernel: Kernel, searched: bool, X: Any) -> list[float] | None:
        scales = self._scales()
        own = bandwidth_name(kernel)
        if own is None:
            return None
        if scales is not None:
            return [_translated(self.given, own, kernel, v) for v in scales]
        if not searched:
            return None
        return [float(v) for v in typical_bandwidth(kernel, X) * BANDWIDTHS]

    def first(self) -> list[Candidate]:
        """The grid, or the coarse round."""
        rest = {k: v for k, v in self.given.items() if k not in ("length_scale", "gamma")}
        if not self.families:
            rest = dict(self.given)
        if self.automatic and self.path is not None:
            rest[self.path] = default_path(self.path)
        settings = [dict(zip(rest, values, strict=True)) for values in product(*rest.values())]
        if not self.families:
            return [Candidate(None, setting) for setting in settings]
        found = []
        for name, kernel, _ in self.families:
            scales = self.bandwidths[name]
            kernels = [kernel] if scales is None else [with_bandwidth(kernel, s) for s in scales]
            found += [Candidate(k, s, name) for k in kernels for s in settings]
        return found

    def finer(self, best: Candidate, round_: int) -> list[Candidate]:
        """Neighbours of the best candidate at half the distance of the round before."""
        if not self.refines:
            return []
        cost_step = 10.0 ** (0.5**round_)
        scale_step = 2.0 ** (0.5**round_)
        settings = [dict(best.params)]
        if self.path is not None and self.path != "nu":
            cost = float(best.params[self.path])
            steps = (cost / cost_step, cost, cost * cost_step)
            settings = [{**best.params, self.path: c} for c in steps]
        scale = bandwidth_of(best.kernel)
        if best.kernel is None or math.isnan(scale) or self.bandwidths.get(best.family) is None:
            kernels = [best.kernel]
        else:
            factors = [1.0, 1.0 / scale_step, scale_step]
            kernels = [with_bandwidth(best.kernel, scale * f) for f in factors]
        return [
            Candidate(kernel, setting, best.family) for kernel in kernels for setting in settings
        ]


def default_path(name: str) -> list[float]:
    """Costs in decades; shares in tenths; penalties in half decades."""
    if name == "alpha":
        return [float(v) for v in 10.0 ** np.arange(-6.0, 2.1, 0.5)]
    if name == "nu":
        return [float(v) for v in np.linspace(0.1, 0.8, 8)]
    return [float(v) for v in COSTS]


def _translated(given: Mapping[str, Any], own: str, kernel: Kernel, value: float) -> float:
    """scikit-learn's gamma as the length scale of a kernel that has one."""
    if "gamma" in given and own == "length_scale":
        length = getattr(kernel, "_length_of", None)
        return float(length(value)) if length is not None else float(1.0 / math.sqrt(2.0 * value))
    return float(value)


def read_params(params: Any, known: Sequence[str]) -> dict[str, list[Any]]:
    """The grid given by the user; names may carry the step of a pipeline."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise TypeError(
            f"params must be a dict of parameter names and lists of values, got {params!r}"
        )
    found = {}
    for name, values in params.items():
        if name not in known and name not in ("length_scale", "gamma"):
            raise ValueError(
                f"params has {name!r}, which is no parameter of the estimator; it has "
                f"{sorted(known)} and the kernel's length_scale or gamma"
            )
        found[name] = check_values(name, values)
    if "length_scale" in found and "gamma" in found:
        raise ValueError("params has both length_scale and gamma, which mean the same; keep one")
    return found
