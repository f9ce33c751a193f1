"""Kernels that are inner products of counts, so sparse feature vectors can be written down."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer import _config
from mercer._types import Samples
from mercer.kernels.sequences._sequence_kernel import Floats, SequenceKernel, safe_inverse
from mercer.kernels.validate import n_rows

_DENSE_BYTES = 128 * 2**20  # feature matrices up to this size may be multiplied by BLAS
_BLAS_GAIN = 100  # a multiplication inside BLAS, against one of a sparse product


class CountedKernel(SequenceKernel):
    """k(x, y) = <phi(x), phi(y)> with sparse phi: values, products and norms follow from it.

    A subclass writes ``_counts(samples)``: one CSR matrix per sample, all with the same columns.
    """

    @abstractmethod
    def _counts(self, samples: tuple[Any, ...]) -> list[Any]:
        """Features of each sample before normalisation."""

    def _features_of(self, *samples: Any) -> list[Any]:
        found = self._counts(samples)
        if not self.normalize:
            return found
        return [
            sparse.csr_array(sparse.diags_array(safe_inverse(np.sqrt(row_squares(F)))) @ F)
            for F in found
        ]

    def features_of(self, X: Samples) -> Any:
        """The feature vectors of a sample as CSR; columns are what occurs in this sample.

        For a model with fixed columns use `mercer.kernels.KmerFeatures`.
        """
        X, _ = self.validate(X)
        return self._features_of(X)[0]

    def _tile(self, X: Samples, Y: Samples) -> NDArray[Any]:
        return self._matrix(X, Y)

    def _matrix(self, X: Samples, Y: Samples) -> NDArray[Any]:
        if X is Y:
            left = right = self._features_of(X)[0]
        else:
            left, right = self._features_of(X, Y)
        return gram_of(left, right)

    def _diag(self, X: Samples) -> Floats:
        if self.normalize:
            return self._occupied(X).astype(np.float64)
        return row_squares(self._counts((X,))[0])

    def _occupied(self, X: Samples) -> NDArray[np.bool_]:
        """Which objects have an image other than zero; often known without counting."""
        return row_squares(self._counts((X,))[0]) > 0

    def _matmul(self, X: Samples, Y: Samples, V: Floats, same: bool) -> Floats:
        # never K itself: two thin products
        left, right = self._features_of(X) * 2 if same else self._features_of(X, Y)
        return np.asarray(left @ (right.T @ V))

    def bind(self, X: Samples) -> Any:
        """Tiles by index from feature vectors that are computed once."""
        return CountedSample(self._features_of(X)[0])


class CountedSample:
    """Inner products of the rows of one sparse matrix."""

    fused = None

    def __init__(self, features: Any) -> None:
        self.features = features
        entries = features.shape[0] * features.shape[1]
        small = 8 * entries <= min(_DENSE_BYTES, _config.memory_limit() // 8)
        if small and entries <= 50 * features.nnz:
            self.features = features.toarray()  # BLAS beats a sparse product here

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """K(X[rows], X[columns])."""
        return gram_of(self.features[rows], self.features[columns])


def row_squares(features: Any) -> Floats:
    """|phi(x)|^2 of every row of a CSR matrix."""
    squares = sparse.csr_array(
        (features.data**2, features.indices, features.indptr), shape=features.shape
    )
    return np.asarray(squares.sum(axis=1)).ravel()


def gram_of(left: Any, right: Any) -> Floats:
    """<x, y> for all pairs of rows; the temporary arrays stay within the memory limit."""
    if not sparse.issparse(left):
        return left @ right.T
    rows, columns = left.shape[0], right.shape[0]
    pairs = float(left.count_nonzero(axis=0) @ right.count_nonzero(axis=0).astype(np.float64))
    size = (rows + columns) * left.shape[1] * 8
    if rows * columns * left.shape[1] <= _BLAS_GAIN * pairs and size <= min(
        _DENSE_BYTES, _config.memory_limit() // 4
    ):
        first = left.toarray()
        return first @ (first if left is right else right.toarray()).T
    K, turned = np.empty((rows, columns)), right.T.tocsr()
    # a sparse product with few zeros takes twelve bytes for each of our eight
    step = _config.block_rows(3 * 8 * columns)
    for start in range(0, rows, step):
        part = slice(start, min(rows, start + step))
        K[part] = (left[part] @ turned).toarray()
    return K


def counts_matrix(rows: NDArray[Any], codes: NDArray[Any], shape_rows: int) -> tuple[Any, Any]:
    """CSR counts of (row, code) pairs, and the code of each column."""
    columns, number = ranked(codes)
    ones = np.ones(len(codes))
    shape = (shape_rows, len(columns))
    indptr = np.searchsorted(rows, np.arange(shape_rows + 1))  # rows come in order
    matrix = sparse.csr_array((ones, number, indptr), shape=shape)
    matrix.sum_duplicates()
    return matrix, columns


def ranked(codes: NDArray[Any]) -> tuple[Any, Any]:
    """The distinct codes in order and the rank of each; by table where the numbers are small."""
    largest = int(codes.max(initial=0))
    if largest > 4 * len(codes) + 2**16:
        distinct, number = np.unique(codes, return_inverse=True)
        return distinct, number.ravel()
    table = np.zeros(largest + 1, dtype=np.int32)
    table[codes] = 1
    distinct = np.flatnonzero(table)
    table[distinct] = np.arange(len(distinct))
    return distinct, table[codes]


def split_rows(matrix: Any, samples: tuple[Any, ...]) -> list[Any]:
    """A matrix of stacked samples, cut again."""
    ends = np.cumsum([n_rows(sample) for sample in samples])
    return [matrix[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]
