"""ν-support vector classification."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from mercer._types import RandomState
from mercer.learners.margin.svm._classifier import MarginClassifier
from mercer.learners.margin.svm._tasks import Ground
from mercer.learners.margin.svm.machine import Machine, read_machine
from mercer.solvers import problems
from mercer.solvers.quadratic import BoxProblem, Solution

DEGENERATE = 1e-9  # a margin below this share of the data's squared radius is zero


class NuSVC(MarginClassifier):
    """ν-SVM: the share of margin errors is chosen instead of the price ``C``.

    A replacement of ``sklearn.svm.NuSVC``. As there, the machine found is divided by its margin
    ``rho``, so that support vectors on the margin have output ±1; ``diagnostics_.scale`` is rho.
    Unlike there, ``class_weight`` has an effect.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of margin errors and lower bound on the share of support
        vectors, in (0, 1].
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
        Factors on the weights of each class; "balanced" makes the classes equally heavy.
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
        Factors on the weights, in the order of ``classes_``.
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
    >>> from mercer import NuSVC
    >>> X = np.array([[-1, -1], [-2, -1], [1, 1], [2, 1]])
    >>> NuSVC(nu=0.5, kernel="linear").fit(X, [1, 1, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    _complaint = "specified nu is infeasible: all samples with positive weights"

    known_as: ClassVar[str] = "nu-svc"

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.nu = nu
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
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    def _problem(self, rows: Any, label: Any, weight: ArrayLike, ground: Ground) -> BoxProblem:
        return problems.nu_svc(
            label, self.nu, rows=rows, n=ground.n, weight=weight, fit_intercept=self.fit_intercept
        )

    def _read(
        self, problem: BoxProblem, solution: Solution, label: Any, weight: Any, ground: Ground
    ) -> Machine:
        if self.fit_intercept:
            positive, negative = solution.offsets
            rho, intercept = (positive + negative) / 2, -(positive - negative) / 2
        else:
            rho, intercept = solution.offsets[0], 0.0
        if rho <= DEGENERATE * ground.radius**2:
            warnings.warn(
                f"nu={self.nu:g} is too small for these data: the classes overlap so much that "
                "the best margin is zero and the machine is (nearly) constant. Raise nu.",
                UserWarning,
                stacklevel=5,
            )
            rho = 1.0
        return read_machine(problem, solution, label, weight, intercept=intercept, scale=rho)
