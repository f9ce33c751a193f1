"""What the two relevance vector machines share: the basis, its columns, and prediction."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from mercer import _config
from mercer.kernels import Kernel
from mercer.kernels.resolve import kernel_meant
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows, take
from mercer.learners._certified import Certified
from mercer.learners._parameters import check_parameters
from mercer.learners.bayes._data import cross, query_sample, set_input_tags
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes.rvm._text import Relevance

Floats = NDArray[np.float64]
TILE = 512  # basis functions evaluated at a time


class RelevanceVectorMachine(Certified, BaseEstimator):
    """A linear model in basis functions k(x_i, ·), of which few survive.

    The basis functions need not be a Mercer kernel: an indefinite kernel, a function of two
    samples, or any feature map (``basis``) will do.
    """

    kernel: Any
    basis: Any
    algorithm: str
    update: str

    def __sklearn_tags__(self) -> Any:
        return set_input_tags(self, super().__sklearn_tags__())

    def _check_parameters(self) -> None:
        check_parameters(self, BAYES_RULES)
        if self.basis is not None and not callable(self.basis):
            raise TypeError("basis must be a function from X to a matrix of features, or None")

    def _train_basis(self, X: Any, kept: Any) -> Floats:
        """The columns for the training rows, and what later rows need to have the same ones."""
        self._kept_columns = kept
        if self.basis is not None:
            self.kernel_: Kernel | None = None
            self.X_train_ = X
        else:
            meant = kernel_meant(self.kernel, X, functions="pairs")
            self.kernel_ = meant.kernel
            self.X_train_ = X if meant.checked else meant.kernel.validate(X)[0]
        return self._columns(X)

    def _columns(self, X: Any) -> Floats:
        """The basis at the training rows, and a constant; each column lies together in memory."""
        if self.basis is not None:
            return np.asfortranarray(self._with_offset(self._values(X)))
        n = n_rows(X)
        _config.reserve(
            8 * n * (n + 1),
            f"The basis functions of {n} rows",
            "Use fewer rows, or a basis of fewer functions (basis=...).",
        )
        columns = np.ones((n, n + int(self.fit_intercept)), order="F")
        if isinstance(self.kernel_, Precomputed):
            columns[:, :n] = X
            return columns
        for start in range(0, n, TILE):
            part = np.arange(start, min(n, start + TILE))
            columns[:, part[0] : part[-1] + 1] = self._values(X, part)
        return columns

    def _values(self, X: Any, columns: Any = slice(None)) -> Floats:
        """Values of the basis functions at new rows, without the constant one."""
        if self.basis is not None:
            values = np.asarray(self.basis(X), dtype=np.float64)
            if values.ndim != 2 or values.shape[0] != n_rows(X):
                raise ValueError(
                    f"basis(X) must return one row of features per row of X; got shape "
                    f"{values.shape} for {n_rows(X)} rows"
                )
            return values[:, columns]
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(cross(self.kernel_, X, None, self._kept_columns))[:, columns]
        trained = self.X_train_ if isinstance(columns, slice) else take(self.X_train_, columns)
        return np.asarray(cross(self.kernel_, X, trained), dtype=np.float64)  # type: ignore[arg-type]

    def _with_offset(self, values: Floats) -> Floats:
        if not self.fit_intercept:
            return values
        return np.hstack([values, np.ones((len(values), 1))])

    def _active_values(self, X: Any, machine: Relevance) -> Floats:
        """Values of the surviving basis functions at validated new rows."""
        own = machine.active[machine.active < self.n_basis_]
        values = self._values(X, own) if own.size else np.empty((n_rows(X), 0))
        if len(own) < len(machine.active):
            values = np.hstack([values, np.ones((n_rows(X), 1))])
        return values

    def _describe(self, machines: list[Relevance], n_columns: int) -> None:
        """Publish which basis functions are left; every other weight is exactly zero."""
        self.n_basis_ = n_columns - int(self.fit_intercept)
        used = sorted({int(j) for m in machines for j in m.active if j < self.n_basis_})
        self.relevance_ = np.asarray(used, dtype=np.intp)
        if self.kernel_ is not None and not isinstance(self.kernel_, Precomputed):
            self.relevance_vectors_ = take(self.X_train_, self.relevance_)
        self.weights_ = np.zeros((len(machines), n_columns))
        self.prior_variances_ = np.zeros((len(machines), n_columns))
        for row, machine in enumerate(machines):
            self.weights_[row, machine.active] = machine.mean
            self.prior_variances_[row, machine.active] = machine.theta
        self.log_evidence_ = float(sum(machine.log_evidence for machine in machines))
        self.evidence_path_ = [machine.history for machine in machines]
        self.n_iter_ = max(len(machine.history) for machine in machines)
        if not all(machine.converged for machine in machines):
            warnings.warn(
                f"{type(self).__name__} stopped after {self.n_iter_} steps before the evidence "
                "had settled; raise max_iter",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _query(self, X: Any) -> Any:
        return query_sample(self, X)
