"""ν-support vector regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer.learners.margin.svm._regressor import MarginRegressor
from mercer.learners.margin.svm._tasks import Ground
from mercer.learners.margin.svm.machine import Machine, read_machine
from mercer.solvers import problems
from mercer.solvers.quadratic import BoxProblem, Solution


class NuSVR(MarginRegressor):
    """ν-SVR: the share of points outside the tube is chosen, its width is found.

    A replacement of ``sklearn.svm.NuSVR``. ``diagnostics_.tube`` is the half-width found.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of points outside the tube and lower bound on the share of
        support vectors, in (0, 1].
    C : float, default=1.0
        Price of leaving the tube.
    kernel : str, Kernel or callable, default="rbf"
        One of scikit-learn's names ("linear", "poly", "rbf", "sigmoid", "laplacian", "chi2",
        "cosine"), any :class:`mercer.kernels.Kernel`, or a function ``k(X, Y)`` that returns the
        matrix of values. With "precomputed", ``X`` is the kernel matrix itself.
    degree : …
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is ``1 / (n_features * X.var())``,
        "auto" is ``1 / n_features``.
    coef0; shrinking; tol; cache_size; verbose; max_iter : …
    fit_intercept : bool, default=True
        Whether the function has an offset. Without one it is a linear
        function in feature space.
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
    >>> from mercer import NuSVR
    >>> X = np.linspace(0, 3, 20)[:, None]
    >>> float(NuSVR(C=10).fit(X, np.sin(X[:, 0])).predict([[1.5]])[0].round(1))
    1.0
    """

    known_as: ClassVar[str] = "nu-svr"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        verbose: bool = False,
        max_iter: int = -1,
        fit_intercept: bool = True,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    def _problem(
        self, rows: Any, target: ArrayLike, weight: ArrayLike, ground: Ground
    ) -> BoxProblem:
        if not np.isfinite(self.C):
            raise ValueError("NuSVR needs a finite C: with C=inf its tube has no width to choose.")
        return problems.nu_svr(
            target,
            self.C,
            self.nu,
            rows=rows,
            n=ground.n,
            weight=weight,
            fit_intercept=self.fit_intercept,
        )

    def _read(
        self, problem: BoxProblem, solution: Solution, target: Any, weight: Any, ground: Ground
    ) -> Machine:
        if self.fit_intercept:
            up, down = solution.offsets
            tube, intercept = -(up + down) / 2, -(up - down) / 2
        else:
            tube, intercept = -solution.offsets[0], 0.0
        return read_machine(
            problem, solution, target, weight, intercept=intercept, tube=max(tube, 0.0)
        )
