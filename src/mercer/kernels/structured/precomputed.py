"""Kernel values that somebody else computed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import RandomState, Samples
from mercer.kernels._base import Kernel
from mercer.kernels.validate import VECTORS, as_data


class Precomputed(Kernel):
    """The data are the kernel matrix: square for training, (n_new, n_train) afterwards.

    ``Precomputed()(K)`` is ``K``, and ``Precomputed().matmul(K_new, None, coef)`` is
    ``K_new @ coef``. `mercer.gram.build_gram` checks symmetry and serves the tiles.
    """

    accepts = frozenset({"precomputed"})
    sparse_tiles = True

    @property
    def psd(self) -> None:
        """Nobody knows before looking; see `mercer.gram.check_psd`."""
        return None

    def validate(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """A finite matrix of kernel values; Y is not needed, but must fit if it is given."""
        K = as_data(X, VECTORS - {"sparse"}, "the precomputed kernel matrix")
        if Y is not None and len(Y) != K.shape[1]:
            raise ValueError(
                f"the precomputed kernel matrix has {K.shape[1]} columns for {len(Y)} training rows"
            )
        return K, K

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        raise ValueError(
            "a precomputed kernel has no tiles and cannot be part of another kernel: combine the "
            "matrices, or use mercer.gram.DenseGram"
        )

    def __call__(self, X: Any, Y: Any = None) -> NDArray[Any]:
        """The matrix itself, validated."""
        return self.validate(X, Y)[0]

    def diag(self, X: Samples) -> NDArray[Any]:
        """The diagonal of a square matrix."""
        K, _ = self.validate(X)
        if K.shape[0] != K.shape[1]:
            raise ValueError(
                f"a precomputed kernel matrix of shape {K.shape} has no diagonal of k(x, x): "
                "only the square training matrix does"
            )
        return K.diagonal().copy()

    def matmul(self, X: Any, Y: Any, V: Any) -> NDArray[np.float64]:
        """X @ V."""
        K, _ = self.validate(X, Y)
        V = np.asarray(V, dtype=np.float64)
        if V.ndim not in (1, 2) or V.shape[0] != K.shape[1]:
            raise ValueError(f"V has shape {V.shape}; the kernel matrix has {K.shape[1]} columns")
        return K @ V

    def gradient(self, X: Samples, Y: Samples | None = None) -> dict[str, NDArray[Any]]:
        """No parameters, no derivatives."""
        return {}

    def features(self, rank: int = 100, random_state: RandomState = None) -> Any:
        """Not available: features need objects, and here there are only values."""
        raise ValueError(
            "features of a precomputed kernel would need the objects; use "
            "mercer.gram.LowRankGram.from_gram on the training matrix"
        )

    def resolve(self, X: Samples) -> Precomputed:
        """Nothing to choose."""
        return Precomputed()
