"""Support vector machines: one Gram per kernel, folds as parts of it, costs as a warm path."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer import _config
from mercer.gram import DenseGram, Gram, KernelGram, SharedGrams, build_gram
from mercer.kernels import Kernel
from mercer.kernels.resolve import meant_by
from mercer.kernels.structured.precomputed import Precomputed
from mercer.learners.margin.svm.machine import Machine
from mercer.learners.protocols import Ground, Quadratic, Tasks
from mercer.selection._case import Case, GramView
from mercer.selection._fold_paths import climb, straight
from mercer.selection._outcome import FAILED, LATE, Outcome, failed
from mercer.selection._paths import Job, Limits, solve_paths
from mercer.selection._task import SearchTask
from mercer.selection.criteria._base import averaged
from mercer.selection.space import Candidate, bandwidth_of, by_kernel, typical_bandwidth
from mercer.solvers.problems import InfeasibleNu
from mercer.solvers.quadratic import Solution

EXACT_COST = 1e3  # beyond, rounding of single precision could make the problem non-convex
PATHS = {"c-svc": "C", "svr": "C", "nu-svc": "nu", "nu-svr": "C"}


def own_name(estimator: object) -> str:
    """What the class itself is known as; a subclass may train otherwise, so it inherits none."""
    return str(vars(type(estimator)).get("known_as", ""))


class MarginRoute:
    """Everything about one kernel at once."""

    name = "one Gram per kernel, all folds and classes together, warm-started costs"

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.learner = own_name(task.final)
        final = clone(task.final)
        sample = final._door.enter(final, task.X, task.y, task.weight)
        self.X, self.y, self.weight = sample.X, sample.y, sample.weight
        self.n = len(self.y)
        self.climbs = False  # whether larger costs may be left out once they do worse
        self.ground: Ground  # of the kernel at hand
        self._shared: SharedGrams | None = None
        self._matrix: NDArray[Any] | None = None

    def units(self, candidates: Sequence[Candidate]) -> list[list[Candidate]]:
        """Candidates of one kernel share its Gram."""
        found = by_kernel(candidates)
        if len(found) > 2 and found[0][0].kernel is not None:
            # middling bandwidths first: a good value early lets the others be dropped early
            typical = typical_bandwidth(found[0][0].kernel, self.X)
            found.sort(key=lambda unit: _distance(bandwidth_of(unit[0].kernel), typical))
        return found

    def evaluate(
        self, unit: Sequence[Candidate], bar: float, deadline: float | None
    ) -> list[Outcome]:
        """Score all candidates of one kernel; ``bar`` is the value to beat."""
        start = time.perf_counter()
        try:
            kernel = unit[0].kernel or meant_by(self.task.final, self.X).kernel
            gram = self._gram(kernel, self._largest_cost(unit))
        except _config.MemoryLimitError:
            raise
        except Exception as error:
            return [failed(error) for _ in unit]
        outcomes: list[Outcome | None] = [None] * len(unit)
        for members in self._paths(unit):
            chosen = [unit[i] for i in members]
            try:
                found = self._feasible(chosen, kernel, gram, bar, deadline)
            except Exception as error:
                found = [failed(error) for _ in members]
            for i, outcome in zip(members, found, strict=True):
                outcomes[i] = outcome
            bar = min([bar, *(o.value for o in found if o.usable)])
        share = (time.perf_counter() - start) / len(unit)
        return [_timed(o, share) for o in outcomes if o is not None]

    def _feasible(
        self,
        chosen: list[Candidate],
        kernel: Kernel,
        gram: Gram,
        bar: float,
        deadline: float | None,
    ) -> list[Outcome]:
        """The path as far as there is one: a ν too large for a fold's classes fails alone."""
        try:
            return self._path(chosen, kernel, gram, bar, deadline)
        except InfeasibleNu as error:
            rest = chosen[:-1]
            before = self._feasible(rest, kernel, gram, bar, deadline) if rest else []
            return [*before, failed(error)]

    # -- the pieces --------------------------------------------------------------------------------

    def _paths(self, unit: Sequence[Candidate]) -> list[list[int]]:
        """Candidates that differ in the path's parameter only, in its order."""
        name = PATHS[self.learner]
        groups: dict[str, list[int]] = {}
        for i, candidate in enumerate(unit):
            rest = sorted((k, repr(v)) for k, v in candidate.params.items() if k != name)
            groups.setdefault(repr(rest), []).append(i)
        return [
            sorted(members, key=lambda i: unit[i].params.get(name, 1.0))
            for members in groups.values()
        ]

    def _largest_cost(self, unit: Sequence[Candidate]) -> float:
        own = float(getattr(self.task.final, "C", 1.0))
        return max(float(candidate.params.get("C", own)) for candidate in unit)

    def _gram(self, kernel: Kernel, cost: float) -> Gram:
        """The matrix in memory if the limit allows it, otherwise its rows on demand."""
        given = isinstance(kernel, Precomputed)  # and looked at with the other rows
        limit = self.task.memory_limit
        gram = build_gram(kernel, self.X, use="rows", checked=given, memory_limit=limit)
        if not isinstance(gram, KernelGram):
            return gram
        exact = cost > EXACT_COST or self.n <= 500 or gram.fused is None
        size = 4 * self.n * self.n * (2 if exact else 1)
        if 3 * size > _config.memory_limit(limit):
            return gram
        if not hasattr(gram.X, "dtype"):  # strings and other objects
            return DenseGram(gram.dense(), kernel, limit, validate=False)
        if self._shared is None:
            self._shared = SharedGrams(gram.X, limit)
        kind = gram.X.dtype if exact or not isinstance(gram.X, np.ndarray) else np.float32
        # the matrix of the kernel before is done with: its memory serves again
        self._matrix = self._shared.matrix(kernel, kind, out=self._matrix)
        return DenseGram(self._matrix, kernel, limit, validate=False)

    def _machine(self, candidate: Candidate) -> Any:
        return clone(self.task.final).set_params(**candidate.params)

    def _path(
        self,
        chosen: Sequence[Candidate],
        kernel: Kernel | None,
        gram: Gram,
        bar: float,
        deadline: float | None,
    ) -> list[Outcome]:
        models = [self._machine(candidate) for candidate in chosen]
        self.ground = Ground(self.n, np.asarray(gram.diag(), dtype=np.float64))
        if self.task.criterion.uses == "folds":
            evaluate = climb if self.climbs and PATHS[self.learner] == "C" else straight
            return evaluate(self, models, gram, bar, deadline)
        return self._by_fit(models, kernel, gram, deadline)

    def jobs(
        self, models: Sequence[Quadratic], train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> tuple[list[Job], Tasks]:
        """The binary problems of a training set, as jobs over steps = positions in ``models``."""
        tasks = models[0]._tasks(self.y[train], self.weight[train])
        ground = self.ground

        def job(rows: Any, target: ArrayLike, weight: ArrayLike) -> Job:
            part = train[rows], target, weight
            return Job(lambda step: models[step]._problem(*part, ground), test)

        return [job(*one) for one in tasks.parts], tasks

    def solve(
        self, gram: Gram, jobs: Sequence[Job], models: Sequence[Any], deadline: float | None
    ) -> list[list[Solution]]:
        """Run the jobs."""
        final = self.task.final
        limits = Limits(self._tolerance(), final.max_iter, deadline, n_threads=self.task.n_threads)
        costs = [float(getattr(model, "C", 1.0)) for model in models]
        return solve_paths(gram, jobs, range(len(models)), costs, limits)

    def _tolerance(self) -> float:
        """The estimator's; coarser for regressions along costs of our own, where it costs most.

        A hundredth of the targets' spread changes no R² that matters; the winner is trained fully.
        """
        tol = float(self.task.final.tol)
        if not self.climbs or self.task.classifier:
            return tol
        return max(tol, min(10.0 * tol, 0.01 * float(np.std(self.y))))

    def _by_fit(
        self, models: Sequence[Any], kernel: Kernel | None, gram: Gram, deadline: float | None
    ) -> list[Outcome]:
        """Train on all rows and ask the criterion about every machine."""
        everyone = np.arange(self.n)
        jobs, tasks = self.jobs(models, everyone, everyone)
        solutions = self.solve(gram, jobs, models, deadline)
        view = GramView(gram.dense() if not hasattr(gram, "array") else gram.array)
        outcomes = []
        for step, model in enumerate(models):
            if any(path[step].stopped == "time_limit" for path in solutions):
                outcomes.append(Outcome(np.nan, LATE))
                continue
            machines = [
                self.read(model, job.make(step), path[step], target, weight)
                for job, path, (_, target, weight) in zip(jobs, solutions, tasks.parts, strict=True)
            ]
            outcomes.append(self._ask(model, machines, view, kernel))
        return outcomes

    def read(
        self, model: Quadratic, problem: Any, solution: Solution, target: Any, weight: Any
    ) -> Machine:
        """A solved problem as a machine; rows of weight zero are in neither."""
        used = weight > 0
        return model._read(problem, solution, target[used], weight[used], self.ground)

    def _ask(
        self, model: object, machines: Sequence[Machine], view: GramView, kernel: Kernel | None
    ) -> Outcome:
        cases = []
        for machine in machines:
            whole = len(machine.rows) == view.n
            gram = view if whole else view.subset(machine.rows)
            cases.append(self._case(model, machine, gram, kernel))
        try:
            scores = [self.task.criterion.score(case) for case in cases]
        except Exception as error:
            return failed(error)
        score = averaged(scores, [case.n for case in cases])
        value, parts = score.value, dict(score.components)
        if np.isnan(value):
            return Outcome(value, FAILED, message="the criterion is not a number here")
        return Outcome(value, score=-value, components=parts)

    def _case(self, model: Any, machine: Machine, gram: GramView, kernel: Kernel | None) -> Case:
        features = self.X.shape[1] if hasattr(self.X, "shape") else None
        cost = getattr(model, "C", None)
        return Case(
            gram,
            machine.target,
            machine.coef,
            machine.output,
            machine.intercept,
            upper=machine.problem.upper[: len(machine.rows)] / abs(machine.scale),
            C=None if cost is None or not np.isfinite(cost) else float(cost) / abs(machine.scale),
            learner=self.learner,
            loss=str(getattr(model, "loss", "hinge")).replace("_", "-"),
            task="classification" if self.task.classifier else "regression",
            offset=bool(model.fit_intercept),
            tol=float(model.tol),
            delta=self.task.delta,
            kernel=kernel,
            dimension=None if kernel is None else kernel.dimension(features),
        )


def _distance(scale: float, typical: float) -> float:
    """How far a bandwidth lies from the typical one; NaN (no bandwidth) comes first."""
    if not (scale > 0 and math.isfinite(scale) and typical > 0):
        return 0.0
    return abs(math.log(scale / typical))


def _timed(outcome: Outcome, seconds: float) -> Outcome:
    return Outcome(**{**outcome.__dict__, "seconds": seconds})
