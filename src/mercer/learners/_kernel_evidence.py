"""The part of `Evidence` that depends on the kernel and the rows alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Choice
from mercer.learners._kernel import kernel_choices

Floats = NDArray[np.float64]


def kernel_facts(estimator: Any, diagonal: Floats) -> dict[str, Any]:
    """Radius, trace, dimension, choices; blank where the kernel is not known to be one."""
    kernel = estimator.kernel_
    geometric = kernel.psd is True
    size = kernel.dimension(getattr(estimator, "n_features_in_", None))
    return {
        "point_norms": np.sqrt(np.maximum(diagonal, 0.0)) if geometric else None,
        "radius": kernel.known_radius(diagonal),
        "kernel_range": kernel.spread,
        "trace": float(np.sum(diagonal)) if geometric else None,
        "dimension": size,
        "rank": None if size is None or math.isinf(size) else int(size),
        "choices": choices(estimator),
    }


def choices(estimator: Any) -> tuple[Choice, ...]:
    """What was read off the training rows, besides the coefficients."""
    found = list(kernel_choices(estimator))
    dropped = estimator._told.get("dropped", 0)
    if dropped:
        found.append(Choice("the rows of weight zero", f"{dropped} rows left out"))
    return tuple(found)
