"""In which order candidates are tried: a given grid, or coarse first and then fine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.selection.space import (
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

COST_STEP, SCALE_STEP = 10.0, 2.0**1.5  # between neighbours of the first round


class Space:
    """The candidates of a search, in rounds.

    Parameters given by the user are a grid, tried completely. Without any, the first round is a
    coarse grid around the median distance of the rows, and the following rounds halve the steps
    around the best so far.
    """

    def __init__(
        self,
        kernels: Any,
        params: Any,
        X: Samples,
        path: str | None,
        known: Sequence[str],
        prefix: str = "",
    ) -> None:
        self.path = path
        self.given = read_params(params, known, prefix)
        self.automatic = path is not None and path not in self.given
        self.families = [] if kernels is None else read_kernels(kernels, X)
        self.bandwidths = {
            name: self._bandwidths(kernel, searched, X) for name, kernel, searched in self.families
        }
        self.refines = not self.given
        self.reach: dict[str, list[float]] = {}

    def _scales(self) -> list[float] | None:
        for name in ("length_scale", "gamma"):
            if name in self.given:
                return [float(v) for v in self.given[name]]
        return None

    def _bandwidths(self, kernel: Kernel, searched: bool, X: Samples) -> list[float] | None:
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
        """Neighbours of the best candidate at half the distance of the round before.

        A best candidate at the edge of what was tried is followed outwards by whole steps.
        """
        if not self.refines:
            return []
        return [
            Candidate(kernel, setting, best.family)
            for kernel in self._kernels_near(best, SCALE_STEP ** (0.5**round_))
            for setting in self._settings_near(best, COST_STEP ** (0.5**round_))
        ]

    def _settings_near(self, best: Candidate, step: float) -> list[dict[str, Any]]:
        if self.path is None or self.path == "nu":
            return [dict(best.params)]
        cost = float(best.params[self.path])
        near = [cost / step, cost, cost * step]
        self.reach.setdefault("cost", default_path(self.path))
        near += self._beyond("cost", cost, COST_STEP)
        return [{**best.params, self.path: c} for c in sorted(near)]

    def _kernels_near(self, best: Candidate, step: float) -> list[Kernel | None]:
        scale = bandwidth_of(best.kernel)
        tried = self.bandwidths.get(best.family)
        if best.kernel is None or math.isnan(scale) or tried is None:
            return [best.kernel]
        self.reach.setdefault(best.family, tried)
        factors = [scale / step, scale * step, *self._beyond(best.family, scale, SCALE_STEP)]
        return [best.kernel, *(with_bandwidth(best.kernel, f) for f in factors)]

    def _beyond(self, name: str, value: float, step: float) -> list[float]:
        """One step outwards if the value is at the edge of what was tried."""
        tried = self.reach[name]
        low, high = min(tried), max(tried)
        found = []
        if value <= low * 1.001:
            found.append(value / step)
        if value >= high / 1.001:
            found.append(value * step)
        self.reach[name] = [*tried, *found]
        return found


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


def read_params(params: Any, known: Sequence[str], prefix: str = "") -> dict[str, list[Any]]:
    """The grid given by the user; names may carry the last step of a pipeline."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise TypeError(
            f"param_grid must be a dict of parameter names and lists of values, got {params!r}"
        )
    found = {}
    for full, values in params.items():
        name = full.removeprefix(prefix) if prefix else full
        if name not in known and name not in ("length_scale", "gamma"):
            raise ValueError(
                f"params has {full!r}, which is no parameter of the estimator; it has "
                f"{sorted(set(known))} and the kernel's length_scale or gamma"
            )
        if name in found:
            raise ValueError(f"params has {name!r} and {prefix + name!r}, which are the same")
        found[name] = check_values(name, values)
    if "length_scale" in found and "gamma" in found:
        raise ValueError("params has both length_scale and gamma, which mean the same; keep one")
    return found
