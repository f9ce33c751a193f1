"""Relevance vector classification."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer._blas import blas_threads
from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._learner import Learner
from mercer.learners._watched import watched
from mercer.learners.bayes._probabilities import Probabilities
from mercer.learners.bayes._space import against_rest, bayes_door
from mercer.learners.bayes.gp.links import Link
from mercer.learners.bayes.rvm import _laplace as _rvm_laplace
from mercer.learners.bayes.rvm import _text as _rvm_text
from mercer.learners.bayes.rvm._base import (
    RelevanceFitted,
    RelevanceVectorMachine,
    solved,
)
from mercer.learners.bayes.rvm._text import Relevance
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
LINK = Link()


class RelevanceVectorClassifier(RelevanceVectorMachine, Probabilities, Learner):
    """Sparse Bayesian classification: a logistic model of few basis functions.

    The posterior of the weights is replaced by a Gaussian at its mode (Laplace), and the prior
    variances maximise the evidence of that. More than two classes: one machine against the rest
    per class, probabilities divided by their sum.

    Parameters
    ----------
    kernel, basis, fit_intercept, solver, update, max_iter, verbose, time_limit, warm_start, \
certify, delta :
        As for `RelevanceVectorRegressor`; "text" is algorithm 7 of the text. A row of weight w
        counts as w rows.
    beta : float, default=1.0
        Noise level of the link, P(+1 | t) = 1/(1+exp(-t/β)); rescales the basis functions.

    Attributes
    ----------
    classes_ : ndarray
    relevance_, relevance_vectors_, weights_, prior_variances_ :
    log_marginal_likelihood_value_, log_marginal_likelihood_path_ :
        As for `RelevanceVectorRegressor`, with one row of weights per machine.

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.3, appendix B.8.5, algorithm 7; Tipping
    2001; Tipping and Faul 2003.
    """

    known_as: ClassVar[str] = "rvm"
    _matrices: ClassVar[float] = 3.1
    _door: ClassVar[Door] = bayes_door("labels")

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        basis: Any = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        update: str = "fast",
        beta: float = 1.0,
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
        self.beta = beta
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.certify = certify
        self.delta = delta

    def _train(self, sample: TrainingSample) -> RelevanceFitted:
        labels, space = self._labels(sample), self._basis_space(sample)
        columns = self._columns(space, sample.X)
        columns /= self.beta
        targets = against_rest(labels)
        with blas_threads(1):  # thousands of small products
            last = self._last(len(targets), columns.shape[1])
            with watched(self) as watch:
                machines = [
                    self._solve(columns, target, sample.weight, start, watch)
                    for target, start in zip(targets, last, strict=True)
                ]
        self._warn_if_unsettled(machines)
        fitted = RelevanceFitted(
            **space,
            classes=labels.classes,
            machines=machines,
            n_columns=columns.shape[1],
            offset=bool(self.fit_intercept),
            beta=self.beta,
            geometry={},
        )
        if len(targets) > 1:
            return fitted
        outputs = columns[:, machines[0].active] @ machines[0].mean
        return replace(
            fitted,
            margins=targets[0] * outputs,
            errors=int(np.count_nonzero((outputs > 0) != labels.codes)),
            geometry=_in_feature_space(fitted, columns),
        )

    def _solve(
        self, columns: Floats, target: Floats, weight: Floats, last: Relevance | None, watch: Watch
    ) -> Relevance:
        def grow(start: Relevance | None, worth: float = -np.inf) -> Relevance:
            return _rvm_laplace.fit_classification(
                columns,
                target,
                weight,
                start=start,
                max_iter=self._limit(5000),
                worth=worth,
                watch=watch,
            )

        def prune(some: Floats, max_iter: int, theta: Any = 1.0) -> Relevance:
            return _rvm_text.fit_classification(
                some,
                target,
                weight,
                update=self.update,
                theta=theta,
                max_iter=self._limit(max_iter),
                watch=watch,
            )

        return solved(self.solver, columns, last, grow, prune, 500)

    def _positive(self, X: Samples) -> Floats:
        """Of each machine, the probability of its own class."""
        fitted, columns = self.fitted_, []
        for machine in fitted.machines:
            values = self._active_values(X, machine) / fitted.beta
            variance = np.einsum("ij,ij->i", values @ machine.covariance, values)
            columns.append(LINK.probability(values @ machine.mean, np.maximum(variance, 0.0)))
        return np.column_stack(columns)

    def _publish_evidence(self) -> Evidence:
        """A hyperplane of the kernel's feature space; neither a posterior, since the prior was read
        off the rows, nor a compression set, since no part of them rebuilds the machine.

        What applies holds for all weights at once, so the prior variances are no choice to pay for.
        """
        fitted: RelevanceFitted = self.fitted_
        assert fitted.classes is not None
        return Evidence(
            n=fitted.n,
            learner=f"this {type(self).__name__}",
            formulation="rvm-classification",
            loss="logistic",
            n_classes=len(fitted.classes),
            errors=fitted.errors,
            margins=fitted.margins,
            choices=fitted.choices(),
            **fitted.geometry,
        )


def _in_feature_space(fitted: RelevanceFitted, columns: Floats) -> dict[str, Any]:
    """The fitted expansion as a vector of the kernel's own feature space, if it has one.

    Not of the space of the basis functions: that one was read off the rows.
    """
    if fitted.kernel is None or fitted.kernel.psd is not True:
        return {}
    beta, scaled = fitted.beta, columns[:, : fitted.n_basis]  # k(x_i, x_j)/β
    weights = fitted.per_column("mean")[0]
    expansion = weights[: fitted.n_basis]
    facts = fitted.facts(np.diagonal(scaled) * beta)
    return {
        "norm": math.sqrt(max(0.0, float(expansion @ scaled @ expansion) / beta)),
        "offset": float(weights[-1]) / beta if fitted.offset else None,
        **{name: facts[name] for name in ("point_norms", "trace", "radius", "dimension", "rank")},
    }
