"""What the learners on metric spaces share: the metric, its data, and distances to new objects."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, validate_data

from mercer import _config
from mercer.kernels.validate import as_objects, n_rows, take
from mercer.learners._certified import Certified
from mercer.learners.metric._base import takes_objects
from mercer.metrics import Metric, as_metric, report

Floats = NDArray[np.float64]


class NotAMetricWarning(UserWarning):
    """The distances break an axiom that the method relies on."""


class MetricLearner(Certified, BaseEstimator):
    """A learner whose data are reached through ``metric`` alone."""

    metric: Any
    metric_: Metric

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.positive_only = tags.input_tags.pairwise
        with suppress(ValueError):  # of a metric that does not exist ``fit`` will tell
            tags.input_tags.two_d_array = not takes_objects(as_metric(self.metric))
        return tags

    def _training_distances(self, X: Any, y: Any, **checks: Any) -> tuple[Floats, NDArray[Any]]:
        """Validate, remember the objects, and return their distances and the targets."""
        self.metric_ = as_metric(self.metric)
        if takes_objects(self.metric_):
            X = as_objects(X)
            check_consistent_length(X, y)
            y = np.asarray(y)
        else:
            X, y = validate_data(self, X, y, dtype=np.float64, **checks)
        if "precomputed" in self.metric_.accepts:
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    "Precomputed metric requires shape (n_queries, n_indexed): for training a "
                    f"square matrix of distances, got {X.shape[0]}x{X.shape[1]}."
                )
            self._objects = None
        else:
            self._objects = X
        self._n = n_rows(X)
        return self._sound(self.metric_(X)), y

    def _sound(self, D: Floats) -> Floats:
        """Symmetric, with zero diagonal; the triangle inequality is reported if it fails."""
        self.metric_holds_ = self.metric_.is_metric is True
        if D.min(initial=0.0) < 0:
            i, j = np.unravel_index(int(D.argmin()), D.shape)
            raise ValueError(
                f"Negative values in data passed as distances: d({i}, {j}) = {D[i, j]:.6g}"
            )
        if self.metric_holds_:
            return D
        found = report(D, max_rows=200)
        self.metric_holds_ = all(found[code].holds for code in ("D1", "D2", "D3", "D5"))
        if not self.metric_holds_:
            broken = [a.explain() for a in found.axioms if not a.holds and a.code != "D4"]
            warnings.warn(
                "these distances are no metric (" + "; ".join(broken) + "). The larger of both "
                "directions is used and the guarantee between training points is lost; "
                "mercer.metrics has repairs.",
                NotAMetricWarning,
                stacklevel=4,
            )
            D = np.maximum(D, D.T)
            np.fill_diagonal(D, 0.0)
        return D

    def _query_objects(self, X: Any) -> Any:
        if takes_objects(self.metric_):
            return as_objects(X)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _blocks(self, X: Any) -> Iterator[tuple[slice, Floats]]:
        """Distances of new objects to the training objects, some rows at a time."""
        X = self._query_objects(X)
        size = _config.block_rows(8 * _config.TEMPORARIES * self._n)
        for start in range(0, n_rows(X), size):
            part = slice(start, min(n_rows(X), start + size))
            rows = take(X, part)
            yield part, rows if self._objects is None else self.metric_(rows, self._objects)
