"""Generative classifiers: a density from an exponential family for every class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.bounds import Evidence
from mercer.learners._certified import Certified
from mercer.learners._expansion import row_weights
from mercer.learners._parameters import Rule, check_parameters, one_of
from mercer.learners.discriminant._families import FAMILIES
from mercer.learners.discriminant._softmax import softmax

Floats = NDArray[np.float64]


class ExponentialFamilyClassifier(Certified, ClassifierMixin, BaseEstimator):
    """Independent columns a0(θ)·τ0(x)·exp(θ·τ(x)) in every class; the rule is linear in τ(x).

    The score of class y is ln P(y) + Σ_j [ln a0(θ_yj) + θ_yj·τ(x_j)]; τ0 is the same for all
    classes and cancels. For two classes the weights of τ are θ₊ − θ₋.

    Parameters
    ----------
    family : {"normal", "bernoulli", "poisson", "exponential", "gamma", "beta"}, default="normal"
        Of every column. Parameters are the likeliest ones; counts get half a pseudo-count.
    prior : {"estimated", "equal"}, default="estimated"
        Class probabilities.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    theta_ : ndarray of shape (n_classes, n_features, k)
        Natural parameters, one for each of the k statistics τ.
    coef_ : ndarray of shape (1 or n_classes, n_features * k)
        Weights of the statistics; one row, θ₊ − θ₋, for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    classes_ : ndarray
        The labels.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> from mercer.learners.discriminant import ExponentialFamilyClassifier
    >>> X = [[0, 1], [1, 0], [5, 7], [6, 4]]
    >>> ExponentialFamilyClassifier("poisson").fit(X, [0, 0, 1, 1]).predict([[4, 4]])
    array([1])
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "family": one_of(*FAMILIES),
        "prior": one_of("estimated", "equal"),
    }
    _told: dict[str, Any]

    def __init__(
        self,
        family: str = "normal",
        *,
        prior: str = "estimated",
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.family = family
        self.prior = prior
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.family not in ("normal",)
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Estimate the densities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = row_weights(sample_weight, X)
        self._check_domain(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        mass = np.array([weight[codes == k].sum() for k in range(len(self.classes_))])
        self._check_classes(mass)
        family = FAMILIES[self.family]
        parts = [family.fit(X[codes == k], weight[codes == k]) for k in range(len(mass))]
        self.theta_ = np.stack(parts)
        prior = (
            mass / mass.sum() if self.prior == "estimated" else np.full(len(mass), 1 / len(mass))
        )
        offsets = np.log(prior) + np.array([family.log_a0(t).sum() for t in self.theta_])
        flat = self.theta_.reshape(len(mass), -1)
        two = len(mass) == 2
        self.coef_ = flat[1:] - flat[:1] if two else flat
        self.intercept_ = offsets[1:] - offsets[:1] if two else offsets
        self._told = {
            "scores": self._statistics(X) @ self.coef_.T + self.intercept_,
            "codes": codes,
        }
        return self

    def _check_classes(self, mass: Floats) -> None:
        if np.count_nonzero(mass) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class "
                f"({self.classes_.tolist()[int(mass.argmax())]!r}): there is nothing to separate."
            )
        if np.any(mass == 0):
            missing = self.classes_[mass == 0].tolist()
            raise ValueError(f"Classes {missing} have no sample with positive weight.")

    def _check_domain(self, X: Floats) -> None:
        family = FAMILIES[self.family]
        fine = family.domain(X)
        if not fine.all():
            i, j = np.argwhere(~fine)[0]
            sign = "Negative values in data passed to X: " if X[i, j] < 0 else ""
            raise ValueError(
                f"{sign}family={self.family!r} wants {family.wants}; X[{i}, {j}] = {X[i, j]:g}."
            )

    def _statistics(self, X: Floats) -> Floats:
        return FAMILIES[self.family].statistics(X).reshape(len(X), -1)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        self._check_domain(X)
        return self._statistics(X) @ self.coef_.T + self.intercept_

    def decision_function(self, X: Any) -> Floats:
        """Logarithms of the joint densities, τ0 left out; for two classes their difference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The scores.
        """
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        return self._labels(self._scores(X))

    def _labels(self, scores: Floats) -> NDArray[Any]:
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 0] >= 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities under the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores)

    def _publish_evidence(self) -> Evidence:
        scores, codes = self._told["scores"], self._told["codes"]
        two = len(self.classes_) == 2
        return Evidence(
            len(codes),
            learner="this ExponentialFamilyClassifier",
            formulation="generative",
            n_classes=len(self.classes_),
            errors=int(np.count_nonzero(self._labels(scores) != self.classes_[codes])),
            margins=scores[:, 0] * (2.0 * codes - 1.0) if two else None,
            offset=float(self.intercept_[0]) if two else None,
            dimension=float(self.coef_.shape[1]) if two else None,
        )
