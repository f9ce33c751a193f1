"""Nearest neighbour on a small part of the rows: the others test it, so it has a certificate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from mercer.bounds import Compression, Evidence
from mercer.bounds.compression import compression_log_price
from mercer.bounds.numerics import clopper_upper
from mercer.kernels import Kernel
from mercer.learners._parameters import one_of, positive_whole
from mercer.learners.metric._base import RULES, NeighbourLearner
from mercer.learners.metric.k_nearest import _choices
from mercer.metrics import Metric

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

DELTA_OF_CHOICE = 0.05  # at which the nets are compared; the bound holds for all of them at once


class CondensedNearestNeighbour(ClassifierMixin, NeighbourLearner):
    """1-nearest-neighbour rule that keeps only part of the rows.

    Parameters
    ----------
    scheme : {"condense", "net"}, default="condense"
        "condense" is Hart's rule: sweep over the rows and keep each one that the rows kept so far
        get wrong, until a sweep keeps none; the result makes no error on the other rows. "net"
        keeps a γ-net (every row within γ of a kept one, kept ones more than γ apart), labels each
        kept point by the majority of its cell, and chooses γ by the smallest risk bound.
    metric : str, callable or Kernel, default="euclidean"
        As in :class:`KNNClassifier`.
    max_scales : int, default=30
        Values of γ tried by "net".
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "approximate"}, default="auto"
        How neighbours are looked for at prediction.
    n_jobs : int or None, default=None
        Processes of the search.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

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
    >>> from mercer.learners.metric import CondensedNearestNeighbour
    >>> model = CondensedNearestNeighbour().fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    >>> model.kept_, model.predict([[4.0]])
    (array([0, 2]), array([1]))
    """

    n_neighbors = 1
    _declared = ("compression", "scenario")
    _rules = RULES | {
        "scheme": one_of("condense", "net"),
        "max_scales": positive_whole,
    }

    def __init__(
        self,
        scheme: str = "condense",
        *,
        metric: Any = "euclidean",
        max_scales: int = 30,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.scheme = scheme
        self.metric = metric
        self.max_scales = max_scales
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any) -> Any:
        """Choose the rows to keep.

        Parameters
        ----------
        X : array-like
            Training points, or the square matrix of distances between them.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._begin(X, y, self._condense)

    def _condense(self, X: Any, y: NDArray[Any]) -> None:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        metric = self.metric.resolve(X) if isinstance(self.metric, Kernel) else self.metric
        distance = Distances(X, metric, self._rows)
        self.scale_ = None
        if self.scheme == "condense":
            kept = hart(distance, codes)
            labels, nearest = codes[kept], distance.nearest(kept)
            self._settled = True
        else:
            kept, labels, nearest, self.scale_ = best_net(
                distance, codes, len(self.classes_), self.max_scales
            )
            self._settled = False
        wrong = labels[nearest] != codes
        self._errors = int(wrong.sum())
        wrong[kept] = False
        self._outside = int(wrong.sum())
        self.kept_ = kept
        self.kept_labels_ = self.classes_[labels]
        self.n_neighbors_, self.n_samples_fit_ = 1, self._rows
        self._precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        points = X[:, kept] if self._precomputed else X[kept]
        self._search_among(points[kept] if self._precomputed else points, metric, 1)

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[Floats, Rows]:
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
        X = self._query_rows(X)
        return self._search.query(X[:, self.kept_] if self._precomputed else X, n_neighbors or 1)

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
        size, exact = len(self.kept_), self.algorithm != "approximate"
        bits = 0.0 if self._settled else size * math.log2(max(len(self.classes_), 2))
        return Evidence(
            n=self._rows,
            learner=f"this {type(self).__name__}",
            formulation="condensed-nn",
            n_classes=len(self.classes_),
            errors=self._errors,
            # the errors were counted with the true neighbours, not with those an index may find
            compression=Compression(
                self._rows, size, errors=self._outside, preferent=self._settled, bits=bits
            )
            if exact
            else None,
            choices=_choices(self.metric),
        )


class Distances:
    """Distances from single rows to all rows, computed when asked for."""

    def __init__(self, X: Any, metric: Any, n: int) -> None:
        self.X, self.metric, self.n = X, metric, n
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
        if isinstance(self.metric, Metric) or hasattr(self.metric, "tile"):
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


def hart(distance: Distances, codes: Rows) -> Rows:
    """Rows that Hart's sweeps keep, in the order of the file."""
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
            row += int(wrong[0])
            away = distance.to_all(row)
            closer = away < best
            best[closer], label[closer] = away[closer], codes[row]
            if label[row] != codes[row]:  # a twin with another label: nothing can separate them
                label[row] = codes[row]
            kept.append(row)
            row += 1
            clean = False
    return np.array(sorted(set(kept)), dtype=np.intp)


def best_net(
    distance: Distances, codes: Rows, n_classes: int, max_scales: int
) -> tuple[Rows, Rows, Rows, float]:
    """The γ-net with the smallest compression bound; kept rows, labels, cells and γ.

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
            labels = _majorities(cell, codes, size, n_classes)
            wrong = labels[cell] != codes
            wrong[order] = False
            value = _limit(n, size, int(wrong.sum()), n_classes)
            if value < found[0] or found[1] is None:
                found = (value, (np.array(order), labels, cell.copy(), float(away.max())))
        farthest = int(away.argmax())
        if size >= sizes[-1] or away[farthest] <= 0:
            break
        near = distance.to_all(farthest)
        closer = near < away
        away[closer], cell[closer] = near[closer], size
        order.append(farthest)
    return found[1]


def _majorities(cell: Rows, codes: Rows, size: int, n_classes: int) -> Rows:
    counts = np.bincount(cell * n_classes + codes, minlength=size * n_classes)
    return counts.reshape(size, n_classes).argmax(axis=1)


def _limit(n: int, size: int, errors: int, n_classes: int) -> float:
    if size >= n:
        return math.inf
    price = compression_log_price(n, size, bits=size * math.log2(max(n_classes, 2)))
    return clopper_upper(errors, n - size, log_delta=math.log(DELTA_OF_CHOICE) - price)
