"""Several classes from any learner of two: against the rest, pair by pair, or by elimination."""

from __future__ import annotations

from typing import Self

from mercer.learners.margin.svm.svc import SVC
from mercer.learners.multiclass._wrapper import Wrapper


class OneVsRest(Wrapper):
    """One machine per class, that class against all others; the largest output wins.

    Parameters
    ----------
    estimator : estimator, default=None
        Any two-class learner with ``decision_function``, ``predict_proba`` or ``predict``; None
        for :class:`mercer.SVC`.
    certify : {"in-sample"} or None, default="in-sample"
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


class OneVsOne(Wrapper):
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
