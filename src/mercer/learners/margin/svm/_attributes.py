"""Fitted attributes that are read off the trained machines when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from mercer.kernels.vectors.linear import Linear
from mercer.learners.margin.svm.diagnostics import Diagnostics, DiagnosticsList, diagnose
from mercer.learners.margin.svm.machine import Machine
from mercer.solvers.quadratic import Solution

Floats = NDArray[np.float64]


class FittedAttributes:
    """Mixin: weights of a linear machine, solutions, diagnostics, LIBSVM's signs."""

    kernel: Any
    tol: float
    dual_coef_: Any
    intercept_: Floats
    support_vectors_: Any
    _radius: float
    _n_support: NDArray[np.int32]
    _kind: str
    _names: Sequence[str] = ("",)

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors (of each class, for a classifier)."""
        try:
            return self._n_support
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} is not fitted yet") from None

    @property
    def coef_(self) -> Any:
        """Weights of the features; only for the linear kernel."""
        if not (self.kernel == "linear" or isinstance(self.kernel, Linear)):
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._primal_weights()
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    def _primal_weights(self) -> Any:
        return safe_sparse_dot(self.dual_coef_, self.support_vectors_)

    @property
    def solutions_(self) -> list[Solution]:
        """What the solver returned for each problem, restricted to that problem's rows."""
        return [machine.solution for machine in self._fitted_machines()]

    @property
    def solution_(self) -> Solution:
        """What the solver returned; several problems are in ``solutions_``."""
        solutions = self.solutions_
        if len(solutions) > 1:
            raise AttributeError(f"{len(solutions)} problems were solved: see solutions_")
        return solutions[0]

    @property
    def diagnostics_(self) -> Diagnostics | DiagnosticsList:
        """Objectives, margins and the state of every training point; one per binary problem."""
        machines = self._fitted_machines()
        found = [
            diagnose(machine, self._radius, kind=self._kind, tol=self.tol, name=name)
            for machine, name in zip(machines, self._names, strict=True)
        ]
        return found[0] if len(found) == 1 else DiagnosticsList(found)

    def _fitted_machines(self) -> list[Machine]:
        if not hasattr(self, "_machines"):
            raise AttributeError(f"{type(self).__name__} is not fitted yet")
        return self._machines

    @property
    def _intercept_(self) -> Floats:
        """LIBSVM's sign: for two classes the opposite of ``intercept_``."""
        return self._flip() * self.intercept_

    @property
    def _dual_coef_(self) -> Any:
        """LIBSVM's sign: for two classes the opposite of ``dual_coef_``."""
        return self._flip() * self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, value: Any) -> None:
        self.dual_coef_ = self._flip() * value

    def _flip(self) -> float:
        return 1.0
