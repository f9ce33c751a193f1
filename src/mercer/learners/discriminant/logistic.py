"""Logistic classification, for two classes and for many."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import svds
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.bounds import Evidence
from mercer.learners._certified import Certified
from mercer.learners._data import DTYPES, check_magnitude
from mercer.learners._expansion import row_weights
from mercer.learners._parameters import Rule, check_parameters, one_of, positive_whole
from mercer.learners.discriminant._softmax import SoftmaxRisk, softmax

Floats = NDArray[np.float64]

INNER = 200  # most steps for one Newton direction


class LogisticClassifier(Certified, ClassifierMixin, BaseEstimator):
    """P(y | x) ∝ exp(⟨x, β_y⟩ + b_y): minimise ½‖β‖² + C Σ −ln P(y_i | x_i).

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses; ``inf`` for no penalty. Without one, separable data have no minimum:
        the norm grows until ``max_iter``, with a warning.
    fit_intercept : bool, default=True
        Whether there are offsets, which cost nothing.
    solver : {"auto", "newton", "lbfgs", "gradient"}, default="auto"
        "auto" is Newton's method, whose equations are solved by conjugate gradients without
        forming the Hessian. "gradient" is plain descent from 0 with the step 1/L, where L is
        ‖√w X‖²/4 (two classes) or ‖√w X‖²/2 plus the penalty.
    tol : float, default=1e-4
        Largest entry of the gradient of the mean objective at which to stop, as in scikit-learn.
    max_iter : int, default=1000
        Most iterations.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    classes_ : ndarray
        The labels.
    n_iter_, solver_ : int, str
        Iterations, and the method that took them.
    objective_ : float
        The value reached.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> from mercer.learners.discriminant import LogisticClassifier
    >>> model = LogisticClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[1.5]]).round(2)
    array([[0.5, 0.5]])
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "solver": one_of("auto", "newton", "lbfgs", "gradient"),
        "max_iter": positive_whole,
    }
    _told: dict[str, Any]

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on the losses. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = validate_data(self, X, y, dtype=DTYPES, accept_sparse="csr")
        check_magnitude(X)
        check_classification_targets(y)
        weight = row_weights(sample_weight, X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        used = np.flatnonzero(weight > 0)
        self._check_classes(codes[used])
        risk = SoftmaxRisk(
            X[used].astype(np.float64, copy=False)
            if len(used) < len(y)
            else X.astype(np.float64, copy=False),
            codes[used],
            weight[used] / weight.sum(),  # the mean objective, so that tol means what it says
            len(self.classes_),
            0.0 if np.isinf(self.C) else 1.0 / (self.C * weight.sum()),
            bool(self.fit_intercept),
        )
        self._publish(risk, self._minimise(risk), float(weight.sum()))
        return self

    def _check_classes(self, codes: NDArray[np.intp]) -> None:
        present = np.unique(codes)
        if len(present) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class "
                f"({self.classes_.tolist()[present[0]]!r}): there is nothing to separate."
            )

    def _minimise(self, risk: SoftmaxRisk) -> Floats:
        self.solver_ = "newton" if self.solver == "auto" else self.solver
        start = np.zeros(risk.rows * risk.outputs)
        method = {"newton": self._newton, "gradient": self._descend, "lbfgs": self._quasi}
        beta, met = method[self.solver_](risk, start)
        if not met:
            warnings.warn(
                f"LogisticClassifier: {self.solver_} did not reach tol={self.tol:g} in "
                f"{self.max_iter} iterations. Scale the data, raise max_iter, or lower C if the "
                "classes are separable.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return beta

    def _quasi(self, risk: SoftmaxRisk, beta: Floats) -> tuple[Floats, bool]:
        options = {
            "maxiter": self.max_iter,
            "gtol": self.tol,
            "ftol": 64 * np.finfo(float).eps,
            "maxls": 50,
        }
        found = minimize(
            risk.value_and_gradient, beta, jac=True, method="L-BFGS-B", options=options
        )
        self.n_iter_ = int(found.nit)
        return found.x, bool(found.success)

    def _newton(self, risk: SoftmaxRisk, beta: Floats) -> tuple[Floats, bool]:
        """Newton's method; its equations are solved by conjugate gradients, as far as it pays."""
        value, gradient = risk.value_and_gradient(beta)
        for count in range(self.max_iter):
            self.n_iter_ = count
            size = float(np.abs(gradient).max())
            if size <= self.tol:
                return beta, True
            step = _truncated(risk.curvature(beta), gradient)
            length, slope = 1.0, float(step @ gradient)
            while length > 1e-10:
                new = beta - length * step
                new_value, new_gradient = risk.value_and_gradient(new)
                if new_value <= value - 1e-4 * length * slope + 1e-15 * abs(value):
                    break
                length *= 0.5
            else:
                return beta, size <= 100 * self.tol  # rounding hides any further gain
            beta, value, gradient = new, new_value, new_gradient
        self.n_iter_ = self.max_iter
        return beta, bool(np.abs(gradient).max() <= self.tol)

    def _descend(self, risk: SoftmaxRisk, beta: Floats) -> tuple[Floats, bool]:
        step = 1.0 / _smoothness(risk)
        for count in range(self.max_iter):
            self.n_iter_ = count
            _, gradient = risk.value_and_gradient(beta)
            if np.abs(gradient).max() <= self.tol:
                return beta, True
            beta = beta - step * gradient
        self.n_iter_ = self.max_iter
        return beta, False

    def _publish(self, risk: SoftmaxRisk, beta: Floats, total: float) -> None:
        table = beta.reshape(risk.rows, risk.outputs)
        self.coef_ = np.ascontiguousarray(table[: risk.X.shape[1]].T)
        self.intercept_ = table[-1].copy() if self.fit_intercept else np.zeros(risk.outputs)
        scale = 1.0 if np.isinf(self.C) else self.C
        self.objective_ = float(risk.value_and_gradient(beta)[0] * total * scale)
        self._told = {"scores": risk.scores(beta), "codes": risk.codes}

    # -- prediction --------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=DTYPES, accept_sparse="csr", reset=False)
        return np.asarray(X @ self.coef_.T, dtype=np.float64) + self.intercept_

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes.
        """
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
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
        """Class probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])])
        return softmax(scores)

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of ``predict_proba``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        scores = scores - scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def _publish_evidence(self) -> Evidence:
        scores, codes = self._told["scores"], self._told["codes"]
        two = len(self.classes_) == 2
        size = self.coef_.shape[1]
        return Evidence(
            len(codes),
            learner="this LogisticClassifier",
            formulation="logistic",
            loss="logistic" if two else "",
            n_classes=len(self.classes_),
            errors=int(np.count_nonzero(self._labels(scores) != self.classes_[codes])),
            margins=scores[:, 0] * (2.0 * codes - 1.0) if two else None,
            norm=float(np.linalg.norm(self.coef_)) if two else None,
            offset=float(self.intercept_[0]) if self.fit_intercept else None,
            dimension=float(size) if two else None,
            rank=size if two else None,
        )


