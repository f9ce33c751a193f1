"""The kernel of a single feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.kernels.algebra._composite import Array, Composite, Vectors
from mercer.kernels.validate import VECTORS


class RankOne(Composite):
    """f(x) f(y) for any real function f (rule 5).

    Parameters
    ----------
    function : callable
        ``function(X)`` returning one number per object.
    objects : bool
        The data are not vectors.
    """

    bounded = False
    stationary = False
    psd = True

    def __init__(self, function: Callable[[Any], Any], objects: bool = False) -> None:
        self.function = function
        self.objects = objects

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """Vectors, or anything if ``objects`` is set."""
        return frozenset({"objects"}) if self.objects else VECTORS

    def _statistics(self, X: Any) -> Vectors:
        values = np.asarray(self.function(X), dtype=np.float64)
        if values.shape != (X.shape[0],) or not np.all(np.isfinite(values)):
            raise ValueError(
                f"RankOne: the function must return {X.shape[0]} finite numbers, one per object; "
                f"got shape {values.shape}"
            )
        return (values,)

    def _combine(self, values: list[Array], left: Vectors, right: Vectors) -> Array:
        return left[0] * right[0]

    @classmethod
    def examples(cls) -> list[RankOne]:
        """The sum of the columns as the only feature."""
        return [cls(_row_sum)]


def _row_sum(X: Any) -> Any:
    return np.asarray(X.sum(axis=1)).ravel()
