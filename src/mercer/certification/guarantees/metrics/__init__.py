"""Metrics that can be certified: one file each, found by its name."""

from __future__ import annotations

import functools
import sys
from dataclasses import fields
from typing import Any

from mercer._discover import discover
from mercer.certification.guarantees.metrics._metric import CertifiedMetric, Unseen

__all__ = ["CertifiedMetric", "Unseen", "available", "metric_meant"]


@functools.cache
def available() -> dict[str, type[CertifiedMetric]]:
    """Every metric class by its name; a new file in the folder is enough."""
    found: dict[str, type[CertifiedMetric]] = {}
    for cls in discover(sys.modules[__name__], CertifiedMetric).values():  # type: ignore[type-abstract]
        if not (cls.name and cls.title and cls.reference) or cls.name in found:
            raise ImportError(f"{cls.__module__}.{cls.__name__} does not state its facts")
        found[cls.name] = cls
    return dict(sorted(found.items()))


def metric_meant(metric: Any) -> CertifiedMetric:
    """A metric from itself, its name, or ``"f_beta:beta=2"``."""
    if isinstance(metric, CertifiedMetric):
        return metric
    if not isinstance(metric, str):
        raise ValueError(f"metric must be a name or one of Mercer's metrics, got {metric!r}")
    name, _, rest = metric.partition(":")
    name = name.strip().lower().replace("-", "_")
    if name not in available():
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(available())}")
    cls = available()[name]
    known = {f.name: f for f in fields(cls)}
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, _, text = part.partition("=")
        if key.strip() not in known or not text:
            told = ", ".join(known) or "none"
            raise ValueError(f"metric {name!r}: {part!r} is no option of it; it has {told}")
        given[key.strip()] = cls.read(key.strip(), text.strip())
    return cls(**given)
