"""The search itself: rounds of candidates through a route, limits, checkpoint, progress."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils._tags import get_tags
from sklearn.utils.multiclass import check_classification_targets

from mercer import _config
from mercer._types import Samples
from mercer.bounds import Choice
from mercer.learners.describe import note_choice
from mercer.learners.margin.svm.training import thread_count
from mercer.selection import criteria
from mercer.selection._checkpoint import Checkpoint
from mercer.selection._downhill import downhill
from mercer.selection._folds import hold_out, make_folds, shuffle_of
from mercer.selection._generic_route import configured
from mercer.selection._margin_route import MarginRoute
from mercer.selection._outcome import FAILED, LATE, EveryCandidateFailed, Outcome
from mercer.selection._progress import reporter
from mercer.selection._routes import default_criterion, kind_of, make_route
from mercer.selection._strategy import Space
from mercer.selection._task import SearchTask, last_step
from mercer.selection.space import Candidate, bandwidth_of

ROUNDS = 2


def choose_route(
    search: Any,
    estimator: object,
    X: Samples,
    y: NDArray[Any],
    sample_weight: ArrayLike | None,
    groups: ArrayLike,
) -> SearchTask:
    """The data and settings of a search, checked."""
    criterion = read_criterion(search, estimator, y)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    classifier = is_classifier(estimator)
    if classifier:
        check_classification_targets(y)
    if len(y) < 2:
        raise ValueError("n_samples=1: there is nothing to compare candidates by")
    if classifier and len(np.unique(y)) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got 1 class: there is nothing to "
            "separate."
        )
    if classifier and weight is not None and weight.shape == y.shape:
        present = np.unique(y[weight > 0])
        if len(present) == 1:
            raise ValueError(
                f"all rows with a positive weight are of class {present.tolist()[0]!r}: there is "
                "nothing to separate"
            )
    criterion.check("classification" if classifier else "regression", kind_of(last_step(estimator)))
    if criterion.code == "cv-smooth" and (search.scoring is not None or len(np.unique(y)) > 2):
        raise criteria.NotForThis(
            "criterion='cv-smooth' counts errors of two classes; with more classes or a scorer use "
            "criterion='cv'."
        )
    folds, shuffle = [], shuffle_of(search)
    if criterion.uses == "folds":
        cv = hold_out(classifier, shuffle) if criterion.code == "holdout" else search.cv
        folds = make_folds(cv, X, y, groups, classifier=classifier, random_state=shuffle)
    return SearchTask(
        estimator,
        X,
        y,
        weight,
        folds,
        criterion,
        search.scoring,
        shuffle,
        thread_count(search.n_jobs),
        search.memory_limit,
        float(search.delta),
    )


def read_criterion(search: Any, estimator: object, y: NDArray[Any]) -> criteria.Criterion:
    """The criterion meant by a name or an object."""
    criterion = search.criterion
    if isinstance(criterion, criteria.Criterion):
        return criterion
    if not isinstance(criterion, str):
        raise TypeError(
            f"criterion must be a name or a Criterion, got {criterion!r}; names are "
            f"{sorted(criteria.available())}"
        )
    if criterion == "auto":
        criterion = default_criterion(last_step(estimator), y, search.scoring)
    return criteria.get(criterion)


class Run:
    """One search: what was tried, what came out, and why it ended."""

    def __init__(self, search: Any, task: SearchTask, started: float, learner: str = "") -> None:
        self.search_ = search
        self.task = task
        self.learner = learner  # its name among several
        self.rivals = [self]  # of several learners the runs of all, this one included
        limit = search.time_limit
        if limit is not None and not limit > 0:
            raise ValueError(f"time_limit must be a positive number of seconds, got {limit!r}")
        self.deadline = None if limit is None else started + limit
        self.route, kernels, path = make_route(task, search)
        known = list(task.final.get_params()) + list(task.estimator.get_params())
        self.space = Space(kernels, search.param_grid, self.route.X, path, known, task.prefix)
        if isinstance(self.route, MarginRoute):
            self.route.climbs = self.space.automatic  # what a user lists is tried completely
        self.outcomes: dict[str, Outcome] = {}
        self.order: list[Candidate] = []
        self.stopped = "finished"
        self.interrupted = False
        self.checkpoint = Checkpoint.open(search.checkpoint, self)
        self.report = reporter(search.progress)

    # -- the rounds --------------------------------------------------------------------------------

    def search(self) -> None:
        """Try the first round and its refinements until nothing is left or something stops it."""
        with self.report:
            try:
                self._round(self.space.first())
                self._follow_gradient()
                for number in range(1, ROUNDS + 1):
                    best = self._best_or_none()
                    if best is None or self.stopped != "finished":
                        break
                    self._round(self.space.finer(best, number))
            except KeyboardInterrupt:
                self.stopped, self.interrupted = "interrupted", True
                if self._best_or_none() is None:
                    raise
        self.best()

    def _follow_gradient(self) -> None:
        """Where the criterion has a derivative, go downhill from the best of the first round."""
        best = self._best_or_none()
        if best is None or not self.space.refines or self._late():
            return
        found = downhill(self.route, best)
        if found is not None:
            self._round([found])
            self.space.refines = False  # the gradient has done what halving steps would do

    def _round(self, candidates: Sequence[Candidate]) -> None:
        new = [c for c in candidates if c.key not in self.outcomes]
        unique = list({c.key: c for c in new}.values())
        if not unique and not self.order:
            raise ValueError("there are no candidates: the grid is empty")
        self.order += unique
        for unit in self.route.units(unique):
            left = [c for c in unit if not self._restored(c)]
            if not left:
                continue
            if self._late():
                self._record(left, [Outcome(math.nan, LATE) for _ in left])
                continue
            self._record(left, self._evaluate(left))
            if self.report.update(self) and self.stopped == "finished":
                self.stopped = "asked to stop"

    def _evaluate(self, unit: list[Candidate]) -> list[Outcome]:
        with _config.config(n_threads=self.task.n_threads or _config.n_threads()):
            return self.route.evaluate(unit, self.bar(), self.deadline)

    def _restored(self, candidate: Candidate) -> bool:
        known = self.checkpoint.get(candidate.key)
        if known is not None:
            self.outcomes[candidate.key] = known
        return known is not None

    def _late(self) -> bool:
        over = self.deadline is not None and time.monotonic() > self.deadline
        if over and self.stopped == "finished":
            self.stopped = "time limit"
        return self.stopped != "finished"

    def _record(self, unit: Sequence[Candidate], outcomes: Sequence[Outcome]) -> None:
        for candidate, outcome in zip(unit, outcomes, strict=True):
            self.outcomes[candidate.key] = outcome
        if any(o.status == LATE for o in outcomes) and self.stopped == "finished":
            self.stopped = "time limit"
        self.checkpoint.add(unit, outcomes)

    @property
    def pairwise(self) -> bool:
        """Whether the data are a kernel matrix."""
        return bool(get_tags(self.task.estimator).input_tags.pairwise)

    # -- what came out -----------------------------------------------------------------------------

    @property
    def usable(self) -> bool:
        """Whether any candidate can be selected."""
        return self._best_or_none() is not None

    def bar(self) -> float:
        """The best value so far."""
        return min((o.value for o in self.outcomes.values() if o.usable), default=math.inf)

    def _best_or_none(self) -> Candidate | None:
        usable = [c for c in self.order if c.key in self.outcomes and self.outcomes[c.key].usable]
        if not usable:
            return None

        def rank(candidate: Candidate) -> tuple[float, ...]:
            # error counts tie often: then the outputs decide, and at last the simpler model, with
            # the smaller cost and the wider kernel
            outcome = self.outcomes[candidate.key]
            return (round(outcome.value, 12), outcome.tie, *_complexity(candidate))

        return min(usable, key=rank)

    def best(self) -> Candidate:
        """The winner; if there is none, an error that lists what happened."""
        best = self._best_or_none()
        if best is not None:
            return best
        failures = {
            c.key: self.outcomes[c.key].message or self.outcomes[c.key].status
            for c in self.order
            if c.key in self.outcomes
        }
        if all(self.outcomes[c.key].status != FAILED for c in self.order if c.key in self.outcomes):
            raise TimeoutError(
                "the time limit ended the search before any candidate was finished; raise "
                "time_limit or give fewer candidates"
            )
        raise EveryCandidateFailed(failures)

    def place(self, candidate: Candidate) -> int:
        """Where a candidate stands in the table."""
        before = sum(len(run.order) for run in self.rivals[: self.rivals.index(self)])
        return before + next(i for i, c in enumerate(self.order) if c.key == candidate.key)

    @property
    def size(self) -> int:
        """Number of candidates, those of other learners included."""
        return sum(len(run.order) for run in self.rivals)

    def outer_params(self, candidate: Candidate) -> dict[str, Any]:
        """Parameters as ``set_params`` of the user's estimator spells them."""
        known = self.task.estimator.get_params()
        values = candidate.named() if candidate.kernel is not None else candidate.params
        return {k if k in known else f"{self.task.prefix}{k}": v for k, v in values.items()}

    def configured(self, candidate: Candidate) -> Any:
        """The user's estimator with the candidate's parameters."""
        return configured(self.task, candidate)

    def note_choice(self, model: object) -> None:
        """Leave word, for certificates, that the setting was chosen by looking at the rows."""
        note_choice(model, Choice("hyper-parameters", "KernelSearch", candidates=self.size))


def _complexity(candidate: Candidate) -> tuple[float, float]:
    """Smaller is simpler: the cost, and minus the bandwidth."""
    scale = bandwidth_of(candidate.kernel)
    cost = candidate.params.get("C", 0.0)
    plain = isinstance(cost, int | float | np.number)
    return (float(cost) if plain else 0.0, 0.0 if math.isnan(scale) else -scale)
