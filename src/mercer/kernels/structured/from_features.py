"""A user's feature map as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.distances import dot, row_dot
from mercer.kernels.validate import VECTORS, as_data, as_objects


class FromFeatures(Kernel):
    """k(x, y) = <phi(x), phi(y)> for a feature map phi.

    Parameters
    ----------
    function : callable
        ``function(X)`` returning one row of features per object, dense or sparse.
    objects : bool
        The data are not vectors.
    """

    sparse_tiles = True

    def __init__(self, function: Callable[[Any], Any], objects: bool = False) -> None:
        self.function = function
        self.objects = objects

    @property
    def accepts(self) -> frozenset[str]:  # type: ignore[override]
        """Vectors, or anything if ``objects`` is set."""
        return frozenset({"objects"}) if self.objects else VECTORS

    def features_of(self, X: Samples) -> Any:
        """The features of a sample."""
        X = as_objects(X) if self.objects else as_data(X, VECTORS)
        return self._map(X)

    def _map(self, X: Any) -> Any:
        features = as_data(self.function(X), VECTORS, "the output of the feature map")
        if features.shape[0] != X.shape[0]:
            raise ValueError(
                f"the feature map returned {features.shape[0]} rows for {X.shape[0]} objects"
            )
        return features

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return dot(self._map(X), self._map(Y))

    def _diag(self, X: Samples) -> NDArray[Any]:
        features = self._map(X)
        return row_dot(features, features)

    def _tile_gradient(self, X: Samples, Y: Samples) -> dict[str, NDArray[Any]]:
        return {}

    @classmethod
    def examples(cls) -> list[FromFeatures]:
        """The map (x1, x2^2, x1 x2) of the text's example (2.15)."""
        return [cls(_example_map)]


def _example_map(X: Any) -> Any:
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return np.column_stack([dense[:, 0], dense[:, 1] ** 2, dense[:, 0] * dense[:, 1]])
