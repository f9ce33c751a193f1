"""The best of finitely many classifiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.bounds import Evidence
from mercer.learners._certified import Certified
from mercer.learners._expansion import row_weights
from mercer.learners._parameters import check_parameters

Floats = NDArray[np.float64]
Rule = Callable[[Any], Any]


@dataclass(frozen=True)
class RiskSplit:
    """L(chosen) − L* = estimation + approximation."""

    risk: float  # of the chosen rule
    best: float  # smallest risk in the class
    bayes: float

    @property
    def estimation(self) -> float:
        """What choosing by the sample cost."""
        return self.risk - self.best

    @property
    def approximation(self) -> float:
        """What the class cannot do."""
        return self.best - self.bayes


class FiniteClassERM(Certified, ClassifierMixin, BaseEstimator):
    """Of the given rules, the one with the fewest training errors; the first of equals.

    Parameters
    ----------
    rules : sequence or None, default=None
        Functions from rows to labels, or objects with ``predict``, fixed before the data were
        seen. None means one constant rule per label, which is the majority vote.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    best_ : int
        Place of the chosen rule.
    risks_ : ndarray of shape (n_rules,)
        Empirical risk of every rule.
    classes_ : ndarray
        The labels seen.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners.discriminant import FiniteClassERM
    >>> rules = [lambda X, t=t: np.where(X[:, 0] > t, 1, -1) for t in (0.0, 1.0, 2.0)]
    >>> FiniteClassERM(rules).fit([[0.5], [1.5], [2.5]], [-1, 1, 1]).best_
    1
    """

    _told: dict[str, Any]
    _declared: ClassVar[tuple[str, ...]] = ("finite-class",)

    def __init__(
        self,
        rules: Sequence[Any] | None = None,
        *,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.rules = rules
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.rules is None
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Choose a rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each error counts.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self)
        self._forget_certificates()
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = row_weights(sample_weight, X)
        self.classes_ = np.unique(y)
        answers = [_answer(rule, X) for rule in self._all_rules()]
        wrong = np.stack([np.asarray(answer != y) for answer in answers])
        self.risks_ = wrong @ weight / weight.sum()
        self.best_ = int(self.risks_.argmin())
        self._told = {
            "n": len(y),
            "errors": int(wrong[self.best_].sum()) if np.ptp(weight) == 0 else None,
        }
        return self

    def _all_rules(self) -> list[Any]:
        if self.rules is None:
            # of the labels' own type: a text shorter than the longest label would change it
            return [self.classes_[i : i + 1] for i in range(len(self.classes_))]
        if isinstance(self.rules, str) or not hasattr(self.rules, "__len__"):
            raise ValueError(f"rules must be a list of rules, got {self.rules!r}")
        if len(self.rules) == 0:
            raise ValueError("rules is empty: there is nothing to choose from")
        return list(self.rules)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels given by the chosen rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return _answer(self._all_rules()[self.best_], X)

    def split(self, law: Any, **options: Any) -> RiskSplit:
        """How much of the excess risk is due to the sample and how much to the class.

        Parameters
        ----------
        law : mercer.datasets.Law
            The truth: it knows its Bayes risk and the risk of any rule.
        **options
            For ``law.risk``.
        """
        check_is_fitted(self)
        risks = [
            law.risk(lambda X, rule=rule: _answer(rule, X), **options) for rule in self._all_rules()
        ]
        return RiskSplit(risks[self.best_], min(risks), law.bayes_risk)

    def _publish_evidence(self) -> Evidence:
        return Evidence(
            self._told["n"],
            learner="this FiniteClassERM",
            formulation="finite-class",
            n_classes=max(2, len(self.classes_)),
            errors=self._told["errors"],
            # Constants for the labels seen are a class that the data chose: it has no size.
            log_class_size=None if self.rules is None else math.log(len(self.rules)),
        )


def _answer(rule: Any, X: Any) -> NDArray[Any]:
    if hasattr(rule, "predict"):
        return np.asarray(rule.predict(X))
    if callable(rule):
        return np.asarray(rule(X))
    return np.repeat(rule, len(X))
