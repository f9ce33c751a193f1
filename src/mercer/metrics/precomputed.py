"""Distances that somebody else computed."""

from __future__ import annotations

from typing import Any

from mercer.kernels.validate import VECTORS, as_data
from mercer.metrics._base import Floats, Metric


class PrecomputedDistances(Metric):
    """The data are the distances: square for training, (new, training) afterwards."""

    accepts = frozenset({"precomputed"})

    def validate(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """A finite matrix; Y is not needed, but must fit if it is given."""
        D = as_data(X, VECTORS - {"sparse"}, "the distance matrix")
        if Y is not None and len(Y) != D.shape[1]:
            raise ValueError(
                f"the distance matrix has {D.shape[1]} columns for {len(Y)} training objects"
            )
        return D, D

    def __call__(self, X: Any, Y: Any = None) -> Floats:
        """The matrix itself, validated."""
        return self.validate(X, Y)[0]

    @classmethod
    def example_data(cls, n: int, rng: Any) -> Any:
        """Distances of points on a line."""
        places = rng.normal(size=n)
        return abs(places[:, None] - places[None, :])
