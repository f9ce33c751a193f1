"""k nearest neighbours, for classes and for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from mercer.bounds import Choice, Evidence
from mercer.learners.metric._base import NeighbourLearner
from mercer.learners.metric._votes import neighbour_weights, tally, winners

Floats = NDArray[np.float64]


class KNNClassifier(ClassifierMixin, NeighbourLearner):
    """Majority of the nearest neighbours, in any metric or in the feature space of a kernel.

    Parameters
    ----------
    n_neighbors : int or {"root", "lipschitz"}, default=5
        How many neighbours vote. "root" is ⌈√n⌉ and "lipschitz" ⌈n^{2/(d+2)}⌉: numbers that grow
        with n while their share falls, as consistency needs (:func:`consistent_k`).
    metric : str, callable or Kernel, default="euclidean"
        Any metric of scikit-learn by name, "precomputed" (X holds distances), a function of two
        rows, or a kernel, whose feature-space distance √(k(x,x) + k(y,y) − 2k(x,y)) is used.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Equal votes, votes in inverse proportion to the distance, or a function of the distances.
    ties : {"nearest", "first", "shrink", "random"}, default="nearest"
        Which of several leading classes wins: that of the nearest neighbour, the first in
        ``classes_``, the winner with fewer neighbours, or a random one.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "approximate"}, default="auto"
        How neighbours are looked for; "approximate" needs pynndescent
        (``pip install 'mercer[neighbours]'``) and may miss some.
    random_state : int, RandomState instance or None, default=None
        For ``ties="random"``.
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
    n_neighbors_ : int
        Number of neighbours, as a number.
    n_samples_fit_ : int
        Number of training rows.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`; the evidence holds the exact leave-one-out error, which needs no
        refitting here.

    Examples
    --------
    >>> from mercer.learners.metric import KNNClassifier
    >>> KNNClassifier(1).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"]).predict([[4.0]])
    array(['b'], dtype='<U1')
    """

    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        metric: Any = "euclidean",
        weights: Any = "uniform",
        ties: str = "nearest",
        algorithm: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.ties = ties
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any) -> Any:
        """Store the rows.

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
        return self._begin(X, y, self._store)

    def _store(self, X: Any, y: NDArray[Any]) -> None:
        check_classification_targets(y)
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self._remember(X)
        self._training = X

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like
            New points; with ``metric="precomputed"`` their distances to the training rows.

        Returns
        -------
        ndarray of shape (n_queries,)
            Class labels.
        """
        found = self.kneighbors(X)
        return self.classes_[self._decide(*found)]

    def predict_proba(self, X: Any) -> Floats:
        """Share of the (weighted) votes of each class.

        Parameters
        ----------
        X : array-like
            New points; with ``metric="precomputed"`` their distances to the training rows.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
            Columns in the order of ``classes_``.
        """
        distances, rows = self.kneighbors(X)
        votes = tally(
            self._codes[rows], neighbour_weights(distances, self.weights), len(self.classes_)
        )
        # A breath of weight for the winner: the most probable class is always the predicted one.
        votes[np.arange(len(votes)), self._decide(distances, rows)] *= 1.0 + 1e-9
        return votes / votes.sum(axis=1, keepdims=True)

    def _decide(self, distances: Floats, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        weights = neighbour_weights(distances, self.weights)
        rng = check_random_state(self.random_state)
        return winners(self._codes[rows], weights, len(self.classes_), self.ties, rng)

    def left_out_predictions(self) -> NDArray[Any]:
        """What each training row would be called if it were not there: no refitting needed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        k = min(self.n_neighbors_, self._rows - 1)
        return self.classes_[self._decide(*self._search.others(k))]

    def _publish_evidence(self) -> Evidence:
        labels = self.classes_[self._codes]
        errors = int(np.count_nonzero(self.predict(self._training) != labels))
        loo = {}
        if self._rows > 1:
            loo["exact"] = float(np.mean(self.left_out_predictions() != labels))
        return Evidence(
            n=self._rows,
            learner=f"this {type(self).__name__}",
            formulation="knn",
            n_classes=len(self.classes_),
            errors=errors,
            loo=loo,
            neighbours=self._counted_neighbours(),
            choices=_choices(self.metric),
        )

    def _counted_neighbours(self) -> int | None:
        """Their number, if each of them counts alike and the search really finds them."""
        exact = self.algorithm != "approximate"
        return self.n_neighbors_ if exact and self.weights == "uniform" else None


class KNNRegressor(RegressorMixin, NeighbourLearner):
    """Mean target of the nearest neighbours, in any metric or in the feature space of a kernel.

    Parameters
    ----------
    n_neighbors : int or {"root", "lipschitz"}, default=5
        How many neighbours are averaged; see :class:`KNNClassifier`.
    metric : str, callable or Kernel, default="euclidean"
        As in :class:`KNNClassifier`.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Equal weights, inverse distances, or a function of the distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "approximate"}, default="auto"
        As in :class:`KNNClassifier`.
    n_jobs : int or None, default=None
        Processes of the search.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    n_neighbors_, n_samples_fit_ : int
        Number of neighbours and of training rows.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> from mercer.learners.metric import KNNRegressor
    >>> KNNRegressor(2).fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0]).predict([[0.4]])
    array([0.5])
    """

    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        metric: Any = "euclidean",
        weights: Any = "uniform",
        algorithm: str = "auto",
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any) -> Any:
        """Store the rows.

        Parameters
        ----------
        X : array-like
            Training points, or the square matrix of distances between them.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._begin(X, y, self._store, multi_output=True, y_numeric=True)

    def _store(self, X: Any, y: NDArray[Any]) -> None:
        self._targets = np.asarray(y, dtype=np.float64)
        self._remember(X)

    def predict(self, X: Any) -> Floats:
        """Predicted target of each point.

        Parameters
        ----------
        X : array-like
            New points; with ``metric="precomputed"`` their distances to the training rows.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Targets.
        """
        return self._mean(*self.kneighbors(X))

    def _mean(self, distances: Floats, rows: NDArray[np.intp]) -> Floats:
        weights = neighbour_weights(distances, self.weights)
        weights = weights / weights.sum(axis=1, keepdims=True)
        return np.einsum("qk,qk...->q...", weights, self._targets[rows])

    def left_out_predictions(self) -> Floats:
        """What each training row would be given if it were not there: no refitting needed.

        Returns
        -------
        ndarray
            Targets.
        """
        return self._mean(*self._search.others(min(self.n_neighbors_, self._rows - 1)))

    def _publish_evidence(self) -> Evidence:
        risks = {}
        if self._rows > 1:
            residual = self.left_out_predictions() - self._targets
            risks["leave-one-out squared error"] = float(np.mean(residual**2))
        return Evidence(
            n=self._rows,
            task="regression",
            learner=f"this {type(self).__name__}",
            formulation="knn",
            risks=risks,
            choices=_choices(self.metric),
        )


def _choices(metric: Any) -> tuple[Choice, ...]:
    if getattr(metric, "data_dependent", False):
        return (Choice("the kernel's parameters", f"a heuristic of {metric!r} read the rows"),)
    return ()
