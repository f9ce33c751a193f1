"""Several learners in one search: each is searched by itself, the best of all is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from mercer._types import Estimator
from mercer.selection._folds import shuffle_of
from mercer.selection._outcome import EveryCandidateFailed
from mercer.selection._routes import default_criterion
from mercer.selection._run import Run
from mercer.selection._task import check_estimator_kind, last_step


def first_of(estimator: object) -> Any:
    """The estimator, or the first of several."""
    return estimator[0] if isinstance(estimator, list | tuple) and estimator else estimator


def run_all(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any, started: float) -> Run:
    """One run per learner on the same folds; the best knows the others as its rivals."""
    learners = list(search.estimator)
    _check(learners)
    names = _names(learners)
    options = _shared_options(search, learners, y)
    runs: list[Run] = []
    failures: dict[str, str] = {}
    stopped = "finished"
    for name, learner in zip(names, learners, strict=True):
        own = _own_options(search, learner, name)
        one = type(search)(**{**search.get_params(deep=False), **options, **own})
        try:
            runs.append(Run(one, one._task(X, y, sample_weight, groups), started, name))
            runs[-1].search()
        except EveryCandidateFailed as problem:
            failures |= {f"{name}, {key}": why for key, why in problem.failures.items()}
        except TimeoutError:
            stopped = "time limit"
        except KeyboardInterrupt:
            stopped = "interrupted"
            if not any(r.usable for r in runs):
                raise
        if stopped == "finished":
            stopped = runs[-1].stopped
        if stopped != "finished":
            break
    return _best(runs, failures, stopped)


def _best(runs: list[Run], failures: dict[str, str], stopped: str) -> Run:
    usable = [run for run in runs if run.usable]
    if not usable and failures:
        raise EveryCandidateFailed(failures)
    if not usable:
        raise TimeoutError(
            "the time limit ended the search before any candidate was finished; raise "
            "time_limit or give fewer learners"
        )
    best = min(usable, key=lambda run: round(run.bar(), 12))  # of equals the first in the list
    best.rivals = runs
    best.stopped, best.interrupted = stopped, stopped == "interrupted"
    return best


def _check(learners: list[Any]) -> None:
    if not learners:
        raise ValueError("estimator is an empty list: there is nothing to search")
    for learner in learners:
        check_estimator_kind(learner)
    if len({is_classifier(learner) for learner in learners}) > 1:
        raise ValueError("estimator lists classifiers and regressors: they cannot be compared")


def _names(learners: list[Any]) -> list[str]:
    """Class names, numbered where one occurs twice."""
    kinds = [type(last_step(learner)).__name__ for learner in learners]
    return [
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[:place].count(kind) + 1}"
        for place, kind in enumerate(kinds)
    ]


def _shared_options(search: Any, learners: list[Any], y: ArrayLike) -> dict[str, Any]:
    """One criterion and one seed: values of different criteria or folds cannot be compared."""
    criterion, seed = search.criterion, shuffle_of(search)
    if isinstance(criterion, str) and criterion == "auto":
        wanted = {default_criterion(last_step(e), y, search.scoring) for e in learners}
        plain = not any(isinstance(e, Pipeline) for e in learners)
        criterion = wanted.pop() if len(wanted) == 1 and plain else "cv"
    if not isinstance(seed, int):
        seed = int(check_random_state(seed).randint(2**31 - 1))
    return {"criterion": criterion, "random_state": seed}


def _own_options(search: Any, learner: Any, name: str) -> dict[str, Any]:
    """What applies to one learner: its parameters, and a checkpoint of its own beside the file."""
    params, file = search.param_grid, search.checkpoint
    if isinstance(params, dict):
        everyone = [_knows(e) for e in search.estimator]
        mine = _knows(learner)
        step = f"{learner.steps[-1][0]}__" if isinstance(learner, Pipeline) else None
        params = {
            k: v
            for k, v in params.items()
            if (k in mine or not any(k in e for e in everyone))
            and not (step and f"{step}{k}" in params)  # C is for others if it has svc__C
        }
    if file is not None:
        path = Path(file)
        file = path.with_name(f"{path.stem}-{name.replace(' ', '-')}{path.suffix}")
    return {"estimator": learner, "param_grid": params or None, "checkpoint": file}


def _knows(learner: Estimator) -> set[str]:
    names = {*learner.get_params(), *last_step(learner).get_params()}
    return names | ({"length_scale", "gamma"} if "kernel" in names else set())
