"""Several classes from any learner of two: against the rest, pair by pair, or by elimination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from mercer._types import Samples
from mercer.learners.margin.svm.svc import SVC
from mercer.learners.multiclass._several_labels import ConstantLabel, SeveralLabels
from mercer.learners.multiclass._wrapper import Floats, Wrapper


def _has_probabilities(wrapper: Any) -> bool:
    learned = [m for m in getattr(wrapper, "estimators_", ()) if not isinstance(m, ConstantLabel)]
    return hasattr(learned[0] if learned else wrapper._learner(), "predict_proba")


class OneVsRest(SeveralLabels):
    """One machine per class, that class against all others; the largest output wins.

    Where rows have several labels, or none, ``y`` is a matrix of zeros and ones with a column for
    each label, dense or sparse; each is learned and answered on its own.

    Parameters
    ----------
    estimator : estimator, default=None
        Any two-class learner with ``decision_function``, ``predict_proba`` or ``predict``; None
        for :class:`mercer.SVC`.
    certify; delta : …

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    estimators_ : list of estimator
        The binary machines.
    names_ : list of str
        What each of them separates.
    multilabel_ : bool
        Whether ``y`` was a matrix of labels; ``classes_`` are its columns then.
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
    lacks: ClassVar[Mapping[str, str]] = {"proba": ""}

    @available_if(_has_probabilities)
    def predict_proba(self, X: Samples) -> Floats:
        """Probabilities of the learner for each class against the rest, made to sum to one.

        Where rows may have several labels, of each label by itself.

        Parameters
        ----------
        X : array-like
            New points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; all zeros count as equal.
        """
        rows = self._query(X)
        models = self.fitted_.models
        shares = np.column_stack([np.asarray(m.predict_proba(rows))[:, 1] for m in models])
        if self.multilabel_:
            return shares
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - shares[:, 0], shares[:, 0]])
        total = shares.sum(axis=1, keepdims=True)
        even = np.full_like(shares, 1.0 / len(self.classes_))
        return np.divide(shares, total, out=even, where=total > 0)


class OneVsOne(Wrapper):
    """One machine per pair of classes; the class with most wins is predicted.

    Equal numbers of wins are decided by the sum of confidences, as in scikit-learn.

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

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(SVC(kernel="linear", loss="squared_hinge"))]


class DecisionDAG(Wrapper):
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
