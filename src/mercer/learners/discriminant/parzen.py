"""Parzen windows: compare the classes' kernel density estimates."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.bounds import Evidence
from mercer.gram import build_gram
from mercer.learners._certified import Certified
from mercer.learners._expansion import (
    KernelExpansion,
    row_weights,
    training_rows,
)
from mercer.learners._kernel import meant_by
from mercer.learners._kernel_evidence import kernel_facts
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._parameters import Rule, check_parameters, one_of

Floats = NDArray[np.float64]


class ParzenClassifier(Certified, KernelExpansion, ClassifierMixin, BaseEstimator):
    """The class whose training points are most similar: argmax_y Σ_{i: y_i = y} k(x_i, x).

    With a Gaussian kernel the sums are density estimates times class frequencies. For two classes
    it is f(x) = Σ y_i k(x_i, x), the expansion whose coefficients are the labels.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in ``mercer.KernelRidge``.
    gamma : float, "scale", "auto" or None, default="scale"
        Of the named kernels; None is one over the number of columns.
    degree, coef0 : float
        Of the polynomial and sigmoid kernels.
    prior : {"estimated", "equal"}, default="estimated"
        "equal" divides each class's sum by its size.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    dual_coef_ : ndarray of shape (n_samples, n_classes)
        Weight of every training row in the score of every class.
    kernel_, X_fit_
        What is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> from mercer.learners.discriminant import ParzenClassifier
    >>> ParzenClassifier(gamma=1.0).fit([[0.0], [0.2], [3.0]], list("aab")).predict([[2.5]])
    array(['b'], dtype='<U1')
    """

    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {"prior": one_of("estimated", "equal")}

    _told: dict[str, Any]

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        prior: str = "estimated",
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.prior = prior
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ParzenClassifier:
        """Keep the training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix.
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
        X, y = training_rows(self, X, y, numeric=False)
        check_classification_targets(y)
        weight = row_weights(sample_weight, X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        mass = np.bincount(codes, weights=weight, minlength=len(self.classes_))
        self._check_classes(mass.astype(np.float64))
        meant = meant_by(self, X)
        self.kernel_ = meant.kernel
        coef = np.zeros((len(codes), len(self.classes_)))
        coef[np.arange(len(codes)), codes] = weight
        if self.prior == "equal":
            coef /= coef.sum(axis=0)
        self.dual_coef_ = coef
        self._remember(X)
        gram = build_gram(meant.kernel, X, use="rows", checked=meant.checked)
        self._told = {
            "codes": codes,
            "scores": gram.matmul(coef),
            "diagonal": np.asarray(gram.diag(), dtype=np.float64),
            "weighted": bool(np.ptp(weight) > 0),
        }
        return self

    def _check_classes(self, mass: Floats) -> None:
        if np.count_nonzero(mass) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class "
                f"({self.classes_.tolist()[int(mass.argmax())]!r}): there is nothing to compare."
            )
        if np.any(mass == 0):
            missing = self.classes_[mass == 0].tolist()
            raise ValueError(f"Classes {missing} have no sample with positive weight.")

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self._expand(X, self.dual_coef_)

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the difference of the scores.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:  # a tie is class +1, as for every two-class machine here
            return self.classes_[(scores[:, 1] >= scores[:, 0]).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def _publish_evidence(self) -> Evidence:
        told = self._told
        scores, codes = told["scores"], told["codes"]
        two = len(self.classes_) == 2
        guess = (scores[:, 1] >= scores[:, 0]).astype(int) if two else scores.argmax(axis=1)
        facts = kernel_facts(self, told["diagonal"])
        margins = (scores[:, 1] - scores[:, 0]) * (2.0 * codes - 1.0) if two else None
        signed = self.dual_coef_[:, 1] - self.dual_coef_[:, 0] if two else None
        square = None
        if two and facts["point_norms"] is not None:
            square = float(signed @ (scores[:, 1] - scores[:, 0]))
        return Evidence(
            len(codes),
            n_classes=len(self.classes_),
            learner="this ParzenClassifier",
            formulation="parzen",
            errors=int(np.count_nonzero(guess != codes)),
            margins=margins,
            norm=None if square is None else float(np.sqrt(max(square, 0.0))),
            **facts,
        )
