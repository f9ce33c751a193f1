"""Nearest neighbour on a small part of the rows: the others test it, so it has a certificate."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mercer._types import Samples
from mercer.bounds import Compression, Evidence
from mercer.bounds.compression import compression_log_price
from mercer.bounds.numerics import clopper_upper
from mercer.kernels import Kernel
from mercer.kernels.validate import take
from mercer.learners._door import Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Weighted
from mercer.learners._mixins import Labelled
from mercer.learners._parameters import one_of, positive_whole
from mercer.learners.metric._neighbours import (
    RULES,
    Floats,
    NeighbourFitted,
    NeighbourLearner,
    Rows,
)
from mercer.learners.metric._search import for_metric
from mercer.metrics import Metric
from mercer.solvers.watch import Watch

DELTA_OF_CHOICE = 0.05  # at which the nets are compared; the bound holds for all of them at once


@dataclass(frozen=True, kw_only=True)
class CondensedFitted(NeighbourFitted):
    """The rows that are kept, their labels in the rule, and its errors on all rows."""

    places: Rows
    labels: NDArray[Any]
    scale: float | None
    settled: bool  # Hart's rule ended: the kept rows and their own labels are the rule
    errors: int
    outside: int  # errors on rows that are not kept


class CondensedNearestNeighbor(Weighted, Labelled, NeighbourLearner):
    """1-nearest-neighbour rule that keeps only part of the rows.

    Sample weights count in the majority of a cell of the net; to Hart's rule copies of a row say
    nothing new, and neither do weights.

    Parameters
    ----------
    method : {"condense", "net"}, default="condense"
        "condense" is Hart's rule: sweep over the rows and keep each one that the rows kept so far
        get wrong, until a sweep keeps none; the result makes no error on the other rows. "net"
        keeps a γ-net (every row within γ of a kept one, kept ones more than γ apart), labels each
        kept point by the majority of its cell, and chooses γ by the smallest risk bound.
    metric : str, callable or Kernel, default="euclidean"
        As in :class:`KNNClassifier`.
    max_scales : int, default=30
        Values of γ tried by "net".
    time_limit : float or None, default=None
        Seconds after which no further row is kept: the rows so far are the rule, with a warning.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "approximate"}, default="auto"
        How neighbours are looked for at prediction.
    n_jobs : int or None, default=None
        Processes of the search.
    certify; delta : …

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    kept_ : ndarray of int
        Row numbers of the points kept.
    kept_labels_ : ndarray
        Their labels in the rule; with "net" those of the majority of the cell.
    scale_ : float or None
        γ of the net.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`: the kept rows are a compression set.

    References
    ----------
    Hart 1968; Gottlieb, Kontorovich and Nisnevitch 2014; Kontorovich, Sabato and Urner 2017.

    Examples
    --------
    >>> from mercer.learners.metric import CondensedNearestNeighbor
    >>> model = CondensedNearestNeighbor().fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    >>> model.kept_, model.predict([[4.0]])
    (array([0, 2]), array([1]))
    """

    lacks: ClassVar[Mapping[str, str]] = {
        "decision": "the answer is the label of one row: no number belongs to it",
        "proba": "the answer is the label of one row: nothing votes",
        "time_limit": "",
    }
    _declared = ("compression", "scenario")
    _tag: ClassVar[str] = "learner:condensed-nearest-neighbour"
    _state_version: ClassVar[int] = 1
    _fewest_classes: ClassVar[int] = 1
    _rules = RULES | {
        "method": one_of("condense", "net"),
        "max_scales": positive_whole,
    }
    fitted_: CondensedFitted

    def __init__(
        self,
        method: str = "condense",
        *,
        metric: Any = "euclidean",
        max_scales: int = 30,
        time_limit: float | None = None,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.method = method
        self.metric = metric
        self.max_scales = max_scales
        self.time_limit = time_limit
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls("net", metric="manhattan")]

    def _train(self, sample: TrainingSample) -> CondensedFitted:
        labels, watch = self._labels(sample), Watch(self.time_limit)
        how = self._metric_on(sample)
        distance = Distances(sample.X, how["metric"], sample.n)
        if self.method == "condense":
            places, done = hart(distance, labels.codes, watch)
            scale: float | None = None
            own, nearest = labels.codes[places], distance.nearest(places)
        else:
            places, own, nearest, scale, done = best_net(
                distance, labels.codes, len(labels.classes), self.max_scales, sample.weight, watch
            )
        if not done:
            warnings.warn(
                f"The time limit ({watch.seconds:g} s) ended the fit: the rows kept so far are the "
                "rule, and more of them might make fewer errors.",
                ConvergenceWarning,
                stacklevel=5,
            )
        wrong = own[nearest] != labels.codes
        outside = wrong.copy()
        outside[places] = False
        square = sample.kind is Kind.DISTANCES
        found = CondensedFitted(
            **rows_of(sample),
            **how,
            classes=labels.classes,
            rows=sample.X[np.ix_(places, places)] if square else take(sample.X, places),
            k=1,
            places=places,
            labels=labels.classes[own],
            scale=scale,
            settled=self.method == "condense" and done,
            errors=int(wrong.sum()),
            outside=int(outside.sum()),
        )
        assert found.search  # an impossible metric is refused here
        return found

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, CondensedFitted)
        self.kept_, self.kept_labels_ = fitted.places, fitted.labels
        self.scale_ = fitted.scale

    def kneighbors(self, X: Samples, n_neighbors: int | None = None) -> tuple[Floats, Rows]:
        """Distance and number (among ``kept_``) of the nearest kept points.

        Parameters
        ----------
        X : array-like
            New points; with ``metric="precomputed"`` their distances to all training rows.
        n_neighbors : int, optional
            How many; one by default.

        Returns
        -------
        distances, rows : ndarray of shape (n_queries, n_neighbors)
            Neighbours in order.
        """
        rows, fitted = self._known(X), self.fitted_
        if fitted.kind is Kind.DISTANCES:
            rows = rows[:, fitted.places]
        return fitted.search.query(rows, n_neighbors or 1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of the nearest kept point.

        Parameters
        ----------
        X : array-like
            New points; with ``metric="precomputed"`` their distances to all training rows.

        Returns
        -------
        ndarray of shape (n_queries,)
            Class labels.
        """
        nearest = self.kneighbors(X)[1][:, 0]
        return self.kept_labels_[nearest]

    def _publish_evidence(self) -> Evidence:
        """The kept rows are the rule; labels of cells cost extra bits."""
        fitted = self.fitted_
        size, classes = len(fitted.places), len(self.classes_)
        bits = 0.0 if fitted.settled else size * math.log2(max(classes, 2))
        record = Compression(
            fitted.n, size, errors=fitted.outside, preferent=fitted.settled, bits=bits
        )
        return Evidence(
            n=fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="condensed-nn",
            n_classes=classes,
            errors=fitted.errors,
            # the errors were counted with the true neighbours, not with those an index may find
            compression=record if fitted.exact else None,
            choices=fitted.choices(),
        )


class Distances:
    """Distances from single rows to all rows, computed when asked for."""

    def __init__(self, X: Samples, metric: Any, n: int) -> None:
        self.X, self.metric, self.n = for_metric(X, metric), metric, n
        self._given = isinstance(metric, str) and metric == "precomputed"

    def to_all(self, row: int) -> Floats:
        """Distances of one row to every row."""
        if self._given:
            return np.array(self.X[:, row], dtype=np.float64)  # a copy: callers change it
        return self._block(self.X[row : row + 1])

    def _block(self, one: Any) -> Floats:
        if isinstance(self.metric, Kernel):
            return np.asarray(self.metric.distance(one, self.X), dtype=np.float64)[0]
        if isinstance(self.metric, str) and self.metric == "euclidean" and not sparse.issparse(one):
            return np.sqrt(np.sum((self.X - one) ** 2, axis=1, dtype=np.float64))
        if isinstance(self.metric, str):
            from sklearn.metrics import pairwise_distances

            return np.asarray(pairwise_distances(one, self.X, metric=self.metric))[0]
        if isinstance(self.metric, Metric):
            return np.asarray(self.metric(one, self.X), dtype=np.float64)[0]
        return np.array([float(self.metric(one[0], other)) for other in self.X])

    def nearest(self, kept: Rows) -> Rows:
        """For every row, which of the kept rows is nearest (the first of equally near ones)."""
        best = np.full(self.n, np.inf)
        who = np.zeros(self.n, dtype=np.intp)
        for place, row in enumerate(kept):
            away = self.to_all(int(row))
            closer = away < best
            best[closer], who[closer] = away[closer], place
        return who


def hart(distance: Distances, codes: Rows, watch: Watch) -> tuple[Rows, bool]:
    """Rows that Hart's sweeps keep, in the order of the file, and whether time sufficed."""
    best = distance.to_all(0)
    label = np.full(distance.n, codes[0])
    kept = [0]
    clean = False
    while not clean:
        clean, row = True, 0
        while row < distance.n:
            wrong = np.flatnonzero(label[row:] != codes[row:])
            if not wrong.size:
                break
            if watch.spent:
                return np.array(sorted(set(kept)), dtype=np.intp), False
            row += int(wrong[0])
            away = distance.to_all(row)
            closer = away < best
            best[closer], label[closer] = away[closer], codes[row]
            if label[row] != codes[row]:  # a twin with another label: nothing can separate them
                label[row] = codes[row]
            kept.append(row)
            row += 1
            clean = False
    return np.array(sorted(set(kept)), dtype=np.intp), True


def best_net(
    distance: Distances,
    codes: Rows,
    n_classes: int,
    max_scales: int,
    weight: Floats,
    watch: Watch,
) -> tuple[Rows, Rows, Rows, float, bool]:
    """The γ-net with the smallest compression bound: kept rows, labels, cells, γ; and if in time.

    One farthest-point traversal gives all nets: its first points are a net at the distance of the
    next one.
    """
    n = distance.n
    order, away = [0], distance.to_all(0)
    cell = np.zeros(n, dtype=np.intp)
    sizes = sorted({max(1, round(v)) for v in np.geomspace(1, max(n // 2, 1), max_scales)})
    found: tuple[float, Any] = (math.inf, None)
    while True:
        size = len(order)
        if size in sizes:
            labels = _majorities(cell, codes, size, n_classes, weight)
            wrong = labels[cell] != codes
            wrong[order] = False
            value = _limit(n, size, int(wrong.sum()), n_classes)
            if value < found[0] or found[1] is None:
                found = (value, (np.array(order), labels, cell.copy(), float(away.max())))
        farthest = int(away.argmax())
        done = size >= sizes[-1] or away[farthest] <= 0
        if done or watch.spent:
            break
        near = distance.to_all(farthest)
        closer = near < away
        away[closer], cell[closer] = near[closer], size
        order.append(farthest)
    return (*found[1], bool(done))


def _majorities(cell: Rows, codes: Rows, size: int, n_classes: int, weight: Floats) -> Rows:
    counts = np.bincount(cell * n_classes + codes, weights=weight, minlength=size * n_classes)
    return counts.reshape(size, n_classes).argmax(axis=1)


def _limit(n: int, size: int, errors: int, n_classes: int) -> float:
    if size >= n:
        return math.inf
    price = compression_log_price(n, size, bits=size * math.log2(max(n_classes, 2)))
    return clopper_upper(errors, n - size, log_delta=math.log(DELTA_OF_CHOICE) - price)
