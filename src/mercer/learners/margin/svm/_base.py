"""The fit template shared by all margin machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from mercer import _compat
from mercer.bounds import Evidence
from mercer.gram import build_gram
from mercer.kernels import Kernel
from mercer.kernels.structured.from_callable import UserFunction
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners import _data, _kernel
from mercer.learners._certified import Certified
from mercer.learners._parameters import Rule, check_parameters
from mercer.learners.margin.svm._attributes import FittedAttributes
from mercer.learners.margin.svm._evidence import publish
from mercer.learners.margin.svm._prediction import Prediction
from mercer.learners.margin.svm.machine import Machine
from mercer.learners.margin.svm.training import Budget, Training
from mercer.solvers.quadratic import BoxProblem, Solution
from mercer.solvers.warm import warm

Floats = NDArray[np.float64]


class MarginMachine(
    Certified, Prediction, FittedAttributes, _compat.CallbackSupportMixin, BaseEstimator
):
    """Validation, kernel, solver and attributes; a learner says which problems to solve.

    A learner writes ``_tasks`` (rows and targets of its problems), ``_problem`` (one BoxProblem),
    ``_read`` (a solved problem as a Machine) and ``_publish`` (its fitted attributes).
    """

    _rules: ClassVar[dict[str, Rule]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        objects = isinstance(self.kernel, Kernel) and _data.takes_objects(self.kernel)
        tags.input_tags.pairwise = _data.is_precomputed(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        tags.input_tags.two_d_array = not objects
        return tags

    # -- fit ---------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        check_parameters(self, self._rules)
        self._forget_certificates()
        sample = _data.training_sample(self, X, y, sample_weight)
        tasks = self._tasks(sample)
        meant = _kernel.meant_by(self, sample.X)
        self.kernel_, self._gamma = meant.kernel, meant.gamma
        gram = build_gram(meant.kernel, sample.X, use="rows", checked=meant.checked)
        self._describe(sample, gram)
        with Training(self, sample.X, sample.y) as training:
            budget = training.budget()
            problems = [self._problem(*task, n=sample.n) for task in tasks]
            solutions = self._solve(self._warmed(problems), gram, budget)
            self._machines = [
                self._read(problem, solution, target[weight > 0], weight[weight > 0])
                for problem, solution, (_, target, weight) in zip(
                    problems, solutions, tasks, strict=True
                )
            ]
            self._check_finite()
            self._remember(sample.X)
            self._publish(sample, gram, budget)
            training.finish(solutions)
        self.fit_status_ = int(not all(solution.converged for solution in solutions))
        support = np.sort(self.support_)
        self._indefinite = _kernel.warn_if_indefinite(self.kernel_, gram, support)
        return self

    def _describe(self, sample: _data.Sample, gram: Any) -> None:
        """Keep what certificates need to know about the rows and is not in the machines."""
        diagonal = np.asarray(gram.diag(), dtype=np.float64)
        self._radius = _kernel.radius(diagonal)
        self._diagonal = diagonal[:1].copy() if self.kernel_.stationary else diagonal
        used = sample.weight[sample.weight > 0]
        self._weighted = bool(used.size and np.ptp(used) > 0)
        self._left_out = sample.n - int(used.size)

    def _publish_evidence(self) -> Evidence:
        return publish(self)

    def _warmed(self, problems: Sequence[BoxProblem]) -> list[BoxProblem]:
        previous = getattr(self, "_machines", None) if self.warm_start else None
        if previous is None or len(previous) != len(problems):
            return list(problems)
        return [
            warm(problem, _previous_alpha(problem, machine))
            for problem, machine in zip(problems, previous, strict=True)
        ]

    def _solve(self, problems: Sequence[BoxProblem], gram: Any, budget: Budget) -> list[Solution]:
        return budget.solve(problems, gram)

    def _check_finite(self) -> None:
        for machine in self._machines:
            if not (np.isfinite(machine.intercept) and np.all(np.isfinite(machine.coef))):
                raise ValueError(
                    "The dual coefficients or intercepts are not finite. The input data may "
                    "contain large values and need to be preprocessed."
                )

    def _remember(self, X: Any) -> None:
        """Keep what prediction needs besides the coefficients."""
        self._sparse = sparse.issparse(X) and not _data.takes_objects(self.kernel)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self._X_fit = X if isinstance(self.kernel_, UserFunction) else None

    def _publish_support(self, X: Any, support: NDArray[np.intp], packed: Floats) -> None:
        """Set the attributes about support vectors, sparse if the data were."""
        self.support_ = support.astype(np.int32)
        if isinstance(self.kernel_, Precomputed):
            self.support_vectors_ = np.empty((0, 0))
        elif hasattr(X, "shape"):
            self.support_vectors_ = (X.tocsr() if sparse.issparse(X) else X)[support]
        else:
            self.support_vectors_ = np.array([X[i] for i in support], dtype=object)
        self.dual_coef_ = _csr_like(packed, X) if self._sparse else packed


def _previous_alpha(problem: BoxProblem, machine: Machine) -> Floats:
    """The last solution; if rows were added at the end, their coefficients start from zero."""
    alpha = machine.solution.alpha
    grown = problem.n > machine.problem.n and problem.n_variables > len(alpha)
    if not grown or len(alpha) != len(machine.rows):
        return alpha
    by_row = np.zeros(problem.n)
    by_row[machine.rows] = alpha
    return by_row[problem.index]


def _csr_like(values: Floats, X: Any) -> Any:
    """A CSR matrix or array, whichever kind the training data were."""
    return sparse.csr_matrix(values) if sparse.isspmatrix(X) else sparse.csr_array(values)
