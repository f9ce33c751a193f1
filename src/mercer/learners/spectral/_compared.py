"""Rows one can compare: how far apart they are and who is near whom, whatever they are.

Every learner without labels asks here, so that vectors, strings, sequences, graphs, given distances
and kernels come through the same door: ``metric=`` is a name, a function of two objects, a
`mercer.metrics.Metric`, a `mercer.kernels.Kernel` (the distance in its feature space) or
"precomputed".
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS
from sklearn.neighbors import VALID_METRICS
from sklearn.utils.validation import check_array

from mercer import _config, _graph
from mercer._cached import cached_property
from mercer._types import Samples
from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.kernels.validate import as_objects, n_rows, take
from mercer.learners._checks import check_distances, check_gram, check_symmetric_distances
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._parameters import Rule
from mercer.learners.spectral import _neighbours
from mercer.metrics import Metric, as_metric, distance_from_kernel

Floats = NDArray[np.float64]
Places = NDArray[np.int32]
NAMED = frozenset(PAIRWISE_DISTANCE_FUNCTIONS) | frozenset(VALID_METRICS["brute"])
_EUCLIDEAN = ("euclidean", "l2")
_GIVEN, _GRAM = "precomputed", "gram"


def meant(metric: Any) -> Any:
    """scikit-learn's name as it is, a kernel as it is, else the `Metric` that is meant."""
    named = isinstance(metric, str) and (metric in NAMED or metric == _GIVEN)
    return metric if named or isinstance(metric, Kernel) else as_metric(metric)


def _exists(metric: Any) -> bool:
    meant(metric)  # says itself what there is
    return True


METRIC: Rule = (_exists, "a name, a function, a mercer Metric or a mercer Kernel")


