"""A kernel matrix of low rank: L L' in place of K."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._types import RandomState, Samples
from mercer.gram._base import Gram
from mercer.gram._factor import WoodburyFactor
from mercer.gram._iterative import pivoted_cholesky
from mercer.gram.dense import DenseGram
from mercer.kernels import Kernel

Floats = NDArray[np.float64]


class LowRankGram(Gram):
    """K = L L' for a thin L of shape (n, rank); products and solves cost O(n rank).

    Build it with `from_kernel` (Nyström's landmarks or random features) or `from_gram` (pivoted
    Cholesky).

    Attributes
    ----------
    L : array of shape (n, rank)
    features : fitted transformer or None
        Maps new objects to rows of the same space: predictions are ``features.transform(X) @ w``.
    """

    def __init__(self, L: Any, kernel: Kernel | None = None, features: Any = None) -> None:
        self.L: Floats = np.ascontiguousarray(L, dtype=np.float64)
        if self.L.ndim != 2 or not np.all(np.isfinite(self.L)):
            raise ValueError("LowRankGram: L must be a finite matrix with one row per object")
        self.n = self.L.shape[0]
        self.dtype = self.L.dtype
        self.kernel = kernel
        self.features = features

    @classmethod
    def from_kernel(
        cls, kernel: Kernel, X: Samples, rank: int = 100, random_state: RandomState = None
    ) -> LowRankGram:
        """Nyström: project on the images of ``rank`` random rows of X."""
        from mercer.kernels.features import NystroemFeatures

        features = NystroemFeatures(kernel, rank=rank, random_state=random_state).fit(X)
        return cls(features.transform(X), features.kernel_, features)

    @classmethod
    def from_gram(cls, gram: Gram | NDArray[Any], rank: int = 100) -> LowRankGram:
        """Pivoted Cholesky: the rows that explain most of the remaining diagonal, greedily."""
        source = gram if isinstance(gram, Gram) else DenseGram(gram)
        L, _ = pivoted_cholesky(source, rank)
        return cls(L, source.kernel)

    @property
    def rank(self) -> int:
        """Number of columns of L."""
        return self.L.shape[1]

    def tile(self, rows: Any, columns: Any) -> Floats:
        """Entries of the given rows and columns."""
        return self.L[rows] @ self.L[columns].T

    def diag(self) -> Floats:
        """The diagonal."""
        return np.einsum("ij,ij->i", self.L, self.L)

    def matmul(self, V: Any) -> Floats:
        """L (L' V)."""
        return self.L @ (self.L.T @ self._columns(V))

    def factor(self, shift: float = 0.0) -> WoodburyFactor:
        """L L' + shift I through a rank x rank factor; the shift must be positive."""
        return WoodburyFactor(self.L, shift)

    def solve(
        self, shift: float, b: Any, tol: float = 1e-10, max_iter: int | None = None
    ) -> Floats:
        """(L L' + shift I)^-1 b, exactly."""
        return self.factor(shift).solve(self._columns(b))

    def eigh(self, k: int | None = None) -> tuple[Floats, Floats]:
        """The k largest eigenvalues and vectors; at most ``rank`` of them are not zero."""
        vectors, singular, _ = np.linalg.svd(self.L, full_matrices=False)
        k = singular.size if k is None else int(k)
        if not 1 <= k <= singular.size:
            raise ValueError(f"k={k}, but a matrix of rank {singular.size} is all there is")
        return singular[:k] ** 2, vectors[:, :k]

    def subset(self, index: Any) -> LowRankGram:
        """The Gram matrix of some of the objects."""
        return LowRankGram(self.L[index], self.kernel, self.features)

    def nbytes(self) -> int:
        """Bytes of L."""
        return int(self.L.nbytes)
