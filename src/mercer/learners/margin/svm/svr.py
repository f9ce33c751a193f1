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
    degree : int, default=3
        Degree of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``,
        "auto" is ``1 / n_features``.
    coef0 : float, default=0.0
        Constant term of "poly" and "sigmoid".
    tol : float, default=1e-3
        The solver stops when no optimality condition is violated by more (LIBSVM's units).
    C : float, default=1.0
        Price of leaving the tube; ``inf`` asks that no target does.
    epsilon : float, default=0.1
        Half-width of the tube in which errors cost nothing.
    shrinking : bool, default=True
        Accepted for compatibility; the solver decides by itself and the optimum is the same.
    cache_size : float or "auto", default="auto"
        Megabytes for rows of the kernel matrix. "auto" takes memory while rows prove to be used
        again, up to 1,000 or a quarter of the memory limit.
    verbose : bool, default=False
        Draw a progress line on standard error.
    max_iter : int, default=-1
        Limit on iterations of the solver; -1 for 10,000 a row and at least 10,000,000.
    fit_intercept : bool, default=True
        Whether the function has an offset. Without one it is a linear
        function in feature space.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Whether distances to the tube count linearly or squared.
    time_limit : float or None, default=None
        Seconds after which the best solution so far is kept, with a ``ConvergenceWarning``.
    warm_start : bool, default=False
        Start from the previous solution if it has the same number of variables.
    n_jobs : int or None, default=None
        Threads; None uses what ``mercer.set_config`` says (all cores), -1 all cores.
    certify : {"in-sample"} or None, default="in-sample"
        Whether bounds that need no rows but the training rows are published. To keep rows from the
        training and count on them, use :func:`mercer.certified_fit`.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Row numbers of the support vectors.
    support_vectors_ : ndarray or CSR of shape (n_SV, n_features)
        The support vectors; empty for a precomputed kernel.
    n_support_ : ndarray
        Number of support vectors.
    dual_coef_ : ndarray or CSR of shape (1, n_SV)
        Signed coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : ndarray of shape (1,)
        Offsets.
    coef_ : ndarray or CSR
        Weights of the features, for the linear kernel only (read-only).
    fit_status_ : int
        0 if the tolerance was reached, 1 otherwise (then there was a warning).
    n_iter_ : int
        Iterations of the solver.
    shape_fit_ : tuple
        Shape of the training data.
    kernel_ : Kernel
        The kernel with all its parameters as numbers.
    solution_, solutions_ : Solution, list of Solution
        What the solver returned: coefficients, objective, optimality gap, why it stopped.
    diagnostics_ : Diagnostics
        Primal, dual and gap, margins, norms, and the state of every training point.
    evidence_ : Evidence
        What the model publishes about itself; all that a bound sees.
    certificate_ : Certificate or None
        The certificate declared in advance.
    certificates_, not_applicable_ : dict
        Every bound and estimate that applies, each at its own ``delta``; reasons of the others.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of str
        Names of the features, if the data had string column names.

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
