"""Relevance vector classification."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._blas import blas_threads
from mercer.bounds import Choice, Evidence
from mercer.learners.bayes._data import training_sample
from mercer.learners.bayes.gp.links import Link
from mercer.learners.bayes.rvm import _laplace as _rvm_laplace
from mercer.learners.bayes.rvm import _text as _rvm_text
from mercer.learners.bayes.rvm._base import RelevanceVectorMachine
from mercer.learners.bayes.rvm._text import Relevance

Floats = NDArray[np.float64]
LINK = Link()


class RelevanceVectorClassifier(ClassifierMixin, RelevanceVectorMachine):
    """Sparse Bayesian classification: a logistic model of few basis functions.

    The posterior of the weights is replaced by a Gaussian at its mode (Laplace), and the prior
    variances maximise the evidence of that. More than two classes: one machine against the rest
    per class, probabilities divided by their sum.

    Parameters
    ----------
    kernel, basis, fit_intercept, algorithm, update, max_iter, certify, delta :
        As for `RelevanceVectorRegressor`; "text" is algorithm 7 of the text.
    beta : float, default=1.0
        Noise level of the link, P(+1 | t) = 1/(1+exp(-t/β)); rescales the basis functions.

    Attributes
    ----------
    classes_ : ndarray
    relevance_, relevance_vectors_, weights_, prior_variances_, log_evidence_, evidence_path_ :
        As for `RelevanceVectorRegressor`, with one row of weights per machine.

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.3, appendix B.8.5, algorithm 7; Tipping
    2001; Tipping and Faul 2003.
    """

    known_as: ClassVar[str] = "rvm"

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        basis: Any = None,
        fit_intercept: bool = True,
        algorithm: str = "sequential",
        update: str = "fast",
        beta: float = 1.0,
        max_iter: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.algorithm = algorithm
        self.update = update
        self.beta = beta
        self.max_iter = max_iter
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose prior variances and weights by the evidence.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or objects
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        self._check_parameters()
        self._forget_certificates()
        sample = training_sample(self, X, y, sample_weight)
        check_classification_targets(sample.y)
        self.classes_, codes = np.unique(sample.y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; got 1 class "
                f"({self.classes_[0]!r}): there is nothing to separate."
            )
        columns = self._train_basis(sample.X, sample.kept)
        columns /= self.beta
        two = len(self.classes_) == 2
        signs = [codes == 1] if two else [codes == c for c in range(len(self.classes_))]
        targets = [np.where(positive, 1.0, -1.0) for positive in signs]
        with blas_threads(1):  # thousands of small products
            self._machines = [self._solve(columns, t, sample.weight) for t in targets]
        self._describe(self._machines, columns.shape[1])
        outputs = np.column_stack([columns[:, m.active] @ m.mean for m in self._machines])
        self._margins = targets[0] * outputs[:, 0] if two else None
        guess = (outputs[:, 0] > 0).astype(int) if two else None
        self._wrong = None if guess is None else int(np.count_nonzero(guess != codes))
        self._rows = len(codes)
        self._geometry = self._in_feature_space(columns) if two else {}
        return self

    def _in_feature_space(self, columns: Floats) -> dict[str, Any]:
        """The fitted expansion as a vector of the kernel's own feature space, if it has one.

        Not of the space of the basis functions: that one was read off the rows.
        """
        if self.kernel_ is None or self.kernel_.psd is not True:
            return {}
        weights, scaled = self.weights_[0], columns[:, : self.n_basis_]  # k(x_i, x_j)/β
        expansion = weights[: self.n_basis_]
        own = np.maximum(np.diagonal(scaled) * self.beta, 0.0)
        size = self.kernel_.dimension(getattr(self, "n_features_in_", None))
        return {
            "norm": math.sqrt(max(0.0, float(expansion @ scaled @ expansion) / self.beta)),
            "offset": float(weights[-1]) / self.beta if self.fit_intercept else None,
            "point_norms": np.sqrt(own),
            "trace": float(own.sum()),
            "radius": self.kernel_.known_radius(own),
            "dimension": size,
            "rank": None if size is None or math.isinf(size) else int(size),
        }

    def _solve(self, columns: Floats, target: Floats, weight: Floats) -> Relevance:
        if self.algorithm == "sequential":
            return _rvm_laplace.fit_classification(
                columns, target, weight, max_iter=self.max_iter or 5000
            )
        return _rvm_text.fit_classification(
            columns, target, weight, update=self.update, max_iter=self.max_iter or 500
        )

    def decision_function(self, X: Any) -> Floats:
        """Log odds of each class against the rest: positive for ``classes_[1]`` of two."""
        odds = logit(np.clip(self._positive(X), 1e-300, 1.0 - 1e-16))
        return odds[:, 0] if len(self.classes_) == 2 else odds

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        positive = self._positive(X)
        if len(self.classes_) == 2:
            return self.classes_[(positive[:, 0] > 0.5).astype(int)]
        return self.classes_[positive.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, averaged over the uncertainty of the weights.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        positive = self._positive(X)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - positive[:, 0], positive[:, 0]])
        return positive / positive.sum(axis=1, keepdims=True)

    def _positive(self, X: Any) -> Floats:
        """Of each machine, the probability of its own class."""
        check_is_fitted(self, "weights_")
        X = self._query(X)
        columns = []
        for machine in self._machines:
            values = self._active_values(X, machine) / self.beta
            variance = np.einsum("ij,ij->i", values @ machine.covariance, values)
            columns.append(LINK.probability(values @ machine.mean, np.maximum(variance, 0.0)))
        return np.column_stack(columns)

    def _publish_evidence(self) -> Evidence:
        """A hyperplane of the kernel's feature space; neither a posterior, since the prior was read
        off the rows, nor a compression set, since no part of them rebuilds the machine.

        What applies holds for all weights at once, so the prior variances are no choice to pay for.
        """
        heuristic = self.kernel_ is not None and self.kernel_.data_dependent
        chosen = Choice("the kernel's parameters", "a heuristic read the rows")
        return Evidence(
            n=self._rows,
            learner="this RelevanceVectorClassifier",
            formulation="rvm-classification",
            loss="logistic",
            n_classes=len(self.classes_),
            errors=self._wrong,
            margins=self._margins,
            choices=(chosen,) if heuristic else (),
            **self._geometry,
        )
