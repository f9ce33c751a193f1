"""Gaussian-process regression for many rows, through inducing points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer import _config
from mercer._blas import blas_threads
from mercer._random import generator
from mercer._storable import record
from mercer._types import Samples
from mercer.bounds import Choice, Evidence
from mercer.kernels import Kernel
from mercer.kernels.sklearn_objects import is_sklearn_kernel
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule
from mercer.learners._passes import InPasses, Passes
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import UNBOUNDED
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes._space import bayes_door, has_white
from mercer.learners.bayes.gp._base import AnyTheta
from mercer.learners.bayes.gp._fitted import Targets
from mercer.learners.bayes.gp._inducing import InducingBound, Reduction, greedy_points
from mercer.learners.bayes.gp._quasi_newton import minimise
from mercer.learners.bayes.gp._search import Clock, TimeUpError
from mercer.learners.bayes.gp.regressor import GaussianProcessRegressor

Floats = NDArray[np.float64]


def _can_be_evaluated(kernel: Any) -> bool:
    if isinstance(kernel, Kernel):
        return not isinstance(kernel, Precomputed) and not has_white(kernel)
    return not (isinstance(kernel, str) and kernel == "precomputed")


def _are_points(inducing: Any) -> bool:
    named = isinstance(inducing, str)
    return inducing in ("greedy", "random") if named else np.ndim(inducing) > 0


@record("sparse-gp-fitted")
@dataclass(frozen=True, kw_only=True)
class SparseFitted(Fitted):
    """The process seen through the inducing points ``points``; targets were scaled."""

    kernel: Kernel
    noise: float
    points: Any
    coef: Floats
    bound: float
    reduction: Reduction
    mean: Any
    scale: Any


class SparseGaussianProcessRegressor(Weighted, InPasses, Publishes, Regresses, Learner):
    """A Gaussian process of 100,000 rows seen through a few hundred of them.

    The hyper-parameters are first learned exactly on ``subset`` rows, the inducing points are
    those training rows that the others explain least, and the hyper-parameters are then refined on
    all rows by Titsias' lower bound of the log evidence. Time O(n m²), memory O(n + m²). A weight w
    divides the variance of a row's noise, as in `GaussianProcessRegressor`. With ``fit_rows`` the
    rows need not fit into memory: what is done on ``subset`` rows is done on rows drawn from all of
    them, and every evaluation of the bound is two passes.

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
    warm_start : bool, default=False
        Refine on from the hyper-parameters and inducing points of the last fit (of a kernel of
        Mercer's), without an exact process on a part of the rows.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    kernel_, noise_ : learned hyper-parameters, in units of the normalised targets
    inducing_points_ : rows
    elbo_ : float
        Lower bound of the log evidence of the normalised targets.
    coef_ : ndarray of shape (n_inducing,), or (n_inducing, n_targets)
        Several targets share kernel, noise and inducing points.

    References
    ----------
    Titsias 2009; Quinonero-Candela and Rasmussen 2005.
    """

    accounts_for_fit: ClassVar[bool] = True
    lacks: ClassVar[Mapping[str, str]] = UNBOUNDED | {
        "precomputed": "the matrix of all pairs is what it is there to do without; "
        "GaussianProcessRegressor takes one"
    }
    _state_version: ClassVar[int] = 3
    _door: ClassVar[Door] = bayes_door("numbers")
    _rules: ClassVar[dict[str, Rule]] = BAYES_RULES | {
        "kernel": (
            _can_be_evaluated,
            "a kernel that can be evaluated on rows, without White: noise is learned besides it",
        ),
        "inducing": (_are_points, "'greedy', 'random' or points"),
    }
    fitted_: SparseFitted

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
        random_state: Any = None,
        time_limit: float | None = None,
        verbose: bool = False,
        warm_start: bool = False,
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
        self.warm_start = warm_start
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(n_restarts_optimizer=0, n_inducing=20, refine=3, random_state=0)]

    def _train_in_passes(self, rows: Passes) -> SparseFitted:
        sample = rows.sample
        targets = Targets.over(rows, self.normalize_y)
        rng = generator(self.random_state)
        with Clock(self.time_limit, self.verbose, "inducing points") as clock:
            theta, noise, Z = self._begun(sample, targets.unit, rng)
            bound = InducingBound(rows, Z, theta, targets.mean, targets.scale)
            point = np.append(theta.start(), math.log(max(noise, 1e-10)))
            with blas_threads(rows.n):
                point = self._refined(bound, point, clock)
                kernel, noise = theta.kernel_at(point[:-1]), math.exp(point[-1])
                solved = bound.solve(kernel, noise)
        return SparseFitted(
            **rows_of(sample) | {"n": rows.n},
            kernel=kernel,
            noise=noise,
            points=Z,
            coef=targets.shaped(solved.coef),
            bound=solved.bound,
            reduction=solved.reduction,
            mean=targets.shaped(targets.mean),
            scale=targets.shaped(targets.scale),
        )

    def _begun(
        self, sample: TrainingSample, y: Floats, rng: np.random.Generator
    ) -> tuple[AnyTheta, float, Any]:
        """Where the refinement starts: hyper-parameters, noise and inducing points."""
        last = self.__dict__.get("fitted_") if self.warm_start else None
        if last is not None and not is_sklearn_kernel(self.kernel):
            return Theta(last.kernel, sample.X, self._kernel_bounds()), last.noise, last.points
        start = self._exact_part(sample, y, rng)
        kernel = start.fitted_.kernel
        if isinstance(start.fitted_.theta, SklearnTheta):
            theta: AnyTheta = SklearnTheta(start.kernel_, sample.X.shape[1])
        else:
            theta = Theta(kernel, sample.X, self._kernel_bounds())
        return theta, start.noise_, self._points(kernel, sample.X, rng)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, SparseFitted)
        self.kernel_, self.noise_ = fitted.kernel, fitted.noise
        self.coef_, self.elbo_ = fitted.coef, fitted.bound
        self.inducing_points_, self.n_rows_ = fitted.points, fitted.n

    def _kernel_bounds(self) -> dict[str, Any]:
        return {k: v for k, v in (self.bounds or {}).items() if k != "noise"}

    def _exact_part(
        self, sample: Any, y: Floats, rng: np.random.Generator
    ) -> GaussianProcessRegressor:
        """An exact process on some rows: hyper-parameters to start from."""
        rows = np.sort(rng.choice(sample.n, min(sample.n, int(self.subset)), replace=False))
        model = GaussianProcessRegressor.automatic(
            "auto" if self.kernel is None else self.kernel,
            noise="learn",
            normalize_y=False,
            n_restarts_optimizer=self.n_restarts_optimizer,
            bounds=self.bounds,
            random_state=int(rng.integers(2**31)),
            time_limit=self.time_limit,
            certify=None,
        )
        return model.fit(take(sample.X, rows), y[rows], sample.weight[rows])

    def _points(self, kernel: Kernel, X: Samples, rng: np.random.Generator) -> Any:
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
        X, fitted = self._query(X), self.fitted_
        mean = np.empty((n_rows(X), *fitted.coef.shape[1:]))
        variance = np.empty(n_rows(X))
        size = max(64, _config.block_rows(8 * 4 * len(fitted.coef)))
        for start in range(0, n_rows(X), size):
            part = slice(start, min(n_rows(X), start + size))
            rows = take(X, part)
            C = np.asarray(fitted.kernel.tile(*_same_dtype(rows, fitted.points)), float)
            mean[part] = C @ fitted.coef
            if return_std:
                own = np.asarray(fitted.kernel._diag(rows), dtype=np.float64)
                variance[part] = own - fitted.reduction.variance(C)
        mean = mean * fitted.scale + fitted.mean
        if not return_std:
            return mean
        variance = np.maximum(variance, 0.0) + (0.0 if latent else fitted.noise)
        bars = np.sqrt(variance)
        return mean, bars * fitted.scale if mean.ndim == 1 else bars[:, None] * fitted.scale

    def _publish_evidence(self) -> Evidence:
        chosen = Choice("the hyper-parameters and inducing points", "largest evidence")
        return Evidence(
            n=self.fitted_.n,
            task="regression",
            learner=f"this {type(self).__name__}",
            formulation="sparse-gp-regression",
            choices=(chosen, *self.fitted_.choices()),
        )


def _same_dtype(X: Any, Z: Any) -> tuple[Any, Any]:
    kinds = (getattr(X, "dtype", None), getattr(Z, "dtype", None))
    if kinds[0] != kinds[1] and set(kinds) <= {np.dtype(np.float32), np.dtype(np.float64)}:
        return X.astype(np.float64), Z.astype(np.float64)
    return X, Z
