"""Support of a distribution."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from mercer import _compat
from mercer._types import Samples
from mercer.learners._door import Door
from mercer.learners._fitted import Fitted
from mercer.learners.margin.svm._base import MarginMachine
from mercer.learners.margin.svm._tasks import Ground, Tasks
from mercer.learners.margin.svm.machine import Machine, read_machine
from mercer.solvers import problems
from mercer.solvers.quadratic import BoxProblem, Solution

Floats = NDArray[np.float64]


class OneClassSVM(OutlierMixin, MarginMachine):
    """One-class SVM: the smallest region, in feature space, that holds most of the data.

    A replacement of ``sklearn.svm.OneClassSVM``.

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
    nu : float, default=0.5
        Upper bound on the share of training points called outliers and lower bound on the share
        of support vectors, in (0, 1].
    shrinking; cache_size; verbose; max_iter; time_limit : …
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
    offset_ : ndarray of shape (1,)
        The threshold: ``decision_function = score_samples - offset_``.

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> OneClassSVM(gamma="auto").fit([[0], [0.44], [0.45], [0.46], [1]]).predict([[0.45], [5]])
    array([ 1, -1])
    """

    known_as: ClassVar[str] = "one-class"
    _kind = "detector"
    _door: ClassVar[Door] = Door(asks="kernel")

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float | str = "auto",
        verbose: bool = False,
        max_iter: int = -1,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.certify = certify
        self.delta = delta

    @_compat.with_callbacks
    def fit(
        self, X: Samples, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix; with
            a callable kernel whatever it understands.
        y : Ignored
            There are no labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on the weight of each sample. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, None, sample_weight)

    def _tasks(self, y: NDArray[Any] | None, weight: Floats) -> Tasks:
        return super()._tasks(np.ones(len(weight)), weight)

    def _problem(
        self, rows: Any, target: ArrayLike, weight: ArrayLike, ground: Ground
    ) -> BoxProblem:
        return problems.one_class(self.nu, rows=rows, n=ground.n, weight=weight)

    def _read(
        self, problem: BoxProblem, solution: Solution, target: Any, weight: Any, ground: Ground
    ) -> Machine:
        return read_machine(problem, solution, target, weight, intercept=-solution.offsets[0])

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        self.offset_ = -self.intercept_

    def decision_function(self, X: Samples) -> Floats:
        """Signed distance to the boundary: positive inside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``score_samples(X) - offset_``.
        """
        return self._values(X)[:, 0]

    def score_samples(self, X: Samples) -> Floats:
        """Raw score: ``decision_function(X) + offset_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The scores; larger is more typical.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """+1 for points inside the region, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 or -1.
        """
        values = self._telling_values(X, lambda rough, error: np.abs(rough[:, 0]) <= error)
        return np.where(values[:, 0] > 0, 1, -1).astype(np.intp)
