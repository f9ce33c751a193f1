"""What the Gaussian processes share: kernel, starts, and the search for hyper-parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mercer._random import generator
from mercer.kernels import Kernel
from mercer.kernels.resolve import ard_gaussian, kernel_meant
from mercer.kernels.theta import Theta
from mercer.learners._certified import Certified
from mercer.learners._parameters import check_parameters
from mercer.learners.bayes._data import set_input_tags
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes.gp._quasi_newton import Minimum
from mercer.learners.bayes.gp._search import Clock, by_scipy, draw_starts, maximise

Floats = NDArray[np.float64]
LEASH = 4.6  # in logarithms: a stage starts with length scales at most 100 times the first ones


class GaussianProcess(Certified, BaseEstimator):
    """Shared by regression and classification."""

    kernel: Any
    optimizer: Any
    n_restarts_optimizer: int
    random_state: Any
    bounds: Any
    dtype: str
    time_limit: float | None
    verbose: bool

    def __sklearn_tags__(self) -> Any:
        return set_input_tags(self, super().__sklearn_tags__())

    def _check_parameters(self) -> None:
        check_parameters(self, BAYES_RULES)

    def _cast(self, X: Any) -> Any:
        """The data in the precision of the computation; objects stay as they are."""
        if getattr(X, "dtype", None) in (np.float32, np.float64):
            return X.astype(self.dtype, copy=False)
        return X

    def _start_kernel(self, X: Any, variance: float = 1.0) -> tuple[Kernel, Theta]:
        """The kernel with numbers where the search starts, and its free parameters."""
        meant = kernel_meant(
            self.kernel, X, default=lambda X: ard_gaussian(X, variance), functions="pairs"
        )
        kernel = meant.kernel
        if not meant.checked:
            kernel.validate(X)
        bounds = {**meant.bounds, **{k: v for k, v in (self.bounds or {}).items() if k != "noise"}}
        return kernel, Theta(kernel, X, bounds)

    def _optimise(
        self, objective_of: Any, n: int, start: Floats, bounds: Floats, title: str
    ) -> Minimum | None:
        """The hyper-parameters of largest evidence, or None if there is nothing to choose."""
        if self.optimizer is None or start.size == 0:
            return None
        rng = generator(self.random_state)
        starts = draw_starts(start, bounds, int(self.n_restarts_optimizer), rng)
        with Clock(self.time_limit, self.verbose, title) as clock:
            if self.optimizer == "staged":
                far = ["length_scale" in name for name in self.theta_names_]
                leash = np.where(far, start + LEASH, np.inf)
                best = maximise(objective_of, n, starts, bounds, rng, clock, leash)
            else:
                objective = clock.watched(objective_of(None))
                ends = [by_scipy(objective, s, bounds, self.optimizer) for s in starts]
                best = min(ends, key=lambda end: end.value)
        self.n_evaluations_, self.timed_out_ = clock.n_evaluations, clock.timed_out
        if not clock.timed_out and not math.isfinite(best.value):
            raise ValueError(
                "the evidence cannot be computed at any starting point: the covariance is not "
                "positive definite there. Raise alpha, or give the kernel other parameters."
            )
        return best

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