@dataclass(frozen=True)
class Compared:
    """Rows, and what compares them.

    Attributes
    ----------
    rows : array or None
        Vectors or objects; the matrix where distances or kernel values are given (None once it is
        no longer needed).
    metric : str, Metric or Kernel
        "precomputed" for given distances, "gram" for given kernel values.
    params : dict
        Further arguments of a named metric.
    kept : ndarray of int or None
        Columns of given distances that belong to these rows, if they are a part of all.
    """

    rows: Any
    metric: Any = "euclidean"
    params: dict[str, Any] = field(default_factory=dict)
    kept: NDArray[np.intp] | None = None

    @classmethod
    def on(cls, X: Any, metric: Any, kind: Kind, params: Any = None) -> Self:
        """Checked rows, with the metric that the arguments mean on them."""
        params = dict(params or {})
        if kind is Kind.GRAM:
            return cls(X, _GRAM)
        if kind is Kind.DISTANCES:
            check_symmetric_distances(X)
            return cls(X, _GIVEN)
        metric = meant(metric)
        if isinstance(metric, Kernel):
            return cls(X, kernel_meant(metric, X).kernel)
        if metric == "minkowski" and params.get("p", 2) == 2 and set(params) <= {"p"}:
            return cls(X)
        return cls(X, "euclidean" if metric in _EUCLIDEAN else metric, params)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return n_rows(self.rows)

    @property
    def plain(self) -> bool:
        """Whether they are vectors under the Euclidean distance, which has faster ways."""
        return isinstance(self.metric, str) and self.metric == "euclidean"

    @property
    def given(self) -> bool:
        """Whether the matrix of all pairs is what the user has."""
        return isinstance(self.metric, str) and self.metric in (_GIVEN, _GRAM)

    @cached_property
    def matrix(self) -> Floats:
        """Distances of all pairs: symmetric, with zero diagonal."""
        if self.metric == _GIVEN:
            return np.asarray(self.rows, dtype=np.float64)
        if self.metric == _GRAM:
            return distance_from_kernel(self.rows)
        n = self.n
        _config.reserve(
            8 * n * n,
            f"A distance matrix of {n} x {n}",
            "Use fewer rows, or raise the limit with mercer.set_config(memory_limit=...).",
        )
        D = np.asarray(self._between(self.rows, None), dtype=np.float64)
        check_symmetric_distances(D)
        D = np.maximum(D, D.T)  # rounding
        np.fill_diagonal(D, 0.0)
        return D

    def to(self, Q: Any) -> Floats:
        """Distances of new rows to these; of given ones, Q has them."""
        if self.metric == _GRAM:
            raise ValueError(
                "the distance of a new row needs k(x, x), which a matrix of kernel values with the "
                "training rows does not have; give distances, or the kernel itself"
            )
        if self.metric == _GIVEN:
            return np.asarray(Q if self.kept is None else Q[:, self.kept], dtype=np.float64)
        # a copy: scikit-learn rounds distances of an array to itself in another way
        return np.asarray(self._between(Q.copy(), self.rows), dtype=np.float64)

    def from_row(self, row: int) -> Floats:
        """Distances of all rows to one of them."""
        if self.given or "matrix" in self.__dict__:
            return self.matrix[:, row]
        return self.to(take(self.rows, np.array([row]))).ravel() if self.n > 1 else np.zeros(1)

    def taken(self, index: Any) -> Compared:
        """Some of the rows, or all in another order."""
        if not self.given:
            return replace(self, rows=take(self.rows, index))
        kept = index if self.kept is None else self.kept[index]
        return replace(self, rows=self.rows[np.ix_(index, index)], kept=kept)

    def stored(self) -> Compared:
        """What new rows need: given distances are not kept."""
        return replace(self, rows=None) if self.given else self

    # -- neighbours ----------------------------------------------------------------------------

    def nearest(self, k: int, Q: Any = None) -> tuple[Floats, Places]:
        """Squared distances, rising, and numbers of the k rows nearest to each row of Q.

        Without Q the rows are asked for the others: no row is its own neighbour.
        """
        if self.plain:
            return _neighbours.nearest(self.rows, k, Q)
        D = self.matrix if Q is None else self.to(Q)
        if Q is None:
            D = D.copy()
            np.fill_diagonal(D, np.inf)
        return _smallest(D, k)

    def nearest_of(self, index: Any, k: int) -> tuple[Floats, Places]:
        """The same for some of the rows, each of which is its own nearest."""
        if self.plain:
            return _neighbours.nearest(self.rows, k, self.rows[index])
        return _smallest(self.matrix[index], k)

    def joined(self, k: int, *, mutual: bool = False, itself: bool = False) -> sparse.csr_matrix:
        """Squared distances of rows of which one (mutual: each) is among the k nearest."""
        if self.plain:
            return _neighbours.joined(self.rows, k, mutual=mutual, itself=itself)
        parts = _graph.joined_from(*self.nearest(k), mutual, itself, _config.n_threads())
        return _neighbours.as_csr(*parts, self.n)

    def within(self, radius: float, Q: Any = None, *, itself: bool = False) -> sparse.csr_matrix:
        """Squared distances of all rows at most ``radius`` from each row of Q (default: these)."""
        if self.plain:
            return _neighbours.within(self.rows, radius, Q, itself=itself)
        D = self.matrix if Q is None else self.to(Q)
        near = radius >= D
        if Q is None:
            np.fill_diagonal(near, itself)
        at = np.nonzero(near)
        start = np.r_[0, np.cumsum(near.sum(axis=1))]
        return sparse.csr_matrix((D[at] ** 2, at[1], start), D.shape)

    def order(self) -> NDArray[Any]:
        """An order in which neighbours stand side by side, where one is quickly found."""
        if self.plain and not sparse.issparse(self.rows):
            return _neighbours.tree_order(self.rows)
        return np.arange(self.n, dtype=np.int32)

    def _between(self, X: Samples, Y: Samples | None) -> Floats:
        if isinstance(self.metric, Kernel):
            return self.metric.distance(X, Y)
        if isinstance(self.metric, Metric):
            return self.metric(X) if Y is None else self.metric(X, Y)
        return pairwise_distances(X, Y, metric=self.metric, **self.params)


def _smallest(D: Floats, k: int) -> tuple[Floats, Places]:
    """Squares and columns of the k smallest entries of every row; ties go to the first column."""
    near = np.argsort(D, axis=1, kind="stable")[:, :k]
    squares = np.take_along_axis(D, near, axis=1) ** 2
    return np.ascontiguousarray(squares), np.ascontiguousarray(near, dtype=np.int32)


class ComparesRows:
    """Mixin: ``metric`` (and ``metric_params``) say what the rows are and how far apart."""

    _door: ClassVar[Door] = Door(asks="metric", dtype=np.float64, weights="drop", least=2)
    _rules: ClassVar[dict[str, Rule]] = {"metric": METRIC}
    metric: Any

    def _says_kind(self) -> Any:
        with suppress(ValueError):  # of a metric that does not exist ``fit`` will tell
            return meant(self.metric)
        return self.metric

    def _compared(self, sample: TrainingSample) -> Compared:
        params = getattr(self, "metric_params", None)
        rows = Compared.on(sample.X, self.metric, sample.kind, params)
        return replace(rows, kept=sample.kept) if rows.given else rows


def compared(X: Any, metric: Any = "euclidean", params: Any = None) -> Compared:
    """Rows that a function was given, outside any estimator."""
    if isinstance(X, Compared):
        return X
    kind = Door(asks="metric").kind(meant(metric))
    if kind is Kind.OBJECTS:
        return Compared.on(as_objects(X), metric, kind, params)
    X = check_array(X, accept_sparse=False if kind.square else "csr", dtype=np.float64)
    if kind.square:
        (check_gram if kind is Kind.GRAM else check_distances)(X)
    return Compared.on(X, metric, kind, params)
