"""Kernel ridge regression, with its leave-one-out error in closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.gram import Gram
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule, flag, one_of
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners.expansion import Expansion
from mercer.learners.regression._leave_one_out import LeaveOneOut
from mercer.learners.regression._path import (
    RidgePath,
    RidgeProblem,
    RidgeSolution,
    solve_each,
    solve_one,
    solve_path,
)
from mercer.learners.regression._ridge_evidence import evidence_of
from mercer.learners.regression._ridge_fitted import RidgeFitted
from mercer.solvers import ridge
from mercer.solvers.scaled import ScaledGram

Floats = NDArray[np.float64]

DEFAULT_PATH = np.logspace(-6, 3, 20)  # times the mean of k(x, x)


def _penalty(value: object) -> bool:
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


class KernelRidge(LeaveOneOut, Weighted, Publishes, InKernelSpace, Regresses, Learner):
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
        scikit-learn's names, ``"precomputed"``, a ``mercer`` kernel, a function of two rows that
        returns a number, as in scikit-learn, or one of two samples that returns their matrix.
    gamma : float, "scale", "auto" or None, default=None
        Of the named kernels; None is one over the number of columns, as in scikit-learn.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Of the polynomial and sigmoid kernels.
    kernel_params : dict or None, default=None
        Keyword arguments of a kernel that is a function.
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
    certify; delta : …

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
    kernel_; evidence_, certificate_, certificates_, not_applicable_; n_features_in_ : …
    feature_names_in_ : …

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
    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
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
    _door: ClassVar[Door] = Door(asks="kernel", targets="numbers", functions="rows")
    _state_version: ClassVar[int] = 1
    fitted_: RidgeFitted
    path_: RidgePath

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = False,
        alphas: Any = None,
        alpha_per_target: bool = False,
        solver: str = "auto",
        mixed_precision: bool = True,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.alphas = alphas
        self.alpha_per_target = alpha_per_target
        self.solver = solver
        self.mixed_precision = mixed_precision
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        from mercer.kernels import Matern

        return [
            cls(),
            cls(kernel="rbf", fit_intercept=True),
            cls("loo", kernel="rbf"),
            cls(kernel="precomputed"),
            cls(kernel=Matern(1.5)),
        ]

    # -- fit ---------------------------------------------------------------------------------------

    def _train(self, sample: TrainingSample) -> RidgeFitted:
        space = self._space(sample, use="rows")
        problem, used = self._problem(space.gram, sample)
        solution, path = self._solve(problem)
        root = problem.root[:, None]
        coef = np.zeros((sample.n, solution.coef.shape[1]))
        coef[used] = solution.coef * root
        squares = problem.squared_norms(solution.coef, solution.offset, solution.alpha)
        return RidgeFitted(
            **self._in_space(sample, space.meant),
            coef=coef,
            intercept=solution.offset,
            alpha=solution.alpha,
            flat=sample.y.ndim == 1,
            fit_intercept=problem.fit_intercept,
            checked=space.meant.checked,
            solver=solution.method,
            backward_error=solution.error,
            used=used,
            root=problem.root,
            target=problem.target / root,
            diagonal=np.asarray(problem.gram.gram.diag(), dtype=np.float64),
            risk=float(np.mean(problem.mean_square(solution.alpha * solution.coef / root))),
            squared_norm=float(squares[0]),
            spectrum=None if problem.gram.factor is not None else solution.eigenvalues,
            path=path,
            path_left_out=solution.left_out,
        )

    def _problem(self, gram: Gram, sample: TrainingSample) -> tuple[RidgeProblem, NDArray[np.intp]]:
        used = np.flatnonzero(sample.weight > 0)
        if len(used) < gram.n:
            gram = gram.subset(used)
        root = np.sqrt(sample.weight[used])
        scaled = ScaledGram(gram, None if np.all(root == 1.0) else root)
        target = sample.y.reshape(sample.n, -1)[used] * root[:, None]
        return RidgeProblem(scaled, target, root, bool(self.fit_intercept)), used

    def _solve(self, problem: RidgeProblem) -> tuple[RidgeSolution, RidgePath | None]:
        candidates = self._candidates(problem)
        if candidates is not None:
            each = bool(self.alpha_per_target) and problem.target.shape[1] > 1
            return solve_path(problem, candidates, each)
        penalty = np.asarray(self.alpha, dtype=np.float64)
        if penalty.size > 1:
            return solve_each(problem, penalty), None
        one = float(penalty.ravel()[0])
        return solve_one(problem, one, self.solver, self.mixed_precision), None

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

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, RidgeFitted)
        self.dual_coef_ = fitted.coef[:, 0] if fitted.flat else fitted.coef
        self.intercept_ = float(fitted.intercept[0]) if fitted.flat else fitted.intercept
        self.alpha_ = fitted.penalty
        self.solver_, self.backward_error_ = fitted.solver, fitted.backward_error
        if fitted.path is not None:
            self.path_ = fitted.path

    def _publish_evidence(self) -> Evidence:
        return evidence_of(self.fitted_, type(self).__name__)

    # -- prediction --------------------------------------------------------------------------------

    def _outputs(self, X: Samples) -> Floats:
        values = self._expand(X, self.fitted_.coef) + self.fitted_.intercept
        return values[:, 0] if self.fitted_.flat else values

    def _expansion(self) -> Expansion:
        coef, offset, flat = self.fitted_.coef, self.fitted_.intercept, self.fitted_.flat
        return Expansion(self.kernel_, self.X_fit_, coef, offset, "regressor", flat)

    def predict_path(self, X: Samples) -> Floats:
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
        fitted, path = self.fitted_, self.fitted_.path
        if path is None:
            raise AttributeError("there is a path only after alpha='loo' or a list of penalties")
        count, n, targets = path.dual_coefs.shape
        coefs = np.zeros((fitted.n, count * targets))
        coefs[fitted.used] = path.dual_coefs.transpose(1, 0, 2).reshape(n, -1)
        values = self._expand(self._query(X), coefs).reshape(-1, count, targets)
        values = values.transpose(1, 0, 2) + path.intercepts[:, None, :]
        return values[:, :, 0] if fitted.flat else values
