"""Gaussian-process regression for many rows, through inducing points."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer import _config
from mercer._blas import blas_threads
from mercer._random import generator
from mercer.bounds import Choice, Evidence
from mercer.kernels import Kernel
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take
from mercer.learners._certified import Certified
from mercer.learners._parameters import check_parameters
from mercer.learners.bayes._data import query_sample, set_input_tags, training_sample
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes._space import has_white
from mercer.learners.bayes.gp._inducing import InducingBound, greedy_points
from mercer.learners.bayes.gp._quasi_newton import minimise
from mercer.learners.bayes.gp._search import Clock, TimeUpError
from mercer.learners.bayes.gp.regressor import GaussianProcessRegressor

Floats = NDArray[np.float64]


class SparseGaussianProcessRegressor(RegressorMixin, Certified, BaseEstimator):
    """A Gaussian process of 100,000 rows seen through a few hundred of them.

    The hyper-parameters are first learned exactly on ``subset`` rows, the inducing points are
    those training rows that the others explain least, and the hyper-parameters are then refined on
    all rows by Titsias' lower bound of the log evidence. Time O(n m²), memory O(n + m²).

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn or str, default=None
        As for `GaussianProcessRegressor`; noise is learned besides it.
    n_inducing : int, default=300
    inducing : {"greedy", "random"} or array, default="greedy"
        How the inducing points are found, or the points themselves.
    subset : int, default=1500
        Rows for the exact evidence.
    refine : int, default=10
        Evaluations of the bound on all rows; 0 keeps what the subset has found.
    normalize_y, n_restarts_optimizer, bounds, random_state, time_limit, verbose :
        As for `GaussianProcessRegressor`.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    kernel_, noise_ : learned hyper-parameters, in units of the normalised targets
    inducing_points_ : rows
    evidence_bound_ : float
        Lower bound of the log evidence of the normalised targets.
    coef_ : ndarray of shape (n_inducing,)

    References
    ----------
    Titsias 2009; Quinonero-Candela and Rasmussen 2005.
    """

    accounts_for_fit: ClassVar[bool] = True
    _state_version = 1

    def __init__(
        self,
        kernel: Any = None,
        *,
        n_inducing: int = 300,
        inducing: Any = "greedy",
        subset: int = 1500,
        refine: int = 10,
        normalize_y: bool = True,
        n_restarts_optimizer: int = 1,
        bounds: Any = None,
        random_state: Any = 0,
        time_limit: float | None = None,
        verbose: bool = False,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.n_inducing = n_inducing
        self.inducing = inducing
        self.subset = subset
        self.refine = refine
        self.normalize_y = normalize_y
        self.n_restarts_optimizer = n_restarts_optimizer
        self.bounds = bounds
        self.random_state = random_state
        self.time_limit = time_limit
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        return set_input_tags(self, super().__sklearn_tags__())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn hyper-parameters, choose inducing points, and sum up all rows.

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
        target = column_or_1d(sample.y, warn=True).astype(np.float64)
        share = sample.weight / sample.weight.sum()
        self._y_mean = float(share @ target) if self.normalize_y else 0.0
        spread = math.sqrt(float(share @ (target - self._y_mean) ** 2))
        self._y_scale = spread if self.normalize_y and spread > 1e-14 else 1.0
        y_unit = (target - self._y_mean) / self._y_scale
        rng = generator(self.random_state)
        with Clock(self.time_limit, self.verbose, "inducing points") as clock:
            start = self._exact_part(sample, y_unit, rng)
            Z = self._points(start.kernel_, sample.X, rng)
            theta = Theta(start.kernel_, sample.X, self._kernel_bounds())
            bound = InducingBound(sample.X, y_unit, Z, theta, sample.weight)
            point = np.append(theta.start(), math.log(max(start.noise_, 1e-10)))
            with blas_threads(sample.n):
                point = self._refined(bound, point, clock)
                self.kernel_, self.noise_ = theta.kernel_at(point[:-1]), math.exp(point[-1])
                solved = bound.solve(self.kernel_, self.noise_)
        self.coef_, self.evidence_bound_ = solved.coef, solved.bound
        self._reduction = solved.reduction
        self.inducing_points_ = Z
        self.n_rows_ = sample.n
        return self

    def _check_parameters(self) -> None:
        check_parameters(self, BAYES_RULES)
        named = isinstance(self.inducing, str)
        if self.inducing not in ("greedy", "random") if named else not np.ndim(self.inducing):
            raise ValueError(f"inducing must be 'greedy', 'random' or points: {self.inducing!r}")
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("inducing points need a kernel that can be evaluated on rows")
        if isinstance(self.kernel, Kernel) and has_white(self.kernel):
            raise ValueError("noise is learned besides the kernel: leave White out of it")

    def _kernel_bounds(self) -> dict[str, Any]:
        return {k: v for k, v in (self.bounds or {}).items() if k != "noise"}

    def _exact_part(
        self, sample: Any, y: Floats, rng: np.random.Generator
    ) -> GaussianProcessRegressor:
        """An exact process on some rows: hyper-parameters to start from."""
        rows = np.sort(rng.choice(sample.n, min(sample.n, int(self.subset)), replace=False))
        model = GaussianProcessRegressor(
            self.kernel,
            noise="learn",
            normalize_y=False,
            n_restarts_optimizer=self.n_restarts_optimizer,
            bounds=self.bounds,
            random_state=int(rng.integers(2**31)),
            time_limit=self.time_limit,
            certify="none",
        )
        return model.fit(take(sample.X, rows), y[rows])

    def _points(self, kernel: Kernel, X: Any, rng: np.random.Generator) -> Any:
        if not isinstance(self.inducing, str):
            return kernel.validate(self.inducing)[0]
        m = min(int(self.n_inducing), n_rows(X))
        if self.inducing == "random":
            return take(X, np.sort(rng.choice(n_rows(X), m, replace=False)))
        return take(X, greedy_points(kernel, X, m, rng))

    def _refined(self, bound: InducingBound, point: Floats, clock: Clock) -> Floats:
        if self.refine == 0:
            return point
        limits = np.vstack([bound.theta.bounds(), point[-1] + np.log([1e-6, 1e6])])
        try:
            found = minimise(
                clock.watched(bound), point, limits, tol=1e-2, max_evaluations=int(self.refine)
            )
        except TimeUpError:
            return point
        return found.x if math.isfinite(found.value) else point

    def predict(self, X: Any, return_std: bool = False, latent: bool = False) -> Any:
        """Mean of the targets, with error bars if asked for.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
        return_std : bool
        latent : bool
            Error bars of the function alone, without the noise of a new target.
        """
        check_is_fitted(self, "coef_")
        X = query_sample(self, X)
        mean, variance = np.empty(n_rows(X)), np.empty(n_rows(X))
        size = max(64, _config.block_rows(8 * 4 * len(self.coef_)))
        for start in range(0, n_rows(X), size):
            part = slice(start, min(n_rows(X), start + size))
            rows = take(X, part)
            C = np.asarray(self.kernel_.tile(*_same_dtype(rows, self.inducing_points_)), float)
            mean[part] = C @ self.coef_
            if return_std:
                own = np.asarray(self.kernel_._diag(rows), dtype=np.float64)
                variance[part] = own - self._reduction.variance(C)
        mean = mean * self._y_scale + self._y_mean
        if not return_std:
            return mean
        variance = np.maximum(variance, 0.0) + (0.0 if latent else self.noise_)
        return mean, np.sqrt(variance) * self._y_scale

    def _publish_evidence(self) -> Evidence:
        return Evidence(
            n=self.n_rows_,
            task="regression",
            learner="this SparseGaussianProcessRegressor",
            formulation="sparse-gp-regression",
            choices=(Choice("the hyper-parameters and inducing points", "largest evidence"),),
        )


def _same_dtype(X: Any, Z: Any) -> tuple[Any, Any]:
    kinds = (getattr(X, "dtype", None), getattr(Z, "dtype", None))
    if kinds[0] != kinds[1] and set(kinds) <= {np.dtype(np.float32), np.dtype(np.float64)}:
        return X.astype(np.float64), Z.astype(np.float64)
    return X, Z
