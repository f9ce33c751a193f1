"""What the neighbour learners share: validation, the search, and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from mercer.kernels import Kernel
from mercer.kernels.validate import as_objects
from mercer.learners._certified import Certified
from mercer.learners._data import check_distances
from mercer.learners._parameters import Rule, check_parameters, one_of
from mercer.learners.metric import _search
from mercer.learners.metric._votes import TIES, consistent_k

Floats = NDArray[np.float64]

RULES: dict[str, Rule] = {
    "n_neighbors": (
        lambda v: (
            v in ("root", "lipschitz")
            if isinstance(v, str)
            else isinstance(v, Integral) and not isinstance(v, bool) and int(v) >= 1
        ),
        "a positive whole number, 'root' or 'lipschitz'",
    ),
    "weights": (
        lambda v: callable(v) or (isinstance(v, str) and v in ("uniform", "distance")),
        "'uniform', 'distance' or a function of the distances",
    ),
    "algorithm": one_of(*_search.ALGORITHMS),
    "ties": one_of(*TIES),
    "metric": (
        lambda v: isinstance(v, str) or callable(v),
        "the name of a metric, 'precomputed', a function, or a Kernel",
    ),
}


def takes_objects(metric: Any) -> bool:
    """Whether rows may be anything: the metric is a kernel on objects or a distance of pairs."""
    accepts = getattr(metric, "accepts", None)
    return accepts is not None and not {"vectors", "precomputed"} & accepts


class NeighbourLearner(Certified, BaseEstimator):
    """Rows are stored; a query looks up its neighbours."""

    _rules: ClassVar[dict[str, Rule]] = RULES
    metric: Any
    n_neighbors: Any
    algorithm: str
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.pairwise = given
        plain = isinstance(self.metric, str | Kernel) and self.algorithm != "approximate"
        tags.input_tags.sparse = plain and not given
        tags.input_tags.two_d_array = not takes_objects(self.metric)
        return tags

    def _begin(self, X: Any, y: Any, train: Callable[[Any, Any], Any], **checks: Any) -> Any:
        """Check parameters and data, then train; modes that spend rows go their own way."""
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = self._training_rows(X, y, **checks)
        self._rows = _num_samples(X)
        train(X, y)
        return self

    def _training_rows(self, X: Any, y: Any, **checks: Any) -> tuple[Any, NDArray[Any]]:
        if takes_objects(self.metric):
            X = as_objects(X)
            check_consistent_length(X, y)
            return X, np.asarray(y)
        sparse_ok = "csr" if self.__sklearn_tags__().input_tags.sparse else False
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=sparse_ok,
            accept_large_sparse=False,
            dtype="numeric",
            **checks,
        )
        if self.metric == "precomputed" if isinstance(self.metric, str) else False:
            check_distances(X)
        return X, y

    def _query_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if takes_objects(self.metric):
            return as_objects(X)
        sparse_ok = "csr" if self.__sklearn_tags__().input_tags.sparse else False
        return validate_data(
            self,
            X,
            accept_sparse=sparse_ok,
            accept_large_sparse=False,
            dtype="numeric",
            reset=False,
        )

    def _count(self, X: Any) -> int:
        """The number of neighbours asked for, as a number."""
        if isinstance(self.n_neighbors, str):
            d = X.shape[1] if self.n_neighbors == "lipschitz" and hasattr(X, "shape") else None
            return consistent_k(self._rows, d)
        if self.n_neighbors > self._rows:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {self.n_neighbors}, "
                f"n_samples_fit = {self._rows}, n_samples = {self._rows}. "
                "Ask for fewer neighbours or bring more rows."
            )
        return int(self.n_neighbors)

    def _remember(self, X: Any) -> None:
        self.n_neighbors_ = self._count(X)
        self.n_samples_fit_ = self._rows
        self._search_among(X, self.metric, self.n_neighbors_)

    def _search_among(self, points: Any, metric: Any, k: int) -> None:
        self._searched = (points, metric, self.algorithm, k)
        self._search = _search.build(*self._searched, self.n_jobs)

    @cached_property
    def _search(self) -> _search.Search:
        """Built by ``fit``, and again after loading: model files hold the points only."""
        return _search.build(*self._searched, self.n_jobs)

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[Floats, NDArray[np.intp]]:
        """Distances and training rows of the nearest neighbours, nearest first.

        Parameters
        ----------
        X : array-like
            New points.
        n_neighbors : int, optional
            How many; as fitted by default.

        Returns
        -------
        distances, rows : ndarray of shape (n_queries, n_neighbors)
            Neighbours in order.
        """
        X = self._query_rows(X)
        return self._search.query(X, n_neighbors or self.n_neighbors_)
