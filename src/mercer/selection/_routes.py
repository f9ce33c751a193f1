"""Which estimator is searched how."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from mercer.kernels import Kernel, available
from mercer.selection import criteria
from mercer.selection._generic_route import GenericRoute
from mercer.selection._losses import needs_probabilities
from mercer.selection._margin_route import PATHS, MarginRoute, own_name
from mercer.selection._process_route import ProcessRoute
from mercer.selection._ridge_route import RidgeRoute, check_partition
from mercer.selection._task import SearchTask, preprocessed
from mercer.selection.space import by_name

RIDGE, PROCESS, RELEVANCE = "ridge", "gp", "rvm"
ALPHA = "alpha"


def kind_of(estimator: object) -> str:
    """What criteria call the learner; empty for anything that is trained fold by fold."""
    known = own_name(estimator)
    return known if known in (*PATHS, RIDGE, PROCESS, RELEVANCE) else ""


def default_criterion(estimator: object, y: ArrayLike, scoring: Any) -> str:
    """Leave-one-out where it is free, the evidence where it is maximised anyway, else folds.

    Errors of two classes are counted with a soft boundary, see benchmarks/model_selection.
    """
    kind = kind_of(estimator)
    if kind in ("c-svc", "nu-svc") and scoring is None and len(np.unique(y)) == 2:
        return "cv-smooth"
    return {RIDGE: "loo", PROCESS: "marginal-likelihood"}.get(kind, "cv")


def path_name(kind: str) -> str | None:
    """The parameter that is followed as a path."""
    return ALPHA if kind == RIDGE else PATHS.get(kind)


def make_route(task: SearchTask, search: Any) -> tuple[Any, Any, str | None]:
    """The route, the kernels it is asked to try, and the parameter followed as a path."""
    kind = kind_of(task.final)
    fast = bool(kind) and not needs_probabilities(task.scoring)
    if kind in (PROCESS, RELEVANCE) and task.criterion.code != "marginal-likelihood":
        fast = False
    inner = task
    if fast and task.estimator is not task.final:
        X = preprocessed(task.estimator, task.X)
        fast = X is not None
        inner = replace(task, X=X, estimator=task.final)
    if fast:
        path = path_name(kind) if task.criterion.sees_cost else None
        if kind in (PROCESS, RELEVANCE):
            gp = kind == PROCESS
            kernels = process_kernels(search, inner) if gp else _kernels(search, task.final)
            return ProcessRoute(inner), kernels, None
        if kind == RIDGE:
            check_partition(inner.folds, len(inner.y))
        route = RidgeRoute if kind == RIDGE else MarginRoute
        inner = _for_objects(inner, search.kernels)
        return route(inner), _kernels(search, task.final), path
    if search.criterion == "auto" and task.criterion.code == "cv-smooth":
        task.criterion = criteria.get("cv")  # what is trained fold by fold shows its labels only
    if task.criterion.uses != "folds" or task.criterion.code == "cv-smooth":
        raise criteria.NotForThis(
            f"criterion={task.criterion.code!r} needs one of Mercer's kernel machines, and earlier "
            "steps that do not look at the labels; use criterion='cv'."
        )
    if search.param_grid is not None:
        auto = isinstance(search.kernels, str) and search.kernels == "auto"
        return GenericRoute(task), None if auto else search.kernels, None
    return _without_a_grid(task, search, kind)


def _without_a_grid(task: SearchTask, search: Any, kind: str) -> tuple[Any, Any, str | None]:
    """Fold by fold, but bandwidths and costs are laid out as on the fast routes."""
    known = task.final.get_params()
    ours = type(task.final).__module__.startswith("mercer.") and "kernel" in known
    kernels = _kernels(search, task.final) if ours else search.kernels
    path = next((name for name in ("C", "nu", ALPHA) if ours and name in known), None)
    rows = task.X
    if task.estimator is not task.final:
        rows = preprocessed(task.estimator, task.X, task.y)  # for the scale of the bandwidths only
    rows = task.X if rows is None else rows
    if not hasattr(rows, "dtype"):
        with suppress(ValueError):  # of different lengths: such kernels have no typical distance
            rows = np.asarray(rows)
    if kind == PROCESS:
        kernels, path = process_kernels(search, replace(task, X=rows)), None
    if path is None and (kernels is None or (not ours and search.kernels == "auto")):
        name = next((n for n in ("C", ALPHA) if n in known), "name of a parameter")
        raise ValueError(
            f"{type(task.final).__name__} is searched by training it fold by fold: say what to "
            f"try, e.g. param_grid={{{name!r}: [0.1, 1, 10]}}"
        )
    return GenericRoute(task, rows), kernels, path


def _for_objects(task: SearchTask, kernels: Any) -> SearchTask:
    """With kernels for strings or other objects the data must not be read as a table of numbers."""
    listed = kernels if isinstance(kernels, list | tuple) else [kernels]
    named = [by_name(k)[1] if isinstance(k, str) and k in available() else k for k in listed]
    named.append(getattr(task.final, "kernel", None))
    objects = next((k for k in named if isinstance(k, Kernel) and "objects" in k.accepts), None)
    if objects is not None:
        return replace(task, estimator=clone(task.final).set_params(kernel=objects))
    flat = isinstance(task.X, list | tuple) or getattr(task.X, "ndim", 2) == 1
    if flat and isinstance(next(iter(task.X), None), str):
        raise ValueError(
            "X holds strings: name kernels for them, such as kernels=['spectrum'], or put a step "
            "that makes columns of them before the estimator (TfidfVectorizer)"
        )
    return task


def _kernels(search: Any, estimator: object) -> Any:
    """With "auto", a kernel that the user configured, or that the data are, stays."""
    auto = isinstance(search.kernels, str) and search.kernels == "auto"
    own = getattr(estimator, "kernel", "rbf")
    fixed = not isinstance(own, str) or own == "precomputed"
    return None if auto and fixed else search.kernels


def process_kernels(search: Any, task: SearchTask) -> Any:
    """A signal variance times each family, at the typical scale; ARD where columns are few."""
    from mercer.kernels.bandwidth import median_distance
    from mercer.selection.space import bandwidth_name, read_kernels

    asked = search.kernels
    if isinstance(asked, str) and asked == "auto":
        asked = ["gaussian", "matern", "rational_quadratic"]
    if asked is None:
        return None
    found: list[Kernel] = []
    for _, kernel, searched in read_kernels(asked, task.X):
        if searched and bandwidth_name(kernel) == "length_scale":
            scale: Any = median_distance(np.asarray(task.X, dtype=np.float64))
            kernel = kernel.set_params(length_scale=scale)
            found.append(1.0 * kernel)
        else:
            found.append(kernel)
    return found
