"""C-support vector classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import RandomState
from mercer.learners._parameters import Rule, one_of
from mercer.learners.margin.svm._classifier import MarginClassifier
from mercer.learners.margin.svm._hard import hard_margin
from mercer.learners.margin.svm._tasks import Ground
from mercer.learners.margin.svm.machine import Machine, read_machine
from mercer.learners.margin.svm.training import Budget
from mercer.solvers import problems
from mercer.solvers.quadratic import BoxProblem, Solution


class SVC(MarginClassifier):
    """Support vector classifier: ``min ½‖w‖² + C Σ ξ_i`` with ``y_i f(x_i) >= 1 - ξ_i``.

    A replacement of ``sklearn.svm.SVC`` with the same parameters, attributes and results.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin violation; ``inf`` asks for a hard margin and raises
        ``NotSeparableError`` if there is none. The texts' lambda is ``1 / (2 C n_samples)``.
    kernel : str, Kernel or callable, default="rbf"
        One of scikit-learn's names ("linear", "poly", "rbf", "sigmoid", "laplacian", "chi2",
        "cosine"), any :class:`mercer.kernels.Kernel`, or a function ``k(X, Y)`` that returns the
        matrix of values. With "precomputed", ``X`` is the kernel matrix itself.
    degree : …
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``,
        "auto" is ``1 / n_features``.
    coef0; shrinking : …
    probability : bool, default=False
        Offer ``predict_proba``, by cross-validation within ``fit``. The most probable class is
        always the predicted one.
    tol; cache_size : …
    class_weight : dict, "balanced" or None, default=None
        Factors on ``C`` of each class; "balanced" makes the classes equally heavy.
    verbose; max_iter : …
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one output per class, or one per pair of classes.
    break_ties : bool, default=False
        Break ties among the votes by the confidences of the pairwise machines.
    random_state : int, RandomState or None, default=None
        Draws the folds used by ``probability``.
    multi_class : {"ovo", "ovr", "dag"}, default="ovo"
        One machine per pair of classes and votes; one per class against the rest; or the pairwise
        machines asked along a decision graph (K - 1 questions).
    fit_intercept : bool, default=True
        Whether the function has an offset. Without one it is a hyperplane
        through the origin of feature space, as in the texts.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Violations count linearly or squared.
    time_limit : …
    warm_start : bool, default=False
        Start from the previous solution if it has the same number of variables, or if rows were
        added after those of the previous fit.
    n_jobs : …
    certify : {"in-sample"} or None, default="in-sample"
        Whether bounds that need no rows but the training rows are published. To keep rows from the
        training and count on them, use :func:`mercer.certified_fit`.
    delta : …

    Attributes
    ----------
    classes_ : …
    class_weight_ : ndarray of shape (n_classes,)
        Factors on ``C``, in the order of ``classes_``.
    support_ : ndarray of shape (n_SV,)
        Row numbers of the support vectors, grouped by class.
    support_vectors_ : …
    n_support_ : ndarray
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR of shape (n_classes - 1, n_SV)
        Signed coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
        Layout for several classes as in scikit-learn; one row per class with
        ``multi_class="ovr"``.
    intercept_ : ndarray of shape (n_machines,)
        Offsets.
    coef_; fit_status_ : …
    n_iter_ : ndarray of shape (n_machines,)
        Iterations of the solver.
    shape_fit_; kernel_; solution_, solutions_; diagnostics_; evidence_; certificate_ : …
    certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> X = np.array([[-1, -1], [-2, -1], [1, 1], [2, 1]])
    >>> SVC(kernel="linear").fit(X, [1, 1, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    known_as: ClassVar[str] = "c-svc"
    _rules: ClassVar[dict[str, Rule]] = {"loss": one_of("hinge", "squared_hinge")}

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: RandomState = None,
        multi_class: str = "ovo",
        fit_intercept: bool = True,
        loss: str = "hinge",
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
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
        from mercer.kernels import Matern

        return [
            cls(),
            cls(kernel="precomputed"),
            cls(kernel="linear", multi_class="ovr", loss="squared_hinge"),
            cls(multi_class="dag", fit_intercept=False),
            cls(kernel=Matern(1.5)),
        ]

    def _problem(self, rows: Any, label: Any, weight: ArrayLike, ground: Ground) -> BoxProblem:
        return problems.c_svc(
            label,
            self.C,
            rows=rows,
            n=ground.n,
            weight=weight,
            squared=self.loss == "squared_hinge",
            fit_intercept=self.fit_intercept,
        )

    def _solve(
        self, problems: Sequence[BoxProblem], gram: Any, budget: Budget, ground: Ground
    ) -> list[Solution]:
        if np.isfinite(self.C):
            return super()._solve(problems, gram, budget, ground)
        return [hard_margin(problem, gram, ground.radius, budget) for problem in problems]

    def _read(
        self, problem: BoxProblem, solution: Solution, label: Any, weight: Any, ground: Ground
    ) -> Machine:
        intercept = -solution.offsets[0] if self.fit_intercept else 0.0
        return read_machine(problem, solution, label, weight, intercept=intercept)
