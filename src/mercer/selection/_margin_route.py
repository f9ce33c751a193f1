"""Support vector machines: one Gram per kernel, folds as parts of it, costs as a warm path."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from mercer import _config
from mercer.gram import DenseGram, Gram, KernelGram, SharedGrams
from mercer.kernels import Kernel
from mercer.kernels.precomputed import Precomputed
from mercer.learners import _data
from mercer.learners._kernel import (
    UserFunction,
    radius,
    resolve_kernel,
    training_gram,
)
from mercer.learners.margin._machine import Machine
from mercer.selection._case import Case, GramView
from mercer.selection._losses import HeldOut, fold_score
from mercer.selection._outcome import FAILED, LATE, PRUNED, Outcome, failed
from mercer.selection._paths import Job, Limits, solve_paths
from mercer.selection._space import Candidate, bandwidth_of, by_kernel, typical_bandwidth
from mercer.selection._task import SearchTask
from mercer.solvers._base import Solution

FIRST_FOLDS = 2  # trained at every cost before candidates that cannot win are dropped
EXACT_COST = 1e3  # beyond, rounding of single precision could make the problem non-convex
LEARNERS = {"SVC": "c-svc", "NuSVC": "nu-svc", "SVR": "svr", "NuSVR": "nu-svr"}
PATHS = {"c-svc": "C", "svr": "C", "nu-svc": "nu", "nu-svr": "C"}


def learner_of(estimator: Any) -> str:
    """Which support vector machine it is; empty for anything else (subclasses included)."""
    kind = type(estimator)
    ours = kind.__module__.startswith("mercer.learners.margin.")
    return LEARNERS.get(kind.__name__, "") if ours else ""


class MarginRoute:
    """Everything about one kernel at once."""

    name = "one Gram per kernel, all folds and classes together, warm-started costs"

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.learner = learner_of(task.final)
        sample = _data.training_sample(clone(task.final), task.X, task.y, task.weight)
        self.X, self.y, self.weight = sample.X, sample.y, sample.weight
        self.n = len(self.y)
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
            kernel = unit[0].kernel or resolve_kernel(self.task.final, self.X)[0]
            gram = self._gram(kernel, self._largest_cost(unit))
        except _config.MemoryLimitError:
            raise
        except Exception as error:
            return [failed(error) for _ in unit]
        outcomes: list[Outcome | None] = [None] * len(unit)
        for members in self._paths(unit):
            chosen = [unit[i] for i in members]
            try:
                found = self._path(chosen, kernel, gram, bar, deadline)
            except Exception as error:
                found = [failed(error) for _ in members]
            for i, outcome in zip(members, found, strict=True):
                outcomes[i] = outcome
            bar = min([bar, *(o.value for o in found if o.usable)])
        share = (time.perf_counter() - start) / len(unit)
        return [_timed(o, share) for o in outcomes if o is not None]

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
        if isinstance(kernel, Precomputed | UserFunction):
            return training_gram(kernel, self.X, validate=False)
        gram = KernelGram(kernel, self.X, self.task.memory_limit)
        exact = cost > EXACT_COST or self.n <= 500 or gram.fused is None
        size = 4 * self.n * self.n * (2 if exact else 1)
        if 3 * size > _config.memory_limit(self.task.memory_limit):
            return gram
        if not hasattr(gram.X, "dtype"):  # strings and other objects
            return DenseGram(gram.dense(), kernel, self.task.memory_limit, validate=False)
        if self._shared is None:
            self._shared = SharedGrams(gram.X, self.task.memory_limit)
        kind = gram.X.dtype if exact or not isinstance(gram.X, np.ndarray) else np.float32
        # the matrix of the kernel before is done with: its memory serves again
        self._matrix = self._shared.matrix(kernel, kind, out=self._matrix)
        return DenseGram(self._matrix, kernel, self.task.memory_limit, validate=False)

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
        for model in models:  # what fit would have noted before asking for problems
            model._radius = radius(np.asarray(gram.diag(), dtype=np.float64))
        if self.task.criterion.uses == "folds":
            return _Folds(self, models, gram, bar, deadline).run()
        return self._by_fit(models, kernel, gram, deadline)

    def _jobs(self, models: Sequence[Any], train: NDArray[np.intp], test: NDArray[np.intp]) -> Any:
        """The binary problems of a training set, as jobs over steps = positions in ``models``."""
        first = models[0]
        part = _data.Sample(None, self.y[train], self.weight[train])
        tasks = first._tasks(part)
        for model in models[1:]:
            model.__dict__.update(
                {k: first.__dict__[k] for k in ("classes_", "class_weight_") if k in first.__dict__}
            )
        n = self.n

        def job(rows: Any, target: Any, weight: Any) -> Job:
            return Job(lambda step: models[step]._problem(train[rows], target, weight, n=n), test)

        return [job(*one) for one in tasks], tasks

    def solve(
        self, gram: Gram, jobs: Sequence[Job], models: Sequence[Any], deadline: float | None
    ) -> list[list[Solution]]:
        """Run the jobs with the estimator's accuracy."""
        final = self.task.final
        limits = Limits(final.tol, final.max_iter, deadline, n_threads=self.task.n_threads)
        costs = [float(getattr(model, "C", 1.0)) for model in models]
        return solve_paths(gram, jobs, range(len(models)), costs, limits)

    def _by_fit(
        self, models: Sequence[Any], kernel: Kernel | None, gram: Gram, deadline: float | None
    ) -> list[Outcome]:
        """Train on all rows and ask the criterion about every machine."""
        everyone = np.arange(self.n)
        jobs, tasks = self._jobs(models, everyone, everyone)
        solutions = self.solve(gram, jobs, models, deadline)
        view = GramView(gram.dense() if not hasattr(gram, "array") else gram.array)
        outcomes = []
        for step, model in enumerate(models):
            machines = [
                self._read(model, job.make(step), path[step], target, weight)
                for job, path, (_, target, weight) in zip(jobs, solutions, tasks, strict=True)
            ]
            outcomes.append(self._ask(model, machines, view, kernel))
        return outcomes

    def _read(
        self, model: Any, problem: Any, solution: Solution, target: Any, weight: Any
    ) -> Machine:
        used = weight > 0
        return model._read(problem, solution, target[used], weight[used])

    def _ask(
        self, model: Any, machines: Sequence[Machine], view: GramView, kernel: Kernel | None
    ) -> Outcome:
        scores = []
        try:
            for machine in machines:
                whole = len(machine.rows) == view.n
                gram = view if whole else view.subset(machine.rows)
                scores.append(self.task.criterion.score(self._case(model, machine, gram, kernel)))
        except Exception as error:
            return failed(error)
        sizes = np.array([len(machine.rows) for machine in machines], dtype=float)
        value = float(np.average([score.value for score in scores], weights=sizes))
        names = scores[0].components
        parts = {
            k: float(np.average([s.components[k] for s in scores], weights=sizes)) for k in names
        }
        if np.isnan(value):
            return Outcome(value, FAILED, message="the criterion is not a number here")
        return Outcome(value, score=-value, components=parts)

    def _case(self, model: Any, machine: Machine, gram: GramView, kernel: Kernel | None) -> Case:
        from mercer.learners._kernel_facts import dimension

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
            dimension=None if kernel is None else dimension(kernel, features),
        )


