"""ε-support vector regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer.learners._parameters import Rule, one_of
from mercer.learners.margin.svm._hard import hard_tube
from mercer.learners.margin.svm._regressor import MarginRegressor
from mercer.learners.margin.svm._tasks import Ground
from mercer.learners.margin.svm.machine import Machine, read_machine
from mercer.learners.margin.svm.training import Budget
from mercer.solvers import problems
from mercer.solvers.quadratic import BoxProblem, Solution


class SVR(MarginRegressor):
    """Support vector regression: errors below ε cost nothing, larger ones linearly.

    A replacement of ``sklearn.svm.SVR``: ``min ½‖w‖² + C Σ max(|t_i - f(x_i)| - ε, 0)``.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        One of scikit-learn's names ("linear", "poly", "rbf", "sigmoid", "laplacian", "chi2",
        "cosine"), any :class:`mercer.kernels.Kernel`, or a function ``k(X, Y)`` that returns the
        matrix of values. With "precomputed", ``X`` is the kernel matrix itself.
    degree : …
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``,
        "auto" is ``1 / n_features``.
    coef0; tol : …
    C : float, default=1.0
        Price of leaving the tube; ``inf`` asks that no target does.
    epsilon : float, default=0.1
        Half-width of the tube in which errors cost nothing.
    shrinking; cache_size; verbose; max_iter : …
    fit_intercept : bool, default=True
        Whether the function has an offset. Without one it is a linear
        function in feature space.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Whether distances to the tube count linearly or squared.
    time_limit : …
    warm_start : bool, default=False
        Start from the previous solution if it has the same number of variables.
    n_jobs : …
    certify : {"in-sample"} or None, default="in-sample"
        Whether bounds that need no rows but the training rows are published. To keep rows from the
        training and count on them, use :func:`mercer.certified_fit`.
    delta : …

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Row numbers of the support vectors.
    support_vectors_ : …
    n_support_ : ndarray
        Number of support vectors.
    dual_coef_ : ndarray or CSR of shape (1, n_SV)
        Signed coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : ndarray of shape (1,)
        Offsets.
    coef_; fit_status_ : …
    n_iter_ : int
        Iterations of the solver.
    shape_fit_; kernel_; solution_, solutions_; diagnostics_; evidence_; certificate_ : …
    certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVR
    >>> X = np.linspace(0, 3, 20)[:, None]
    >>> float(SVR(C=10).fit(X, np.sin(X[:, 0])).predict([[1.5]])[0].round(1))
    0.9
    """

    known_as: ClassVar[str] = "svr"
    _rules: ClassVar[dict[str, Rule]] = {
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive")
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float | str = "auto",
        verbose: bool = False,
        max_iter: int = -1,
        fit_intercept: bool = True,
        loss: str = "epsilon_insensitive",
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(), cls(kernel="precomputed")]

    def _problem(
        self, rows: Any, target: ArrayLike, weight: ArrayLike, ground: Ground
    ) -> BoxProblem:
        return problems.epsilon_svr(
            target,
            self.C,
            self.epsilon,
            rows=rows,
            n=ground.n,
            weight=weight,
            squared=self.loss == "squared_epsilon_insensitive",
            fit_intercept=self.fit_intercept,
        )

    def _solve(
        self, problems: Sequence[BoxProblem], gram: Any, budget: Budget, ground: Ground
    ) -> list[Solution]:
        if np.isfinite(self.C):
            return super()._solve(problems, gram, budget, ground)
        spread = max(float(np.ptp(problems[0].linear)), 1e-300)
        scale = spread / max(ground.radius**2, 1e-300)
        return [hard_tube(problem, gram, scale, budget) for problem in problems]

    def _read(
        self, problem: BoxProblem, solution: Solution, target: Any, weight: Any, ground: Ground
    ) -> Machine:
        intercept = -solution.offsets[0] if self.fit_intercept else 0.0
        return read_machine(
            problem, solution, target, weight, intercept=intercept, tube=self.epsilon
        )