def _truncated(product: Callable[[Floats], Floats], gradient: Floats) -> Floats:
    """An approximate Newton direction: exact where the gradient is already small."""
    size = float(np.linalg.norm(gradient))
    goal = min(0.5, np.sqrt(size)) * size
    step, residual = np.zeros_like(gradient), gradient.copy()
    along, square = residual.copy(), size**2
    for _ in range(INNER):
        if np.sqrt(square) <= goal:
            break
        image = product(along)
        curvature = float(along @ image)
        if curvature <= 1e-16 * float(along @ along):
            return step if step.any() else gradient  # flat: constants added to all scores
        step += (square / curvature) * along
        residual -= (square / curvature) * image
        last, square = square, float(residual @ residual)
        along = residual + (square / last) * along
    return step


def _smoothness(risk: SoftmaxRisk) -> float:
    """Lipschitz constant of the gradient: ‖√w X‖²/4 for two classes, /2 for more, + penalty."""
    root = np.sqrt(risk.weight)
    ones = np.ones((len(root), int(risk.fit_intercept)))
    if sparse.issparse(risk.X):
        lifted = sparse.diags_array(root) @ sparse.hstack([risk.X, sparse.csr_array(ones)])
        top = (
            float(svds(lifted, k=1, return_singular_vectors=False)[0])
            if min(lifted.shape) > 1
            else float(sparse.linalg.norm(lifted))
        )
    else:
        top = float(np.linalg.norm(root[:, None] * np.hstack([risk.X, ones]), 2))
    return top**2 / (4.0 if risk.outputs == 1 else 2.0) + risk.penalty
