"""Several classes from any learner of two: against the rest, pair by pair, or by elimination."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from mercer.bounds import Evidence
from mercer.learners import schemes as _multiclass
from mercer.learners._certified import Certified
from mercer.learners._parameters import check_parameters
from mercer.learners.margin.svm.svc import SVC

Floats = NDArray[np.float64]


class _Wrapper(Certified, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """The binary problems of a scheme, each given to a clone of the learner."""

    _scheme: ClassVar[str] = ""
    accounts_for_fit: ClassVar[bool] = True

    def __init__(
        self, estimator: Any = None, *, certify: Any = "in-sample", delta: float = 0.05
    ) -> None:
        self.estimator = estimator
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._learner())
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.two_d_array = inner.input_tags.two_d_array
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _learner(self) -> Any:
        return SVC() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train one machine for each binary problem.

        Parameters
        ----------
        X : array-like
            Training points, whatever the learner takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for learners that take them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self)
        self._forget_certificates()
        X, y = self._training_rows(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class "
                f"({self.classes_.tolist()[0]!r}): there is nothing to separate."
            )
        if sample_weight is not None:
            everyone = np.empty((len(codes), 0))
            sample_weight = _check_sample_weight(sample_weight, everyone, dtype=np.float64)
        tasks = _multiclass.binary_tasks(codes, len(self.classes_), self._scheme)
        self.names_ = _multiclass.task_names(self.classes_, self._scheme)
        self._pairwise_data = get_tags(self._learner()).input_tags.pairwise
        self._task_rows = [rows for rows, _ in tasks] if self._pairwise_data else None
        self.estimators_ = [
            self._train(X, rows, label.astype(np.intp), sample_weight) for rows, label in tasks
        ]
        self._rows = len(codes)
        self._errors = None
        if self.certify != "none":
            winners = _multiclass.winners(self._outputs(X), len(self.classes_), self._scheme)
            self._errors = int(np.count_nonzero(winners != codes))
        self._members = [rows for rows, _ in tasks]
        return self

    def _training_rows(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        tags = self.__sklearn_tags__().input_tags
        if not tags.two_d_array:
            return X, np.asarray(y)
        options: dict[str, Any] = {"accept_sparse": "csr" if tags.sparse else False}
        if tags.allow_nan:
            options["ensure_all_finite"] = "allow-nan"
        return validate_data(self, X, y, **options)

    def _train(self, X: Any, rows: NDArray[np.intp], label: Any, sample_weight: Any) -> Any:
        model = clone(self._learner())
        part = X
        if len(rows) < _num_samples(X):
            part = X[np.ix_(rows, rows)] if self._pairwise_data else _take(X, rows)
        options = {}
        if sample_weight is not None:
            if not has_fit_parameter(model, "sample_weight"):
                raise ValueError(f"{type(model).__name__} takes no sample_weight.")
            options["sample_weight"] = sample_weight[rows]
        return model.fit(part, label, **options)

    def _outputs(self, X: Any) -> Floats:
        """Output of each machine, positive for its first class, shape (n, n_machines)."""
        columns = []
        for place, model in enumerate(self.estimators_):
            part = X
            if self._task_rows is not None:
                part = X[:, self._task_rows[place]]
            columns.append(_signed_output(model, part))
        return np.column_stack(columns)

    def decision_function(self, X: Any) -> Floats:
        """Outputs of the machines.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray
            Shape (n_samples,) for two classes, else (n_samples, n_classes): one output per class,
            for pairwise schemes its votes with the confidences as tie-breakers.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        if self._scheme == "ovr":
            return values
        return _multiclass.one_column_per_class(values, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        values = self._values(X)
        return self.classes_[_multiclass.winners(values, len(self.classes_), self._scheme)]

    def _values(self, X: Any) -> Floats:
        check_is_fitted(self)
        tags = self.__sklearn_tags__().input_tags
        if tags.two_d_array:
            options: dict[str, Any] = {"accept_sparse": "csr" if tags.sparse else False}
            if tags.allow_nan:
                options["ensure_all_finite"] = "allow-nan"
            X = validate_data(self, X, reset=False, **options)
        return self._outputs(X)

    def _publish_evidence(self) -> Evidence:
        """The binary machines, each counted over all rows: an error needs one of them to err."""
        machines, chosen = [], []
        for model, rows in zip(self.estimators_, self._members, strict=True):
            evidence = getattr(model, "evidence_", None)
            if evidence is not None:
                chosen += evidence.choices
                machines.append(_over_all_rows(evidence, rows, self._rows))
        complete = len(machines) == len(self.estimators_)
        one = machines[0] if complete and len(machines) == 1 else None
        if one is not None:
            return replace(one, learner=f"this {type(self).__name__}", errors=self._errors)
        return Evidence(
            n=self._rows,
            learner=f"this {type(self).__name__}",
            formulation=self._scheme,
            n_classes=len(self.classes_),
            errors=self._errors,
            machines=tuple(machines) if complete else (),
            choices=tuple(dict.fromkeys(chosen)),
        )


class OneVsRest(_Wrapper):
    """One machine per class, that class against all others; the largest output wins.

    Parameters
    ----------
    estimator : estimator, default=None
        Any two-class learner with ``decision_function``, ``predict_proba`` or ``predict``; None
        for :class:`mercer.SVC`.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    estimators_ : list of estimator
        The binary machines.
    names_ : list of str
        What each of them separates.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> from mercer.learners.margin import Perceptron
    >>> from mercer.learners.multiclass import OneVsRest
    >>> X, y = [[0, 0], [0, 1], [5, 0], [6, 0], [0, 6], [1, 7]], [0, 0, 1, 1, 2, 2]
    >>> OneVsRest(Perceptron()).fit(X, y).predict([[5, 1], [0, 9]])
    array([1, 2])
    """

    _scheme = "ovr"


class OneVsOne(_Wrapper):
    """One machine per pair of classes; the class with most wins is predicted.

    Equal numbers of wins go to the class that comes first in ``classes_``.

    Parameters
    ----------
    estimator, certify, delta
        As in :class:`OneVsRest`.

    Examples
    --------
    >>> from mercer.learners.margin import Perceptron
    >>> from mercer.learners.multiclass import OneVsOne
    >>> X, y = [[0, 0], [0, 1], [5, 0], [6, 0], [0, 6], [1, 7]], [0, 0, 1, 1, 2, 2]
    >>> OneVsOne(Perceptron()).fit(X, y).predict([[5, 1], [0, 9]])
    array([1, 2])
    """

    _scheme = "ovo"


class DecisionDAG(_Wrapper):
    """One machine per pair of classes, asked one after the other: each answer removes a class.

    The first remaining class meets the last one; after n_classes − 1 questions one is left (Platt,
    Cristianini and Shawe-Taylor 2000). A point asks n_classes − 1 machines instead of all pairs.

    Parameters
    ----------
    estimator, certify, delta
        As in :class:`OneVsRest`.

    Examples
    --------
    >>> from mercer.learners.margin import Perceptron
    >>> from mercer.learners.multiclass import DecisionDAG
    >>> X, y = [[0, 0], [0, 1], [5, 0], [6, 0], [0, 6], [1, 7]], [0, 0, 1, 1, 2, 2]
    >>> DecisionDAG(Perceptron()).fit(X, y).predict([[5, 1], [0, 9]])
    array([1, 2])
    """

    _scheme = "dag"


def _signed_output(model: Any, X: Any) -> Floats:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64).ravel()
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1] - 0.5
    return np.where(np.asarray(model.predict(X)) == 1, 1.0, -1.0)


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    return X[rows] if hasattr(X, "shape") else [X[int(i)] for i in rows]


def _over_all_rows(evidence: Evidence, rows: NDArray[np.intp], n: int) -> Evidence:
    """A pairwise machine is never wrong about rows that it is not asked about."""
    if len(rows) == n:
        return evidence
    margins = None
    if evidence.margins is not None and len(evidence.margins) == len(rows):
        margins = np.full(n, np.inf)
        margins[rows] = evidence.margins
    return replace(
        evidence, n=n, margins=margins, alphas=None, slacks=None, point_norms=None, trace=None,
        compression=None, loo={}, mistakes=None, progressive=None, C=None, choices=(),
    )  # fmt: skip
