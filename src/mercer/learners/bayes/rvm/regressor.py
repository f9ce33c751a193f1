"""Relevance vector regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer._blas import blas_threads
from mercer.bounds import Choice, Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._learner import Learner
from mercer.learners._mixins import Regresses
from mercer.learners._parameters import Rule, positive
from mercer.learners._reasons import UNBOUNDED
from mercer.learners._watched import watched
from mercer.learners.bayes._space import bayes_door
from mercer.learners.bayes.rvm import _fast as _rvm_fast
from mercer.learners.bayes.rvm import _text as _rvm_text
from mercer.learners.bayes.rvm._base import (
    MORE_ROWS,
    RelevanceFitted,
    RelevanceVectorMachine,
    solved,
)
from mercer.learners.bayes.rvm._text import Relevance
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]


class RelevanceVectorRegressor(RelevanceVectorMachine, Regresses, Learner):
    """Sparse Bayesian regression: every basis function has a prior variance of its own.

    Weights w ~ N(0, diag θ), targets t = Φw + N(0, σ²). Maximising the evidence over θ drives most
    of them to zero, and with them the weights; what remains are the relevance vectors. Weights of
    rows are precisions: a target of weight w has the noise σ²/w. Several targets get a machine
    each, with relevance vectors and a noise of its own.

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn, str or callable, default="rbf"
        Basis functions k(x_i, ·), one per training row; need not be positive semi-definite.
    basis : callable, default=None
        Instead of a kernel: any function from X to a matrix of features.
    fit_intercept : bool, default=True
        Add a constant basis function.
    solver : {"auto", "sequential", "text"}, default="auto"
        "sequential" (Tipping and Faul) starts empty and changes one column at a time, the most
        profitable first, and all that are in at once by Newton's steps: the evidence never falls,
        and thousands of rows are practical. "text" starts with all weights and prunes (algorithm 6
        of the text). Neither leads to the larger evidence always: "auto" also goes on from what
        pruning leaves of a hundred columns and more, and keeps the machine of larger evidence;
        where more than 500 columns have grown it does not try.
    update : {"fast", "em"}, default="fast"
        Of θ in "text": μ²/ζ (B.23), or Σ+μ² (B.22), slower, under which the evidence never falls.
    noise : "learn" or float, default="learn"
        Variance of the noise.
    max_iter : int, default=-1
        Limit of steps; by default 20,000 ("sequential", 5000 for classes) or 1000 ("text", 500).
    verbose : bool, default=False
        Show progress on standard error.
    time_limit : float or None, default=None
        Seconds; the machine found until then is the result, with a warning.
    warm_start : bool, default=False
        Go on from the prior variances of the last fit, if there are as many basis functions.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    relevance_ : ndarray of int
        Basis functions (training rows) that survive.
    relevance_vectors_ : their rows
    weights_, prior_variances_ : ndarray of shape (n_targets, n_basis + 1)
        Posterior means and θ, exactly zero for what was pruned; the constant comes last.
    noise_ : float, or ndarray with one for each of several targets
    log_marginal_likelihood_value_ : float
    log_marginal_likelihood_path_ : list with the log evidence after every step

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.3, appendix B.8, algorithm 6; Tipping
    2001; Tipping and Faul 2003.
    """

    known_as: ClassVar[str] = "rvm"
    lacks: ClassVar[Mapping[str, str]] = UNBOUNDED
    _matrices: ClassVar[float] = 2.9
    _door: ClassVar[Door] = bayes_door("numbers")
    _rules: ClassVar[dict[str, Rule]] = RelevanceVectorMachine._rules | {
        "noise": (
            lambda v: v == "learn" if isinstance(v, str) else positive[0](v),
            "'learn' or a positive variance",
        )
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        basis: Any = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        update: str = "fast",
        noise: Any = "learn",
        max_iter: int = -1,
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.update = update
        self.noise = noise
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.certify = certify
        self.delta = delta

    def _train(self, sample: TrainingSample) -> RelevanceFitted:
        space = self._basis_space(sample)
        columns = self._columns(space, sample.X)
        targets = sample.y.reshape(sample.n, -1)
        with blas_threads(1):  # thousands of small products
            last = self._last(targets.shape[1], columns.shape[1])
            with watched(self) as watch:
                machines = [
                    self._solve(columns, target, sample.weight, start, watch)
                    for target, start in zip(targets.T, last, strict=True)
                ]
        zero = "Every target is zero, so there is nothing else to learn."
        self._warn_if_unsettled(machines, MORE_ROWS if np.any(targets) else zero)
        guess = np.column_stack([columns[:, one.active] @ one.mean for one in machines])
        return RelevanceFitted(
            **space,
            machines=machines,
            n_columns=columns.shape[1],
            offset=bool(self.fit_intercept),
            residuals=_flat(targets - guess),
            geometry={},
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        noises = [machine.noise for machine in self.fitted_.machines]
        self.noise_ = noises[0] if len(noises) == 1 else np.array(noises)

    def _solve(
        self, columns: Floats, target: Floats, weight: Floats, last: Relevance | None, watch: Watch
    ) -> Relevance:
        spread, learn = float(np.var(target)), isinstance(self.noise, str)
        noise = 0.1 * (spread if spread > 0 else 1.0) if learn else float(self.noise)

        def grow(start: Relevance | None, _worth: float = -np.inf) -> Relevance:
            return _rvm_fast.fit_regression(
                columns,
                target,
                weight,
                noise=noise,
                learn_noise=learn,
                start=start,
                max_iter=self._limit(20_000),
                watch=watch,
            )

        def prune(some: Floats, max_iter: int, theta: Any = 1.0) -> Relevance:
            return _rvm_text.fit_regression(
                some,
                target,
                weight,
                update=self.update,
                noise=noise,
                learn_noise=learn,
                theta=theta,
                max_iter=self._limit(max_iter),
                watch=watch,
            )

        return solved(self.solver, columns, last, grow, prune, 1000)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of the targets, and with ``return_std`` the error bar σ² + φ'Σφ, as its root.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
        return_std : bool
        """
        rows, means, bars = self._query(X), [], []
        for machine in self.fitted_.machines:
            values = self._active_values(rows, machine)
            means.append(values @ machine.mean)
            if return_std:
                spread = np.einsum("ij,ij->i", values @ machine.covariance, values)
                bars.append(np.sqrt(machine.noise + np.maximum(spread, 0.0)))
        mean = _flat(np.column_stack(means))
        return (mean, _flat(np.column_stack(bars))) if return_std else mean

    def _publish_evidence(self) -> Evidence:
        """Training risk only: the prior was read off the rows, and no part of them rebuilds it."""
        fitted: RelevanceFitted = self.fitted_
        assert fitted.residuals is not None
        chosen = Choice("the prior variances and the noise", "largest evidence")
        return Evidence(
            n=fitted.n,
            task="regression",
            learner=f"this {type(self).__name__}",
            formulation="rvm-regression",
            risks={"training mean squared error": float(np.mean(fitted.residuals**2))},
            choices=(chosen, *fitted.choices()),
        )


def _flat(values: Floats) -> Floats:
    """A vector if there is one target only."""
    return values[:, 0] if values.shape[1] == 1 else values
