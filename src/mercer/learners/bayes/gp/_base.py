"""What the Gaussian processes share: kernel, starts, and the search for hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from mercer._blas import blas_threads
from mercer._random import generator
from mercer._types import Samples
from mercer.kernels.resolve import ard_gaussian, kernel_meant
from mercer.kernels.sklearn_objects import is_sklearn_kernel, takes_objects
from mercer.kernels.sklearn_theta import SklearnTheta
from mercer.kernels.theta import Theta
from mercer.learners._checks import DTYPES
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner, Weighted
from mercer.learners._parameters import Rule
from mercer.learners._publishes import Publishes
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes.gp._quasi_newton import Minimum
from mercer.learners.bayes.gp._search import (
    Clock,
    by_scipy,
    draw_starts,
    maximise,
    uniform_starts,
)

Floats = NDArray[np.float64]
AnyTheta = Theta | SklearnTheta
LEASH = 4.6  # in logarithms: a stage starts with length scales at most 100 times the first ones


@dataclass(frozen=True, kw_only=True)
class ProcessFitted(Fitted):
    """Rows in the precision of the computation, and the hyper-parameters of largest evidence."""

    rows: Any
    dtype: str
    names: list[str]
    point: Floats
    log_evidence: float
    n_evaluations: int
    timed_out: bool


@dataclass(frozen=True)
class Searched:
    """Where the search ended; nowhere if there was nothing to choose."""

    best: Minimum | None = None
    n_evaluations: int = 0
    timed_out: bool = False


class GaussianProcess(Weighted, Publishes, Learner):
    """Shared by regression and classification."""

    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = BAYES_RULES
    kernel: Any
    optimizer: Any
    n_restarts_optimizer: int
    random_state: Any
    bounds: Any
    dtype: str
    time_limit: float | None
    verbose: bool
    kernel_: Any
    X_train_: Any

    def _query(self, X: Samples) -> Any:
        rows, fitted = super()._query(X), self.fitted_
        assert isinstance(fitted, ProcessFitted)
        return in_precision(rows, fitted.dtype)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, ProcessFitted)
        self.X_train_ = fitted.rows
        self.theta_, self.theta_names_ = fitted.point, fitted.names
        self.log_marginal_likelihood_value_ = fitted.log_evidence
        self.n_evaluations_, self.timed_out_ = fitted.n_evaluations, fitted.timed_out

    def _start_kernel(self, X: Any, variance: float = 1.0) -> AnyTheta:
        """The free parameters of the kernel, which has numbers where the search starts."""
        given = self._default_kernel() if self.kernel is None else self.kernel
        bounds = {k: v for k, v in (self.bounds or {}).items() if k != "noise"}
        if is_sklearn_kernel(given):
            if bounds:
                raise ValueError(
                    f"{given} has bounds of its own; bounds= is for mercer's kernels and the noise"
                )
            theta = SklearnTheta(clone(given), None if takes_objects(given) else X.shape[1])
            theta.kernel.validate(X)
            return theta
        if isinstance(given, str) and given == "auto":
            return Theta(ard_gaussian(X, variance), X, bounds)
        meant = kernel_meant(given, X, functions="pairs")
        if not meant.checked:
            meant.kernel.validate(X)
        return Theta(meant.kernel, X, bounds)

    def _default_kernel(self) -> Any:
        """What ``kernel=None`` means, as in scikit-learn."""
        raise TypeError(f"{type(self).__name__} does not say what its default kernel is")

    def _optimise(
        self,
        objective_of: Any,
        n: int,
        start: Floats,
        bounds: Floats,
        names: list[str],
        title: str,
    ) -> Searched:
        """The hyper-parameters of largest evidence."""
        if self.optimizer is None or start.size == 0:
            return Searched()
        more = int(self.n_restarts_optimizer)
        with Clock(self.time_limit, self.verbose, title) as clock:
            if isinstance(self.optimizer, str) and self.optimizer == "staged":
                rng = generator(self.random_state)
                far = ["length_scale" in name for name in names]
                leash = np.where(far, start + LEASH, np.inf)
                starts = draw_starts(start, bounds, more, rng)
                best = maximise(objective_of, n, starts, bounds, rng, clock, leash)
            else:
                starts = uniform_starts(start, bounds, more, check_random_state(self.random_state))
                with blas_threads(n):
                    best = by_scipy(objective_of(None), starts, bounds, self.optimizer, clock)
        return Searched(best, clock.n_evaluations, clock.timed_out)

    @property
    def relevance_(self) -> Floats:
        """1 / length scale of each column: how fast the function varies along it.

        Zero means that the column is switched off. Available if the kernel has one length scale
        per column.
        """
        for name, value in self.kernel_.get_params(deep=True).items():
            if name.rpartition("__")[2] == "length_scale" and np.ndim(value) == 1:
                return 1.0 / np.asarray(value, dtype=np.float64)
        raise AttributeError(
            f"{self.kernel_} has no length scale per column; use e.g. Gaussian(np.ones(d))"
        )


def warn_of_bounds(kernel: Any) -> None:
    """scikit-learn's warning where a learned parameter of its kernel ended at a bound."""
    if is_sklearn_kernel(kernel):
        kernel._check_bounds_params()


def in_precision(X: Any, dtype: str) -> Any:
    """The rows in the precision of the computation; objects stay as they are."""
    return X.astype(dtype, copy=False) if getattr(X, "dtype", None) in DTYPES else X
