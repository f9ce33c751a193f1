"""The template of the machines that are quadratic programmes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _compat
from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import KernelSpace
from mercer.learners.expansion import Expansion
from mercer.learners.margin._support import SupportFitted, SupportLearner
from mercer.learners.margin.svm._evidence import publish
from mercer.learners.margin.svm._tasks import Ground, Tasks
from mercer.learners.margin.svm.diagnostics import Diagnostics, DiagnosticsList, diagnose
from mercer.learners.margin.svm.machine import Machine
from mercer.learners.margin.svm.training import Budget, Training
from mercer.solvers.quadratic import BoxProblem, Solution
from mercer.solvers.warm import warm

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MarginFitted(SupportFitted):
    """The trained machines, one per binary problem."""

    machines: tuple[Machine, ...]
    names: tuple[str, ...] = ("",)
    class_weight: Floats | None = None
    calibration: Any = None
    scheme: str = ""


class MarginMachine(_compat.CallbackSupportMixin, SupportLearner):
    """Solver and attributes; a learner says which problems to solve.

    A learner writes ``_tasks`` (rows and targets of its problems), ``_problem`` (one BoxProblem)
    and ``_read`` (a solved problem as a Machine); they read constructor arguments and what they
    are given, so that a search may ask an estimator that was never fitted.
    """

    _kind: str
    _overflows = "The dual coefficients or intercepts are not finite: "  # scikit-learn's words
    fitted_: MarginFitted

    def _expansion(self) -> Expansion | None:
        columns, vectors = self._columns(), self.support_vectors_
        return Expansion(self.kernel_, vectors, columns, self.intercept_, self._kind)

    @_compat.with_callbacks
    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points; with ``kernel="precomputed"`` the (n_samples, n_samples) matrix; with
            a callable kernel whatever it understands.
        y : array-like of shape (n_samples,)
            Class labels, or numbers for a regression.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors on the price or weight of each sample. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _train(self, sample: TrainingSample) -> MarginFitted:
        tasks = self._tasks(sample.y, sample.weight)
        space = self._space(sample, use="rows")
        ground = Ground(sample.n, space.diagonal)
        with Training(self, sample.X, sample.y) as training:
            budget = training.budget()
            problems = [self._problem(*part, ground) for part in tasks.parts]
            solutions = self._solve(self._warmed(problems), space.gram, budget, ground)
            machines = tuple(
                self._read(problem, solution, target[weight > 0], weight[weight > 0], ground)
                for problem, solution, (_, target, weight) in zip(
                    problems, solutions, tasks.parts, strict=True
                )
            )
            _check_finite(machines)
            fitted = self._record(sample, space, tasks, machines, budget, ground)
            training.finish(solutions)
        found: MarginFitted = self._probed(fitted, space)
        return found

    def _tasks(self, y: NDArray[Any], weight: Floats) -> Tasks:
        """The problems to solve; one over all rows unless a learner says otherwise."""
        return Tasks([(np.arange(len(weight)), y.astype(np.float64, copy=False), weight)])

    def _problem(
        self, rows: Any, target: ArrayLike, weight: ArrayLike, ground: Ground
    ) -> BoxProblem:
        raise TypeError(f"{type(self).__name__} does not say which problem it is")

    def _read(
        self,
        problem: BoxProblem,
        solution: Solution,
        target: ArrayLike,
        weight: ArrayLike,
        ground: Ground,
    ) -> Machine:
        raise TypeError(f"{type(self).__name__} does not say how to read a solution")

    def _warmed(self, problems: Sequence[BoxProblem]) -> list[BoxProblem]:
        fitted = self.__dict__.get("fitted_") if self.warm_start else None
        if fitted is None or len(fitted.machines) != len(problems):
            return list(problems)
        return [
            warm(problem, _previous_alpha(problem, machine))
            for problem, machine in zip(problems, fitted.machines, strict=True)
        ]

    def _solve(
        self, problems: Sequence[BoxProblem], gram: Any, budget: Budget, ground: Ground
    ) -> list[Solution]:
        return budget.solve(problems, gram)

    def _record(
        self,
        sample: TrainingSample,
        space: KernelSpace,
        tasks: Tasks,
        machines: tuple[Machine, ...],
        budget: Budget,
        ground: Ground,
    ) -> MarginFitted:
        """What the fit leaves; here of a single machine."""
        machine = machines[0]
        packed = machine.coef[machine.coef != 0][None, :]
        shared = self._supported(sample, space, machine.support, packed)
        return MarginFitted(
            **shared,
            machines=machines,
            n_support=np.array([packed.shape[1]], dtype=np.int32),
            intercept=np.array([machine.intercept]),
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, MarginFitted)
        if not fitted.machines:  # see `_forget_training`
            return
        solutions = [machine.solution for machine in fitted.machines]
        self.fit_status_ = int(not all(solution.converged for solution in solutions))
        steps = [solution.n_iter for solution in solutions]
        several = fitted.classes is not None
        self.n_iter_ = np.array(steps, dtype=np.int32) if several else int(steps[0])

    def _publish_evidence(self) -> Evidence:
        return publish(self, self.fitted_)

    def _forget_training(self) -> None:
        """Keep what answers need: among thousands of machines nobody reads one's evidence.

        What the solver left takes three times the room of the support vectors.
        """
        if self._kind in ("classifier", "regressor"):
            self.fitted_ = replace(self.fitted_, machines=())
            self.certify = None

    # -- attributes --------------------------------------------------------------------------------

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
            diagnose(machine, self.fitted_.radius, kind=self._kind, tol=self.tol, name=name)
            for machine, name in zip(machines, self.fitted_.names, strict=True)
        ]
        return found[0] if len(found) == 1 else DiagnosticsList(found)

    def _fitted_machines(self) -> tuple[Machine, ...]:
        if "fitted_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} is not fitted yet")
        if not self.fitted_.machines:
            raise AttributeError("of machines in cells only what answers need is kept")
        return self.fitted_.machines


def _check_finite(machines: Sequence[Machine]) -> None:
    for machine in machines:
        if not (np.isfinite(machine.intercept) and np.all(np.isfinite(machine.coef))):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may "
                "contain large values and need to be preprocessed."
            )


def _previous_alpha(problem: BoxProblem, machine: Machine) -> Floats:
    """The last solution; if rows were added at the end, their coefficients start from zero."""
    alpha = machine.solution.alpha
    grown = problem.n > machine.problem.n and problem.n_variables > len(alpha)
    if not grown or len(alpha) != len(machine.rows):
        return alpha
    by_row = np.zeros(problem.n)
    by_row[machine.rows] = alpha
    return by_row[problem.index]
