"""Machines that are sums of kernel values, for those who write one down elsewhere (ONNX)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._storable import record


@record("written-expansion")  # a function of an RKHS is an expansion too
class Expansion(NamedTuple):
    """Outputs Σ_i coef_i k(row_i, x) + offset, one column per machine."""

    kernel: Any
    rows: Any
    coef: NDArray[np.float64]
    offset: NDArray[np.float64]
    kind: str  # "classifier", "regressor" or "detector"
    flat: bool = True  # whether predictions of one column are a vector


def expansion_of(model: object) -> Expansion | None:
    """The sum that a fitted model answers by, or None if its answers are not read off one alone."""
    written = getattr(model, "_expansion", None)
    found: Expansion | None = None if written is None else written()
    return found