class _Folds:
    """A path of candidates through the folds; what cannot win any more is left behind.

    The rule is sound for error counts: a candidate whose errors so far already exceed the best
    total found cannot end below it, because further folds only add errors.
    """

    def __init__(
        self, route: MarginRoute, models: Sequence[Any], gram: Gram, bar: float, deadline: Any
    ) -> None:
        self.route = route
        self.task = route.task
        self.models = models
        self.gram = gram
        self.bar = bar
        self.deadline = deadline
        self.counts = self.task.scoring is None and self.task.classifier
        self.scores: list[list[float]] = [[] for _ in models]
        self.depths: list[list[float]] = [[] for _ in models]

    def run(self) -> list[Outcome]:
        folds = self.task.folds
        first = min(FIRST_FOLDS, len(folds)) if self.counts else len(folds)
        alive = list(range(len(self.models)))
        for part in (folds[:first], folds[first:]):
            if not part:
                continue
            alive = [i for i in alive if self._at_best(i) <= self.bar]
            if not alive:
                break
            late = self.deadline is not None and time.monotonic() > self.deadline
            if late:
                break
            self._train(alive, part)
        return [self._outcome(i) for i in range(len(self.models))]

    def _at_best(self, i: int) -> float:
        if not self.counts or not self.scores[i]:
            return -np.inf
        return sum(1.0 - s for s in self.scores[i]) / len(self.task.folds)

    def _train(self, alive: Sequence[int], folds: Sequence[Any]) -> None:
        route = self.route
        models = [self.models[i] for i in alive]
        jobs: list[Job] = []
        spans = []
        for train, test in folds:
            own, tasks = route._jobs(models, train, test)
            spans.append((len(jobs), tasks, test, models[0].__dict__.get("classes_")))
            jobs += own
        solutions = route.solve(self.gram, jobs, models, self.deadline)
        for at, tasks, test, classes in spans:
            for step, i in enumerate(alive):
                columns = []
                for k, (_, target, weight) in enumerate(tasks):
                    job, solution = jobs[at + k], solutions[at + k][step]
                    machine = route._read(models[step], job.make(step), solution, target, weight)
                    columns.append(solution.decision[test] / machine.scale + machine.intercept)
                self.scores[i].append(self._score(models[step], columns, test, classes))
                self.depths[i].append(_depth(columns, route.y[test], classes))

    def _score(self, model: Any, columns: list[Any], test: Any, classes: Any) -> float:
        values = np.column_stack(columns)
        y, weight = self.route.y[test], self.route.weight[test]
        if classes is None:
            held = HeldOut(values[:, 0], values[:, 0], None)
        else:
            model.classes_ = classes
            predicted = classes[model._winners(values)]
            decision = values[:, 0] if len(classes) == 2 else values
            held = HeldOut(predicted, decision, classes)
        X = None if self.task.scoring is None else _safe_indexing(self.task.X, test)
        return fold_score(self.task.scoring, held, X, y, weight)

    def _outcome(self, i: int) -> Outcome:
        scores = self.scores[i]
        if len(scores) < len(self.task.folds):
            if self.counts and scores and self._at_best(i) > self.bar:
                return Outcome(self._at_best(i), PRUNED, folds=tuple(scores))
            return Outcome(np.nan, LATE, folds=tuple(scores))
        mean = float(np.mean(scores))
        value = 1.0 - mean if self.counts else -mean
        return Outcome(
            value,
            score=mean,
            spread=float(np.std(scores)),
            folds=tuple(scores),
            tie=float(np.mean(self.depths[i])) if self.counts else 0.0,
        )


def _depth(columns: Sequence[NDArray[Any]], y: NDArray[Any], classes: Any) -> float:
    """How far the outputs of two classes lie on the wrong side of their margin, 0 to 1."""
    if classes is None or len(classes) != 2:
        return 0.0
    margin = np.where(y == classes[1], 1.0, -1.0) * columns[0]
    return float(np.mean(np.clip(0.5 - 0.5 * margin, 0.0, 1.0)))


def _distance(scale: float, typical: float) -> float:
    """How far a bandwidth lies from the typical one; NaN (no bandwidth) comes first."""
    if not (scale > 0 and math.isfinite(scale) and typical > 0):
        return 0.0
    return abs(math.log(scale / typical))


def _timed(outcome: Outcome, seconds: float) -> Outcome:
    return Outcome(**{**outcome.__dict__, "seconds": seconds})
