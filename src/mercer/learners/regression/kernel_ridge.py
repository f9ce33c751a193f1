"""Kernel ridge regression, with its leave-one-out error in closed form."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from mercer._blas import calm_blas
from mercer.bounds import Evidence
from mercer.gram import Gram, build_gram
from mercer.learners._certified import Certified
from mercer.learners._expansion import (
    KernelExpansion,
    row_weights,
    training_rows,
)
from mercer.learners._kernel import meant_by
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._parameters import Rule, check_parameters, flag, one_of
from mercer.learners.regression._leave_one_out import LeaveOneOut
from mercer.learners.regression._path import (
    Fitted,
    RidgeProblem,
    solve_each,
    solve_one,
    solve_path,
)
from mercer.learners.regression._ridge_evidence import publish
from mercer.solvers import ridge
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]

DEFAULT_PATH = np.logspace(-6, 3, 20)  # times the mean of k(x, x)


def _penalty(value: Any) -> bool:
    if isinstance(value, str):
        return value == "loo"
    if isinstance(value, bool):
        return False
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return bool(
        numbers.ndim <= 1 and numbers.size and np.all((numbers >= 0) & (numbers < math.inf))
    )


class KernelRidge(
    LeaveOneOut, Certified, KernelExpansion, MultiOutputMixin, RegressorMixin, BaseEstimator
):
    """Kernel ridge regression: Σ (y − f(x))² + alpha ‖f‖², and how good it is on unseen rows.

    With one number for ``alpha`` it is a faster stand-in for scikit-learn's class of the same
    name. With ``alpha="loo"`` the exact leave-one-out error at every penalty of a path comes from
    one decomposition of the kernel matrix, and the best penalty is kept.

    Parameters
    ----------
    alpha : float, "loo" or array-like, default=1.0
        Weight of the penalty. "loo": the candidate in ``alphas`` with the smallest leave-one-out
        error. An array is such a list of candidates too, unless there are several targets and as
        many values: then it is one penalty per target, as in scikit-learn.
    kernel : str, Kernel or callable, default="linear"
        scikit-learn's names, ``"precomputed"``, a ``mercer`` kernel, or a function of two samples
        that returns their matrix.
    gamma : float, "scale", "auto" or None, default=None
        Of the named kernels; None is one over the number of columns, as in scikit-learn.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Of the polynomial and sigmoid kernels.
    fit_intercept : bool, default=False
        Whether an offset is fitted that costs nothing. scikit-learn has none.
    alphas : array-like or None, default=None
        Candidates for ``alpha="loo"``; None takes 20 values from 10⁻⁶ to 10³ times the mean of
        k(x, x).
    alpha_per_target : bool, default=False
        Whether each target gets its own best penalty.
    solver : {"auto", "cholesky", "cg", "eigen"}, default="auto"
        How one penalty is solved; "auto" takes conjugate gradients on large data, down to the
        backward error of a Cholesky factor, and that factor where they do not get there.
    mixed_precision : bool, default=True
        Let "auto" use single precision for the steps of conjugate gradients, or for the Cholesky
        factor where small penalties need one; residuals are always measured and corrected in
        double precision, so the result is as accurate.
    certify : {"in-sample", "none"}, default="in-sample"
        Whether the model publishes certificates, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : float or ndarray of shape (n_targets,)
        The offset, 0 without one.
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty used.
    path_ : RidgePath
        After ``alpha="loo"`` or an array: penalties, leave-one-out errors and coefficients.
    loo_residuals_, loo_predictions_ : ndarray like ``y``
        y − f without row i, at row i, and that prediction; computed when first asked for.
    loo_score_ : float
        Minus the mean squared leave-one-out residual.
    stability_ : dict
        How much one row matters, exactly and in the worst case.
    solver_ : str
        The method that was used: "cholesky", "cholesky, single precision, refined", "cg",
        "low rank", "band" or "eigen".
    backward_error_ : float
        ‖y − (K + αI)c‖ / (‖K‖‖c‖ + ‖y‖) where the method measures it, else nan.
    X_fit_ : training data
        Needed for prediction.
    kernel_ : Kernel
        The kernel with all its parameters as numbers.
    evidence_, certificate_, certificates_, not_applicable_
        What the model publishes about itself, and what bounds make of it.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge
    >>> X = np.linspace(0, 3, 20)[:, None]
    >>> model = KernelRidge(alpha="loo", kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> float(model.predict([[1.5]])[0].round(2))
    1.0
    """

    known_as: ClassVar[str] = "ridge"
    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | {
        "alpha": (_penalty, 'a number >= 0, "loo" or a list of numbers >= 0'),
        "alphas": (
            lambda v: v is None or (not isinstance(v, str) and _penalty(v) and np.ndim(v) == 1),
            "None or a list of numbers >= 0",
        ),
        "solver": one_of(*ridge.METHODS),
        "mixed_precision": flag,
        "alpha_per_target": flag,
    }

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        fit_intercept: bool = False,
        alphas: Any = None,
        alpha_per_target: bool = False,
        solver: str = "auto",
        mixed_precision: bool = True,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.alphas = alphas
        self.alpha_per_target = alpha_per_target
        self.solver = solver
        self.mixed_precision = mixed_precision
        self.certify = certify
        self.delta = delta

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Train on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix; with
            a callable kernel whatever it understands.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Factors on the squared errors. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_parameters(self, self._rules)
        self._forget_certificates()
        X, y = training_rows(self, X, y, numeric=True, many=True)
        weight = row_weights(sample_weight, X)
        meant = meant_by(self, X)
        self.kernel_ = meant.kernel
        gram = build_gram(meant.kernel, X, use="rows", checked=meant.checked)
        problem, used = self._problem(gram, np.asarray(y, dtype=np.float64), weight)
        self.__dict__.pop("path_", None)
        self._remember(X)
        with calm_blas(len(used)):
            self._publish(problem, self._solve(problem), used, np.ndim(y) == 1)
        return self

    def _problem(
        self, gram: Gram, y: Floats, weight: Floats
    ) -> tuple[RidgeProblem, NDArray[np.intp]]:
        used = np.flatnonzero(weight > 0)
        if len(used) < gram.n:
            gram = gram.subset(used)
        root = np.sqrt(weight[used])
        scaled = ScaledGram(gram, None if np.all(root == 1.0) else root)
        target = y.reshape(len(y), -1)[used] * root[:, None]
        return RidgeProblem(scaled, target, root, bool(self.fit_intercept)), used

    def _solve(self, problem: RidgeProblem) -> Fitted:
        candidates, targets = self._candidates(problem), problem.target.shape[1]
        self._n_candidates = 0
        if candidates is None:
            penalty = np.asarray(self.alpha, dtype=np.float64)
            if penalty.size == 1:
                return solve_one(
                    problem, float(penalty.ravel()[0]), self.solver, self.mixed_precision
                )
            return solve_each(problem, penalty)
        self._n_candidates = len(candidates)
        each = bool(self.alpha_per_target) and targets > 1
        fitted, self.path_ = solve_path(problem, candidates, each)
        return fitted

    def _candidates(self, problem: RidgeProblem) -> Floats | None:
        """The path to try, None if the penalties are given."""
        if isinstance(self.alpha, str):
            if self.alphas is not None:
                return np.asarray(self.alphas, dtype=np.float64)
            size = float(np.mean(problem.gram.diag()))
            return DEFAULT_PATH * (size if size > 0 else 1.0)
        penalty = np.asarray(self.alpha, dtype=np.float64)
        per_target = penalty.ndim == 1 and len(penalty) == problem.target.shape[1]
        return None if penalty.ndim == 0 or per_target else penalty

    def _publish(
        self, problem: RidgeProblem, fitted: Fitted, used: NDArray[np.intp], flat: bool
    ) -> None:
        """Set the fitted attributes; rows of weight zero have coefficient zero."""
        n, targets = _num_samples(self.X_fit_), fitted.coef.shape[1]
        coef = np.zeros((n, targets))
        coef[used] = fitted.coef * problem.root[:, None]
        residuals = fitted.alpha * fitted.coef / problem.root[:, None]
        self._flat, self._used = flat, used
        self.dual_coef_ = coef[:, 0] if flat else coef
        self.intercept_ = float(fitted.offset[0]) if flat else fitted.offset
        same = np.all(fitted.alpha == fitted.alpha[0])
        self.alpha_ = float(fitted.alpha[0]) if same else fitted.alpha
        self.solver_, self.backward_error_ = fitted.method, fitted.error
        self._told = {
            "n": len(used),
            "targets": targets,
            "coef": fitted.coef[:, 0] * problem.root,
            "risk": float(np.mean(problem.mean_square(residuals))),
            "squared_norm": float(
                problem.squared_norms(fitted.coef, fitted.offset, fitted.alpha)[0]
            ),
            "diagonal": np.asarray(problem.gram.gram.diag(), dtype=np.float64),
            "weight": float(problem.root[0] ** 2) if np.ptp(problem.root) == 0 else None,
            "dropped": n - len(used),
            "candidates": self._n_candidates,
            "left_out": fitted.left_out,
            "spectrum": None if problem.gram.factor is not None else fitted.eigenvalues,
            "target": problem.target / problem.root[:, None],
            "root": problem.root,
        }

    def _publish_evidence(self) -> Evidence:
        return publish(self)

    # -- prediction --------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """Predicted targets of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        check_is_fitted(self)
        columns = self.dual_coef_.reshape(len(self.dual_coef_), -1)
        values = self._expand(X, columns) + self.intercept_
        return values[:, 0] if self._flat else values

    def predict_path(self, X: Any) -> Floats:
        """Predictions at every penalty of the path, from one pass over the kernel.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_alphas, n_samples) or (n_alphas, n_samples, n_targets)
            The predictions.
        """
        check_is_fitted(self)
        if "path_" not in self.__dict__:
            raise AttributeError("there is a path only after alpha='loo' or a list of penalties")
        count, n, targets = self.path_.dual_coefs.shape
        coefs = np.zeros((len(self.dual_coef_), count * targets))
        coefs[self._used] = self.path_.dual_coefs.transpose(1, 0, 2).reshape(n, -1)
        values = self._expand(X, coefs).reshape(-1, count, targets).transpose(1, 0, 2)
        values = values + self.path_.intercepts[:, None, :]
        return values[:, :, 0] if self._flat else values
