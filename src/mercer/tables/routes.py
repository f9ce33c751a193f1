"""Many rows: an exact machine on part of them, machines in cells, or one at landmarks?

None of them is best everywhere, and which one is cannot be told from the number of rows. So all are
trained on one pilot of the rows, then those that may win on all rows, and rows that none of them
has seen decide.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer._config import config
from mercer._types import Predictor, Samples
from mercer.learners.large.cell_classifier import CellClassifier
from mercer.learners.large.cell_regressor import CellRegressor
from mercer.learners.large.nystroem_classifier import NystroemClassifier
from mercer.learners.large.nystroem_ridge import NystroemRidge
from mercer.tables.held_out import HeldOutProbabilities

ROUTES = ("exact", "cells", "low-rank")
OF_OBJECTS = ("exact", "low-rank")  # texts have no coordinates that cells could be cut by
PILOT = 20_000  # rows on which all routes are tried; an exact machine gets no more
PILOT_OF_OBJECTS = 5000  # of texts, whose kernels cost more and are none of the compiled core's
HELD = 10_000  # most rows that decide
CELL = 4000
CUTS = 2  # two err less than cells of four times the size, in less time
CACHE = 40.0  # MB of kernel values: 20,000 rows take as long with 40 as with 200
HOPELESS = 1.3  # times the least error on the pilot, at which a route is not trained on all rows
PRICES = (0.1, 1.0, 10.0)  # times the price that the search found for the exact machine
TRIAL = 6000  # rows on which the price at landmarks is chosen


@dataclass(frozen=True)
class Tried:
    """One route, how many rows it was trained on, its error on rows kept from it, and seconds."""

    route: str
    rows: int
    error: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)


@dataclass
class Chosen:
    """The model that won, every try, and what the held-out rows say about the winner.

    ``machine`` and ``kernel`` are the exact machine that all routes are made of, not trained.
    """

    model: Any
    machine: Any
    kernel: Any
    route: str
    tried: list[Tried]
    words: str
    residuals: NDArray[np.float64] | None = None


def routes_meant(route: str, prepare: str) -> tuple[str, ...]:
    """The routes that are allowed, for rows of this kind."""
    if route not in ("measured", *ROUTES):
        raise ValueError(f"route must be one of {('measured', *ROUTES)}, got {route!r}")
    allowed = OF_OBJECTS if prepare == "objects" else ROUTES
    if route not in ("measured", *allowed):
        raise ValueError("texts have no cells: route='exact', 'low-rank' or 'measured'.")
    return allowed if route == "measured" else (route,)


def fit_by_routes(
    machine: Any,
    kernel: Any,
    Z: Any,
    y: NDArray[Any],
    task: str,
    *,
    routes: tuple[str, ...] = ROUTES,
    rank: int = 500,
    cell_size: int = CELL,
    seed: int = 0,
    time_left: Callable[[], float | None] = lambda: None,
) -> Chosen:
    """Train by every route that is allowed and keep the best.

    Parameters
    ----------
    machine : estimator
        The exact machine with the parameters that the search found, not trained.
    kernel : Kernel
        Its kernel.
    Z, y
        Prepared rows; numbers at mean 0 and spread 1, or labels.
    routes : tuple of str
        One of them: it is trained, and nothing is compared.
    rank, cell_size : int
        Landmarks, and most rows of a cell.
    time_left : function
        Seconds that are left, or None; a route that would take longer is not trained on all rows,
        and when none are left the routes that were tried are enough.
    """
    Z = Z.astype(np.float32) if getattr(Z, "dtype", None) == np.float64 else Z
    order = np.random.default_rng(seed).permutation(len(y))
    held, rest = np.split(order, [min(HELD, max(1, len(y) // 10))])
    many = PILOT if getattr(Z, "ndim", 1) == 2 else PILOT_OF_OBJECTS
    held, rest, pilot = np.sort(held), np.sort(rest), np.sort(rest[:many])
    make = _makers(machine, kernel, task, rank, cell_size, seed)
    tried: list[Tried] = []
    models: dict[str, Any] = {}

    def train(route: str, rows: NDArray[np.intp]) -> float:
        start = time.process_time()
        with config(remember_rows=False):  # who trains the whole table remembers its rows
            models[route] = make[route](Z[rows], y[rows])
        error = _error(models[route], Z[held], y[held], task)
        tried.append(Tried(route, len(rows), error, time.process_time() - start))
        return error

    if len(routes) == 1:
        train(routes[0], pilot if routes[0] == "exact" else rest)
    else:
        first: dict[str, float] = {}
        for route in routes:
            left = time_left()
            if not first or left is None or left > 0:  # one of them at least
                first[route] = train(route, pilot)
        least = min(first.values())
        for route in tuple(first):
            cost = next(t.seconds for t in tried if t.route == route) * len(rest) / len(pilot)
            left = time_left()
            worth = first[route] <= HOPELESS * least + 1e-3
            if (
                route != "exact"
                and worth
                and len(rest) > len(pilot)
                and (left is None or cost < left)
            ):
                first[route] = train(route, rest)
    last = {one.route: one for one in tried}  # the one of most rows
    best = min(last.values(), key=lambda one: one.error)
    model = models[best.route]
    residuals = None
    if task == "regression":
        residuals = np.abs(y[held] - model.predict(Z[held]))
    elif not hasattr(model, "predict_proba"):
        model = HeldOutProbabilities(model).fit(Z[held], y[held])
    return Chosen(
        model, machine, kernel, best.route, tried, _words(tried, best, len(held), task), residuals
    )


def _makers(
    machine: Any, kernel: Any, task: str, rank: int, cell_size: int, seed: int
) -> dict[str, Callable[[Any, Any], Any]]:
    exact = clone(machine)
    own = exact.get_params(deep=False)
    if "probability" in own:
        exact.set_params(probability=False)  # found on the rows that decide instead
    if "cache_size" in own:
        exact.set_params(cache_size=CACHE)
    price = float(own.get("C", 1.0))
    classify = task == "classification"
    cells = CellClassifier if classify else CellRegressor

    def at_landmarks(Z: Any, y: Any) -> Any:
        few = np.arange(min(TRIAL, len(y)))
        cut = len(few) * 3 // 4
        scores = {}
        for factor in PRICES:
            model = _low_rank(kernel, task, min(rank, 300), seed, factor * price)
            model.fit(Z[few[:cut]], y[few[:cut]])
            scores[factor] = _error(model, Z[few[cut:]], y[few[cut:]], task)
        best = min(scores, key=lambda factor: (scores[factor], factor))
        return _low_rank(kernel, task, rank, seed, best * price).fit(Z, y)

    return {
        "exact": lambda Z, y: clone(exact).fit(Z, y),
        "cells": lambda Z, y: cells(exact, cell_size=cell_size, n_cuts=CUTS, random_state=seed).fit(
            Z, y
        ),
        "low-rank": at_landmarks,
    }


def _low_rank(kernel: Any, task: str, rank: int, seed: int, price: float) -> Any:
    options = {"kernel": kernel, "n_landmarks": rank, "random_state": seed}
    if task == "classification":
        return NystroemClassifier(price, tol=1e-3, **options)
    return NystroemRidge(1.0 / (2.0 * price), **options)


def _error(model: Predictor, Z: Samples, y: NDArray[Any], task: str) -> float:
    """Share of wrong labels, or mean square error."""
    found = model.predict(Z)
    return float(np.mean(found != y) if task == "classification" else np.mean((found - y) ** 2))


def _words(tried: list[Tried], best: Tried, held: int, task: str) -> str:
    """The routes side by side, for people."""
    kind = "errors" if task == "classification" else "squared error"
    shown = [
        f"{one.route} {one.error:.1%} ({one.rows:,} rows)"
        if task == "classification"
        else f"{one.route} {one.error:.3f} ({one.rows:,} rows)"
        for one in tried
    ]
    return f"{kind} on {held:,} rows kept apart: {', '.join(shown)}; {best.route} was taken"
