"""Finite-dimensional stand-ins for a kernel: random Fourier features and Nyström's landmarks."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.kernels._base import Kernel
from mercer.kernels.distances import dot
from mercer.kernels.validate import n_rows, natural, take


class _KernelFeatures(TransformerMixin, BaseEstimator):
    """Rows whose inner products approximate a kernel."""

    kernel: Kernel

    def __init__(self, kernel: Kernel, rank: int = 100, random_state: Any = None) -> None:
        self.kernel = kernel
        self.rank = rank
        self.random_state = random_state

    def _start(self, X: Samples) -> tuple[Any, np.random.Generator]:
        natural(self.rank, "rank")
        self.kernel_ = self.kernel.resolve(X)
        X, _ = self.kernel_.validate(X)
        if isinstance(self.random_state, np.random.Generator):
            return X, self.random_state
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return X, np.random.default_rng(seed)


class RandomFourierFeatures(_KernelFeatures):
    """cos and sin of random frequencies drawn from the spectral law of a stationary kernel.

    Half of the ``rank`` columns (rounded up to an even number) are cosines and half are sines, so
    every row has length exactly one. The error of an inner product shrinks like 1 / sqrt(rank).
    Only the frequencies depend on chance; the data only fix the number of columns and, for
    heuristic length scales, the kernel.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the frequencies."""
        X, rng = self._start(X)
        drawn = self.kernel_._frequencies(X.shape[1], (self.rank + 1) // 2, rng)
        if drawn is None:
            raise ValueError(
                f"the spectral law of {self.kernel_} is not known; use kernel.features(rank)"
            )
        self.frequencies_: NDArray[Any] = drawn
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Shape (n, rank), rank rounded up to even."""
        check_is_fitted(self)
        X, _ = self.kernel_.validate(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} columns, fit saw {self.n_features_in_}")
        angle = dot(X, self.frequencies_.T.astype(X.dtype))
        scale = 1.0 / np.sqrt(self.frequencies_.shape[1])
        return (scale * np.hstack([np.cos(angle), np.sin(angle)])).astype(X.dtype)


class NystroemFeatures(_KernelFeatures):
    """phi(x) = k(x, Z) K(Z, Z)^(-1/2) for ``rank`` rows Z drawn from the training sample.

    Exact on the span of the landmarks. Directions in which K(Z, Z) is zero to rounding are
    dropped, so fewer than ``rank`` columns may come out.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the landmarks and take the root of their Gram matrix."""
        X, rng = self._start(X)
        n = n_rows(X)
        chosen = np.sort(rng.choice(n, min(self.rank, n), replace=False))
        self.landmarks_ = take(X, chosen)
        self.n_features_in_ = X.shape[1] if X.ndim == 2 else 1
        self.projection_ = inverse_root(self.kernel_.tile(self.landmarks_))
        return self

    def transform(self, X: Samples) -> NDArray[Any]:
        """Shape (n, number of directions kept)."""
        check_is_fitted(self)
        result = self.kernel_.matmul(X, self.landmarks_, self.projection_)
        single = getattr(self.landmarks_, "dtype", None) == np.float32
        return result.astype(np.float32) if single else result


def inverse_root(K: NDArray[Any]) -> NDArray[np.float64]:
    """A thin B with B B' = the pseudo-inverse of K; negative directions are dropped."""
    values, vectors = np.linalg.eigh(np.asarray(K, dtype=np.float64))
    epsilon = np.finfo(np.asarray(K).dtype).eps
    keep = values > len(values) * epsilon * np.max(np.abs(values))
    return vectors[:, keep] / np.sqrt(values[keep])
