"""What a user may pass as ``metric=``: a name, a function, a `Metric`, or "precomputed"."""

from __future__ import annotations

from typing import Any

from mercer._discover import snake_case
from mercer.metrics._base import Metric
from mercer.metrics.from_callable import FromFunction
from mercer.metrics.named import NAMES, Named
from mercer.metrics.precomputed import PrecomputedDistances


def as_metric(metric: Any) -> Metric:
    """The metric object meant; a function takes two objects and returns a number."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        if metric == "precomputed":
            return PrecomputedDistances()
        if metric in NAMES:
            return Named(metric)
        found = {snake_case(kind.__name__): kind for kind in _plugins()}
        if metric in found:
            return found[metric]()
        raise ValueError(
            f"metric={metric!r} is not known; there are {sorted({*found, *NAMES})}, 'precomputed', "
            "or any function of two objects"
        )
    if callable(metric):
        return FromFunction(metric)
    raise ValueError(f"metric must be a name, a function or a mercer Metric, got {metric!r}")


def _plugins() -> list[type[Metric]]:
    from mercer import metrics

    return [
        kind
        for kind in metrics.available().values()
        if kind not in (FromFunction, Named, PrecomputedDistances)
    ]
