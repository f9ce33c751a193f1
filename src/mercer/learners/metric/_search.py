"""Who is near whom: trees, brute force, feature space, given distances, or an approximate graph."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import _num_samples

from mercer import _config
from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.learners.metric import _approximate, _copies
from mercer.learners.spectral import _neighbours
from mercer.metrics import Metric

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Found = tuple[Floats, Indices]

ALGORITHMS = ("auto", "ball_tree", "kd_tree", "brute", "approximate")


class Search(Protocol):
    """The k nearest of a fixed sample, each query's neighbours in order of distance.

    Equal distances are ordered by row number where all distances are computed and in the compiled
    tree; scikit-learn's trees and the approximate search order them as they come.
    """

    def query(self, Q: Any, k: int) -> Found:
        """Distances and row numbers, each of shape (n_queries, k)."""

    def others(self, k: int) -> Found:
        """The k nearest of every row of the sample, itself left out."""


class MatrixSearch(Search):
    """Any distance that comes as blocks of a matrix: given, from a kernel, or of pairs."""

    def __init__(self, X: Any, n: int, block: Any) -> None:
        self.X, self.n, self._block = X, n, block

    def query(self, Q: Any, k: int) -> Found:
        """The k nearest of each query."""
        return self._nearest(Q, _num_samples(Q), k, own=False)

    def others(self, k: int) -> Found:
        """The k nearest of each row of the sample, itself left out."""
        return self._nearest(self.X, self.n, k, own=True)

    def _nearest(self, Q: Any, count: int, k: int, own: bool) -> Found:
        distances, rows = np.empty((count, k)), np.empty((count, k), dtype=np.intp)
        size = _config.block_rows(8 * _config.TEMPORARIES * self.n)
        for start in range(0, count, size):
            part = slice(start, min(count, start + size))
            D = np.array(self._block(Q[part], self.X), dtype=np.float64)
            if own:
                D[np.arange(len(D)), np.arange(part.start, part.stop)] = np.inf
            distances[part], rows[part] = _smallest(D, k)
        return distances, rows


def _smallest(D: Floats, k: int) -> Found:
    """The k smallest of each row in order; equal ones by column number."""
    if k < D.shape[1]:
        limit = np.partition(D, k - 1, axis=1)[:, k - 1 : k]
        D = np.where(limit < D, np.inf, D)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1), order


class TreeSearch(Search):
    """scikit-learn's search: trees where they help, brute force where not."""

    def __init__(self, X: Any, metric: Any, algorithm: str, n_jobs: int | None) -> None:
        self._metric = metric
        self._search = NearestNeighbors(metric=metric, algorithm=algorithm, n_jobs=n_jobs)
        self._search.fit(for_metric(X, metric))

    def query(self, Q: Any, k: int) -> Found:
        """The k nearest of each query."""
        return self._search.kneighbors(for_metric(Q, self._metric), k)

    def others(self, k: int) -> Found:
        """The k nearest of each row of the sample, itself left out."""
        return self._search.kneighbors(None, k)


class CompiledTreeSearch(Search):
    """Euclidean distances in few dimensions; rows that coincide cost no more than others."""

    def __init__(self, X: Floats) -> None:
        self.X = X

    def query(self, Q: Any, k: int) -> Found:
        """The k nearest of each query."""
        return self._lengths(_neighbours.nearest(self.X, k, np.asarray(Q, dtype=np.float64)))

    def others(self, k: int) -> Found:
        """The k nearest of each row of the sample, itself left out."""
        return self._lengths(_neighbours.nearest(self.X, k))

    @staticmethod
    def _lengths(found: tuple[Floats, NDArray[np.int32]]) -> Found:
        return np.sqrt(found[0]), found[1].astype(np.intp)


def build(X: Any, metric: Any, algorithm: str, k: int, n_jobs: int | None) -> Search:
    """The search that fits the metric and the data."""
    if isinstance(metric, Kernel):
        metric = metric.resolve(X)
        if metric.radial and _isotropic(metric) and _is_table(X):
            # A decreasing function of |x - y|: in feature space the neighbours are the same.
            return build(X, metric.radial, algorithm, k, n_jobs)
    if algorithm == "approximate":
        _approximate.check(metric, _is_table(X))
        if X.shape[0] > max(k + 1, _approximate.DEGREE):
            return _approximate.ApproximateSearch(X, metric, k, n_jobs)
        algorithm = "auto"  # the graph would join every row to every other
    if isinstance(metric, str) and metric == "precomputed":
        return MatrixSearch(X, X.shape[0], _given)
    if isinstance(metric, Kernel):
        return MatrixSearch(X, _num_samples(X), metric.distance)
    if isinstance(metric, Metric):
        return MatrixSearch(X, _num_samples(X), metric)
    if callable(metric) and not _is_table(X):
        return MatrixSearch(X, _num_samples(X), _pairs(metric))
    if algorithm in ("auto", "kd_tree") and metric == "euclidean" and _neighbours.compiled(X):
        return CompiledTreeSearch(np.asarray(X, dtype=np.float64))
    copies = _copies.find(X)
    if copies is None:
        return TreeSearch(X, metric, algorithm, n_jobs)
    distinct = TreeSearch(X[copies.first], metric, algorithm, n_jobs)
    return _copies.CopiesSearch(copies, distinct)


def for_metric(X: Any, metric: Any) -> Any:
    """Rows as scikit-learn's metrics want them.

    Some compare truth values, and warn of zeros and ones; some take no 64-bit column numbers.
    """
    if isinstance(metric, str) and metric in PAIRWISE_BOOLEAN_FUNCTIONS:
        values = X.data if sparse.issparse(X) else X
        X = X.astype(bool) if np.isin(values, (0, 1)).all() else X
    if sparse.issparse(X) and X.indices.dtype.itemsize > 4 and X.nnz < 2**31 > X.shape[1]:
        narrow = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
        return sparse.csr_matrix(narrow, shape=X.shape)
    return X


def _given(Q: Any, X: Samples) -> Any:
    return Q


def _is_table(X: Samples) -> bool:
    return sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2)


def _isotropic(kernel: Kernel) -> bool:
    return np.ndim(getattr(kernel, "length_scale", 1.0)) == 0


def _pairs(function: Any) -> Any:
    """A function of two objects as a matrix."""

    def block(Q: Any, X: Any) -> Floats:
        return np.array([[float(function(a, b)) for b in X] for a in Q]).reshape(len(Q), len(X))

    return block
