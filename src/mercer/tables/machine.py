"""From a raw table to a model: prepare, search, train. One estimator, so that all is certified."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from mercer._card import CardBelow
from mercer._types import Samples
from mercer.tables.answers import if_the_winner_has
from mercer.tables.contest import Entry, run_contest
from mercer.tables.contest.aims import OVERALL, Aim
from mercer.tables.contest.entrant import Case, every_row
from mercer.tables.in_a_hurry import fit_in_a_hurry, trained_in_time, with_few_settings
from mercer.tables.learners import (
    TRIAL_GRID,
    candidates,
    kernels_for_strings,
    learner,
    trial_kernels,
)
from mercer.tables.rare import folds_for, learnable
from mercer.tables.relatives import folds_of_families
from mercer.tables.routes import CELL, Chosen, fit_by_routes, routes_meant

PREPARE = ("table", "sparse", "objects", "kernel", "distance")
FEW_ROWS = 300
SEARCH_SHARE = 0.4  # of the time left for one search among several learners
LEAST = 0.5  # seconds for a search or a training when the time is up


class TableMachine(CardBelow, BaseEstimator):
    """Prepare the columns, choose kernel and parameters, train; nothing else sees the rows.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
        What the target is.
    prepare : {"table", "sparse", "objects", "kernel", "distance"}, default="table"
        What X is: a table of raw values, a sparse matrix, objects such as strings, a kernel matrix,
        or a matrix of distances to the training rows, which are then the coordinates.
    names, stored, treat
        Of the columns, see :class:`TablePreparation`.
    kernel : str, default="auto"
        ``"auto"``, or names with parameters joined by ``+``.
    combine : {"auto", "product", "sum", "anova"}, default="auto"
        How the kernels of the columns are combined; "auto" tries all.
    learner : str, default="auto"
        ``"auto"``: kernel machines, linear machines, boosted trees and forests compete, and
        LightGBM where it is installed, unless ``kernel`` or ``combine`` asks for something.
        ``"kernel"``: kernel machines only. ``"linear"``, ``"boosting"``, ``"lightgbm"``,
        ``"forest"`` or all ``"trees"`` alone; ``"svm"``, ``"nu-svm"`` or a learner of Mercer's.
    route : {"exact", "measured", "cells", "low-rank"}, default="exact"
        How to train on all rows: the kernel machine itself, machines in cells, one at landmarks, or
        whichever of them errs least on rows kept apart (see :mod:`mercer.tables.routes`).
    rank : int, default=500
        Landmarks of the low-rank route.
    cell_size : int, default=4000
        Most rows of a cell.
    search_rows : int, default=2000
        Kernel and parameters are chosen on at most so many of the training rows.
    probability : bool, default=True
        Calibrate class probabilities.
    coverage : float, default=0.9
        Regression: the share of targets that the interval around a prediction should hold, found
        on training rows that were left out in turn, or on a fifth of them.
    time_limit : float or None, default=None
        Seconds for the search.
    aim : str, default="overall"
        Classification: what learners are chosen by: error rate, ``"balanced"`` (mean over classes)
        or ``"f1"``, ``"f1:LABEL"``. The last two also try learners with classes of equal weight.
    effort : {"full", "trial"}, default="full"
        "trial" tries few settings, for fits that only tell how many rows it takes.
    random_state : int, default=0
        Draws subsets and folds.
    progress : callable or None, default=None
        Called with the state of the search; a true answer ends it with the best so far.

    Attributes
    ----------
    best_estimator_ : Pipeline
        ``prepare`` and ``learn``, fitted.
    contest_ : Contest
        All learners that were tried, with their losses on the same folds; ``best`` won.
    search_ : KernelSearch or None
        The finished search over kernels: of the winner, or else of the first kernel machine.
    tolerance_ : float
        Regression only: half-width of the interval.
    hurried_ : tuple of int or None
        Rows that were trained on and rows that there were, if a signal asked for the best so far.
    chosen_ : Chosen
        The routes that were tried and the one that was taken, if several were.
    """

    def __init__(
        self,
        task: str = "classification",
        *,
        prepare: str = "table",
        names: Sequence[str] | None = None,
        stored: Sequence[str] | None = None,
        treat: Mapping[str, str] | None = None,
        kernel: str = "auto",
        combine: str = "auto",
        learner: str = "auto",
        route: str = "exact",
        rank: int = 500,
        cell_size: int = CELL,
        search_rows: int = 2000,
        probability: bool = True,
        coverage: float = 0.9,
        time_limit: float | None = None,
        aim: str = "overall",
        effort: str = "full",
        random_state: int = 0,
        progress: Any = None,
    ) -> None:
        self.task = task
        self.prepare = prepare
        self.names = names
        self.stored = stored
        self.treat = treat
        self.kernel = kernel
        self.combine = combine
        self.learner = learner
        self.route = route
        self.rank = rank
        self.cell_size = cell_size
        self.search_rows = search_rows
        self.probability = probability
        self.coverage = coverage
        self.time_limit = time_limit
        self.aim = aim
        self.effort = effort
        self.random_state = random_state
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        classify = self.task == "classification"
        tags.estimator_type = "classifier" if classify else "regressor"
        tags.classifier_tags = ClassifierTags() if classify else None
        tags.regressor_tags = None if classify else RegressorTags()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.prepare in ("kernel", "distance")
        tags.input_tags.sparse = self.prepare == "sparse"
        tags.input_tags.allow_nan = self.prepare == "table"
        tags.input_tags.string = tags.input_tags.categorical = self.prepare == "table"
        return tags

    finds_tolerance = True  # mercer.certification may count targets outside tolerance_

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Prepare, let the learners compete, train the best on all rows."""
        if self.prepare not in PREPARE:
            raise ValueError(f"prepare must be one of {PREPARE}, got {self.prepare!r}")
        self._begun = time.monotonic()
        y = np.asarray(y)
        if self.task == "classification" and self.prepare not in ("kernel", "distance"):
            keep = learnable(y)
            X, y = (X, y) if keep.all() else (_safe_indexing(X, np.flatnonzero(keep)), y[keep])
        learner(self.learner, self.task)  # an unknown name is refused before any work
        case = Case(self, X, y)
        self.__dict__.pop("contest_", None)
        self.hurried_ = None
        if hasattr(self.progress, "known"):
            self.progress.known = None  # what other fits have found is about other rows
        try:
            with getattr(self.progress, "may_be_cut", nullcontext)():
                self.contest_ = run_contest(case)
                self._finish(self.contest_.best, case, self.route == "exact")
        except KeyboardInterrupt:
            if not getattr(self.progress, "promised", lambda: False)():
                raise
            fit_in_a_hurry(self, case)
        return self

    def _finish(self, best: Entry, case: Case, exact: bool, calibrate: bool = True) -> None:
        """Train the winner on the rows of the case, and keep what answers."""
        searches = [entry.search for entry in self.contest_.entries if entry.search is not None]
        self.search_ = best.search or next(iter(searches), None)
        prepared, Z = best.entrant.prepared(case)
        Z, y = every_row(Z), case.y
        start = time.perf_counter()
        if exact or self.prepare not in ("table", "sparse", "objects") or best.search is None:
            machine = self._final(best, Z, y, calibrate=calibrate)
            if self.task == "regression":
                self.tolerance_ = self._tolerance(best, Z, y)
        else:
            self.chosen_ = self._by_routes(best, Z, y)
            machine = self.chosen_.model
        self.final_seconds_ = time.perf_counter() - start
        self.best_estimator_ = Pipeline([("prepare", prepared), ("learn", machine)])
        self.n_features_in_ = getattr(prepared, "n_features_in_", 1)
        if getattr(prepared, "named_", False):
            self.feature_names_in_ = np.array(prepared.names_, dtype=object)
        if self.task == "classification":
            self.classes_ = machine.classes_

    def for_trials(self) -> TableMachine:
        """A quicker machine of the same kind, for fits that only tell how many rows it takes."""
        return clone(self).set_params(effort="trial", probability=False)

    def contestants(self) -> str:
        """Who enters: all, unless a learner or a kernel was asked for."""
        wished = self.kernel != "auto" or self.combine != "auto"
        return "kernel" if self.learner == "auto" and wished else self.learner

    def search_kernels(self, Z: Samples, y: NDArray[Any], blocks: Any, kernels: Any = None) -> Any:
        """A finished search over kernels and costs for rows that are prepared."""
        from mercer.selection import KernelSearch

        base = learner(self.learner, self.task)
        grid = None
        if self.prepare == "kernel":
            base.set_params(kernel="precomputed")
        elif self.prepare == "objects":
            kernels = kernels_for_strings(self.kernel, Z)
        elif kernels is None:
            few = self.task == "classification" and len(y) <= FEW_ROWS
            quick = few or self.prepare == "sparse"
            # other routes mean many rows, for which one kernel per column takes too long
            parts = blocks if self.route == "exact" or self.combine != "auto" else None
            kernels = candidates(self.kernel, self.combine, parts, quick)
            if self.effort == "trial" and self.kernel == self.combine == "auto":
                kernels, grid = trial_kernels(Z), TRIAL_GRID
        aim = Aim.read(self.aim if self.task == "classification" else OVERALL)
        if aim.weighted and "class_weight" in base.get_params():
            base.set_params(class_weight="balanced")
        search = KernelSearch(
            base,
            grid if grid is not None and "C" in base.get_params() else None,
            kernels=kernels,
            scoring=aim.scoring(np.unique(y)),
            time_limit=self._seconds(),
            random_state=self.random_state,
            progress=self.progress or False,  # no bar of its own beside that of the run
            refit=False,
        )
        try:
            return self._searched(search, Z, y, self.search_rows)
        except TimeoutError:  # nothing was finished: a few rows are better than no model
            if self.contest_.found:
                raise  # but not better than the one there is
            return self._searched(with_few_settings(self, search, Z, y), Z, y, FEW_ROWS)

    def _searched(self, search: Any, Z: Any, y: NDArray[Any], most: int) -> Any:
        rows = self.part_of_rows(y, most)
        part = Z[rows] if self.prepare != "kernel" else Z[np.ix_(rows, rows)]
        search.set_params(cv=folds_for(y[rows], self.task))
        families = folds_of_families(part, y[rows]) if self.prepare == "objects" else None
        return search.fit(part, self.scaled(y)[rows], groups=families)

    def time_left(self) -> float | None:
        """Seconds until this fit, or the whole run, should choose; None if there is no limit."""
        left = getattr(self.progress, "time_left", lambda: None)()
        if self.time_limit is None:
            return left
        own = self.time_limit - (time.monotonic() - self._begun)
        return own if left is None else min(own, left)

    def _seconds(self) -> float | None:
        """For one search: others want to try, too, and the best is trained on all rows."""
        left = self.time_left()
        alone = self.contestants() != "auto"
        return None if left is None else max(LEAST, left * (0.8 if alone else SEARCH_SHARE))

    def part_of_rows(self, y: NDArray[Any], most: int) -> NDArray[np.intp]:
        """Rows to search on: all, or a random part that has every class at least twice."""
        if len(y) <= most:
            return np.arange(len(y))
        order = np.random.default_rng(self.random_state).permutation(len(y))
        chosen = order[:most]
        if self.task == "classification":
            _, code = np.unique(y, return_inverse=True)
            rest = order[most:]
            few = [rest[code[rest] == c][:5] for c in range(int(code.max()) + 1)]
            rare = [f for c, f in enumerate(few) if np.sum(code[chosen] == c) < 5]
            chosen = np.concatenate([chosen, *rare]).astype(np.intp)
        return np.sort(chosen)

    def scaled(self, y: NDArray[Any]) -> NDArray[Any]:
        """Numbers at mean 0 and spread 1, so that the tube and the price of errors make sense."""
        if self.task == "classification":
            return y
        y = y.astype(np.float64)
        self.target_mean_, self.target_spread_ = float(y.mean()), float(y.std()) or 1.0
        return (y - self.target_mean_) / self.target_spread_

    def trained(self, entry: Entry, Z: Samples, y: NDArray[Any]) -> Any:
        """An entry of the contest, trained on prepared rows and scaled targets."""
        return clone(entry.estimator).fit(Z, y)

    def _by_routes(self, entry: Entry, Z: Samples, y: NDArray[Any]) -> Chosen:
        """The best of several ways to learn from many rows."""
        found = fit_by_routes(
            clone(entry.estimator),
            entry.search.best_kernel_,
            Z,
            self.scaled(y),
            self.task,
            routes=routes_meant(self.route, self.prepare),
            rank=self.rank,
            cell_size=self.cell_size,
            seed=self.random_state,
            time_left=getattr(self.progress, "time_left", lambda: None),
        )
        if found.residuals is not None:
            self.tolerance_ = self._width(found.residuals * self.target_spread_)
        return found

    def _final(self, entry: Entry, Z: Samples, y: NDArray[Any], *, calibrate: bool = True) -> Any:
        y = self.scaled(y)
        if entry.search is None:
            return self.trained(entry, Z, y)
        machine = clone(entry.estimator)
        wanted = self.probability and calibrate and self.task == "classification"
        if wanted and "probability" in machine.get_params() and folds_for(y, self.task) >= 3:
            machine.set_params(probability=True, random_state=self.random_state)
        left = getattr(self.progress, "time_left", lambda: None)()
        if left is None or "time_limit" not in machine.get_params():
            return machine.fit(Z, y)
        few = None if self.prepare == "kernel" else self.part_of_rows(y, FEW_ROWS)
        return trained_in_time(machine, Z, y, max(LEAST, left), few)

    def _tolerance(self, entry: Entry, Z: Any, y: NDArray[Any]) -> float:
        """Half-width that held the wanted share of targets on rows kept from a trial fit."""
        kept = entry.losses[~np.isnan(entry.losses)]  # rows that were kept from a fit
        if len(kept) == len(y) or (len(kept) >= FEW_ROWS and (self.time_left() or 1.0) <= 0):
            return self._width(np.sqrt(kept) * self.target_spread_)
        order = np.random.default_rng(self.random_state + 1).permutation(len(y))
        cut = max(1, len(y) - max(1, len(y) // 5))
        train, test = order[:cut], order[cut:]
        keep, square = (self.target_mean_, self.target_spread_), self.prepare == "kernel"
        trial = self._final(entry, Z[np.ix_(train, train)] if square else Z[train], y[train])
        predicted = trial.predict(Z[np.ix_(test, train)] if square else Z[test])
        residual = np.abs(y[test] - (predicted * self.target_spread_ + self.target_mean_))
        self.target_mean_, self.target_spread_ = keep
        return self._width(residual)

    def _width(self, residual: NDArray[np.float64]) -> float:
        place = min(len(residual) - 1, int(np.ceil(self.coverage * (len(residual) + 1))) - 1)
        return float(np.sort(residual)[place])

    # -- predict -----------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels or numbers."""
        check_is_fitted(self)
        found = np.asarray(self.best_estimator_.predict(X))
        if self.task == "classification":
            return found
        return found * self.target_spread_ + self.target_mean_

    @if_the_winner_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Outputs of the machine."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, if the machine has them."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_proba(X))

    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """Regression: lower and upper end around the prediction."""
        middle = self.predict(X)
        return np.column_stack([middle - self.tolerance_, middle + self.tolerance_])

    def score(self, X: Any, y: Any) -> float:
        """Accuracy, or R²."""
        from sklearn.metrics import accuracy_score, r2_score

        judge = accuracy_score if self.task == "classification" else r2_score
        return float(judge(y, self.predict(X)))

    def _card(self) -> str:  # a file does not say who competed: the report of the run does
        return self.contest_._repr_html_() if "contest_" in vars(self) else ""

    def _model_state(self) -> dict[str, Any]:
        """What ``mercer.save`` keeps: not the search itself, which holds no part of the model."""
        told = ("search_", "contest_", "chosen_")
        return {k: v for k, v in vars(self).items() if k not in told} | {"progress": None}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")
