"""Relevance vector regression."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer._blas import blas_threads
from mercer.bounds import Choice, Evidence
from mercer.learners.bayes._data import training_sample
from mercer.learners.bayes.rvm import _fast as _rvm_fast
from mercer.learners.bayes.rvm import _text as _rvm_text
from mercer.learners.bayes.rvm._base import RelevanceVectorMachine

Floats = NDArray[np.float64]


class RelevanceVectorRegressor(RegressorMixin, RelevanceVectorMachine):
    """Sparse Bayesian regression: every basis function has a prior variance of its own.

    Weights w ~ N(0, diag θ), targets t = Φw + N(0, σ²). Maximising the evidence over θ drives most
    of them to zero, and with them the weights; what remains are the relevance vectors.

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn, str or callable, default="rbf"
        Basis functions k(x_i, ·), one per training row; need not be positive semi-definite.
    basis : callable, default=None
        Instead of a kernel: any function from X to a matrix of features.
    fit_intercept : bool, default=True
        Add a constant basis function.
    algorithm : {"sequential", "text"}, default="sequential"
        "sequential" (Tipping and Faul) starts empty and changes one column at a time, the most
        profitable first: the evidence never falls, and thousands of rows are practical. "text"
        starts with all weights and prunes (algorithm 6 of the text).
    update : {"fast", "em"}, default="fast"
        Of θ in "text": μ²/ζ (B.23), or Σ+μ² (B.22), slower, under which the evidence never falls.
    noise : "learn" or float, default="learn"
        Variance of the noise.
    max_iter : int, default=None
        Limit of steps; by default 20,000 ("sequential", 5000 for classes) or 1000 ("text", 500).
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    relevance_ : ndarray of int
        Basis functions (training rows) that survive.
    relevance_vectors_ : their rows
    weights_, prior_variances_ : ndarray of shape (1, n_basis + 1)
        Posterior means and θ, exactly zero for what was pruned; the constant comes last.
    noise_ : float
    log_evidence_ : float
    evidence_path_ : list with the log evidence after every step

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.3, appendix B.8, algorithm 6; Tipping
    2001; Tipping and Faul 2003.
    """

    known_as: ClassVar[str] = "rvm"

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        basis: Any = None,
        fit_intercept: bool = True,
        algorithm: str = "sequential",
        update: str = "fast",
        noise: Any = "learn",
        max_iter: int | None = None,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.algorithm = algorithm
        self.update = update
        self.noise = noise
        self.max_iter = max_iter
        self.certify = certify
        self.delta = delta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose prior variances, noise and weights by the evidence.

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
        learn = isinstance(self.noise, str)
        if (learn and self.noise != "learn") or (not learn and not self.noise > 0):
            raise ValueError(f"noise must be 'learn' or a positive variance, got {self.noise!r}")
        self._forget_certificates()
        sample = training_sample(self, X, y, sample_weight)
        target = column_or_1d(sample.y, warn=True).astype(np.float64)
        columns = self._train_basis(sample.X, sample.kept)
        spread = float(np.var(target))
        start = 0.1 * (spread if spread > 0 else 1.0) if learn else float(self.noise)
        with blas_threads(1):  # thousands of small products
            self._machine = self._solve(columns, target, sample.weight, start, learn)
        self.noise_ = self._machine.noise
        self._describe([self._machine], columns.shape[1])
        self._fitted = columns[:, self._machine.active] @ self._machine.mean
        self._residuals = target - self._fitted
        return self

    def _solve(
        self, columns: Floats, target: Floats, weight: Floats, noise: float, learn: bool
    ) -> Any:
        if self.algorithm == "sequential":
            return _rvm_fast.fit_regression(
                columns,
                target,
                weight,
                noise=noise,
                learn_noise=learn,
                max_iter=self.max_iter or 20_000,
            )
        return _rvm_text.fit_regression(
            columns,
            target,
            weight,
            update=self.update,
            noise=noise,
            learn_noise=learn,
            max_iter=self.max_iter or 1000,
        )

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of the targets, and with ``return_std`` the error bar σ² + φ'Σφ, as its root.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
        return_std : bool
        """
        check_is_fitted(self, "weights_")
        values = self._active_values(self._query(X), self._machine)
        mean = values @ self._machine.mean
        if not return_std:
            return mean
        spread = np.einsum("ij,ij->i", values @ self._machine.covariance, values)
        return mean, np.sqrt(self.noise_ + np.maximum(spread, 0.0))

    def _publish_evidence(self) -> Evidence:
        """Training risk only: the prior was read off the rows, and no part of them rebuilds it."""
        return Evidence(
            n=len(self._residuals),
            task="regression",
            learner="this RelevanceVectorRegressor",
            formulation="rvm-regression",
            risks={"training mean squared error": float(np.mean(self._residuals**2))},
            choices=(Choice("the prior variances and the noise", "largest evidence"),),
        )
