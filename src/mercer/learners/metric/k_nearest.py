"""k nearest neighbours, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import rows_of
from mercer.learners._learner import Weighted
from mercer.learners._mixins import Labelled
from mercer.learners.metric._every_row import AsksEveryRow, EveryRowFitted, mass_of
from mercer.learners.metric._neighbours import (
    Floats,
    Rows,
    how_many,
)
from mercer.learners.metric._votes import tally, winners


@dataclass(frozen=True, kw_only=True)
class VoteFitted(EveryRowFitted):
    """Classes of the rows, and how they vote."""

    codes: Rows
    ties: str
    random_state: Any

    def decide(self, rows: Rows, weights: Floats) -> Rows:
        """Places of the winning classes."""
        assert self.classes is not None
        rng = check_random_state(self.random_state)
        return winners(self.codes[rows], weights, len(self.classes), self.ties, rng)


@dataclass(frozen=True, kw_only=True)
class MeanFitted(EveryRowFitted):
    """Targets of the rows, and how they are averaged."""

    targets: Floats

    def mean(self, rows: Rows, weights: Floats) -> Floats:
        """Weighted means of the neighbours' targets."""
        weights = weights / weights.sum(axis=1, keepdims=True)
        return np.einsum("qk,qk...->q...", weights, self.targets[rows])


class KNNClassifier(Weighted, Labelled, AsksEveryRow):
    """Majority of the nearest neighbours, in any metric or in the feature space of a kernel.

    With sample weights the neighbours are the nearest rows that weigh ``n_neighbors`` together,
    each counting with its weight, the last in part: weight k is k copies of a row.

    Parameters
    ----------
    n_neighbors : int or {"root", "lipschitz"}, default=5
        How many neighbours vote. "root" is ⌈√n⌉ and "lipschitz" ⌈n^{2/(d+2)}⌉: numbers that grow
        with n while their share falls, as consistency needs (:func:`consistent_k`).
    metric : str, callable, Metric or Kernel, default="euclidean"
        Any metric of scikit-learn by name, "precomputed" (X holds distances), a function of two
        rows, a `mercer.metrics.Metric`, or a kernel, whose feature-space distance
        √(k(x,x) + k(y,y) − 2k(x,y)) is used.
    weights : {"uniform", "distance"}, None or callable, default="uniform"
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
    certify; delta : …

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

    lacks: ClassVar[Mapping[str, str]] = {
        "decision": "neighbours vote: what there is beside the class is predict_proba"
    }
    _fewest_classes: ClassVar[int] = 1
    fitted_: VoteFitted

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

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        from mercer.kernels import Polynomial

        return [cls(1), cls("root", metric=Polynomial(2, coef0=1.0), ties="shrink")]

    def _train(self, sample: TrainingSample) -> VoteFitted:
        labels = self._labels(sample)
        found = VoteFitted(
            **rows_of(sample),
            **self._metric_on(sample),
            classes=labels.classes,
            rows=sample.X,
            k=how_many(self.n_neighbors, sample),
            codes=labels.codes,
            weights=self.weights,
            mass=mass_of(sample),
            ties=self.ties,
            random_state=self.random_state if self.ties == "random" else None,
        )
        assert found.search  # an impossible metric is refused here
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like or None
            New points; with ``metric="precomputed"`` their distances to the training rows. None
            for the training rows, each without itself.

        Returns
        -------
        ndarray of shape (n_queries,)
            Class labels.
        """
        _, rows, weights = self._asked(X)
        return self.classes_[self.fitted_.decide(rows, weights)]

    def predict_proba(self, X: Samples) -> Floats:
        """Share of the (weighted) votes of each class.

        Parameters
        ----------
        X : array-like or None
            New points; with ``metric="precomputed"`` their distances to the training rows. None
            for the training rows, each without itself.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
            Columns in the order of ``classes_``.
        """
        _, rows, weights = self._asked(X)
        fitted = self.fitted_
        votes = tally(fitted.codes[rows], weights, len(self.classes_))
        # A breath of weight for the winner: the most probable class is always the predicted one.
        votes[np.arange(len(votes)), fitted.decide(rows, weights)] *= 1.0 + 1e-9
        return votes / votes.sum(axis=1, keepdims=True)

    def left_out_predictions(self) -> NDArray[Any]:
        """What each training row would be called if it were not there: no refitting needed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        return self.predict(None)

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        found = fitted.decide(*fitted.near(fitted.rows)[1:])
        loo = {}
        if fitted.n > 1 and fitted.mass is None:
            left_out = fitted.decide(*fitted.others()[1:])
            loo["exact"] = float(np.mean(left_out != fitted.codes))
        # each of them must count alike, and the search must really find them
        counted = fitted.exact and fitted.weights in ("uniform", None) and fitted.mass is None
        return Evidence(
            n=fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="knn",
            n_classes=len(self.classes_),
            errors=int(np.count_nonzero(found != fitted.codes)),
            loo=loo,
            neighbours=fitted.k if counted else None,
            choices=fitted.choices(),
        )


class KNNRegressor(Weighted, RegressorMixin, AsksEveryRow):
    """Mean target of the nearest neighbours, in any metric or in the feature space of a kernel.

    With sample weights the neighbours are the nearest rows that weigh ``n_neighbors`` together,
    each counting with its weight, the last in part: weight k is k copies of a row.

    Parameters
    ----------
    n_neighbors : int or {"root", "lipschitz"}, default=5
        How many neighbours are averaged; see :class:`KNNClassifier`.
    metric : str, callable or Kernel, default="euclidean"
        As in :class:`KNNClassifier`.
    weights : {"uniform", "distance"}, None or callable, default="uniform"
        Equal weights, inverse distances, or a function of the distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "approximate"}, default="auto"
        As in :class:`KNNClassifier`.
    n_jobs : int or None, default=None
        Processes of the search.
    certify; delta : …

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

    lacks: ClassVar[Mapping[str, str]] = {
        "certificate": "no bound knows a mean of targets without limits; mercer.certify counts"
    }
    _targets: ClassVar[Literal["labels", "numbers"]] = "numbers"
    fitted_: MeanFitted

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

    def _train(self, sample: TrainingSample) -> MeanFitted:
        found = MeanFitted(
            **rows_of(sample),
            **self._metric_on(sample),
            rows=sample.X,
            k=how_many(self.n_neighbors, sample),
            targets=sample.y,
            weights=self.weights,
            mass=mass_of(sample),
        )
        assert found.search  # an impossible metric is refused here
        return found

    def predict(self, X: Any) -> Floats:
        """Predicted target of each point.

        Parameters
        ----------
        X : array-like or None
            New points; with ``metric="precomputed"`` their distances to the training rows. None
            for the training rows, each without itself.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            Targets.
        """
        _, rows, weights = self._asked(X)
        return self.fitted_.mean(rows, weights)

    def left_out_predictions(self) -> Floats:
        """What each training row would be given if it were not there: no refitting needed.

        Returns
        -------
        ndarray
            Targets.
        """
        return self.predict(None)

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        risks = {}
        if fitted.n > 1 and fitted.mass is None:
            residual = fitted.mean(*fitted.others()[1:]) - fitted.targets
            risks["leave-one-out squared error"] = float(np.mean(residual**2))
        return Evidence(
            n=fitted.n,
            task="regression",
            learner=f"this {type(self).__name__}",
            formulation="knn",
            risks=risks,
            choices=fitted.choices(),
        )
