"""Where a regression is unsure: what makes intervals wide in one place and narrow in another.

The shape of an interval may be anything that was made from training rows alone; how far it is
stretched is read off rows that nobody trained on, so a bad shape costs width, never coverage.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from mercer._types import Predictor, Samples
from mercer.certification.core.rows import Index, Rows
from mercer.certification.core.task import Refused
from mercer.learners.describe import answering

Floats = NDArray[np.float64]
FOLDS = 5
MOST = 1000  # training rows that a local spread keeps
_SCALES = (0.25, 0.5, 1.0, 2.0)  # of the distance to the tenth neighbour
_FLOOR = 0.1  # of the mean spread: an interval must not collapse where residuals happened to be 0


@dataclass(frozen=True, eq=False)
class Constant:
    """The same width everywhere."""

    def shape(self, model: Any, X: Any) -> tuple[Floats, Floats, Floats]:
        """Lower and upper end before stretching, and the unit of stretching."""
        middle = _numbers(model.predict(X))
        return middle, middle, np.ones_like(middle)


@dataclass(frozen=True, eq=False)
class OwnDeviation:
    """The model's own standard deviation, as Gaussian processes have one."""

    def shape(self, model: Any, X: Any) -> tuple[Floats, Floats, Floats]:
        """Prediction and deviation."""
        middle, deviation = model.predict(X, return_std=True)
        deviation = np.maximum(_numbers(deviation), np.finfo(float).tiny)
        return _numbers(middle), _numbers(middle), deviation


@dataclass(frozen=True, eq=False)
class LocalSpread:
    """Mean absolute residual near a point: Gaussian weights over training rows left out in turn."""

    points: Floats
    residuals: Floats
    centre: Floats
    scale: Floats
    width: float

    def shape(self, model: Any, X: Any) -> tuple[Floats, Floats, Floats]:
        """Prediction and local spread."""
        middle = _numbers(model.predict(X))
        return middle, middle, self.at(X)

    def at(self, X: Samples) -> Floats:
        """The spread at some rows."""
        return _smooth((_table(X) - self.centre) / self.scale, self.points, self.residuals,
                       self.width)  # fmt: skip


@dataclass(frozen=True, eq=False)
class QuantilePair:
    """Two fitted machines for a low and a high quantile (conformalised quantile regression)."""

    low: Any
    high: Any

    def shape(self, model: Any, X: Any) -> tuple[Floats, Floats, Floats]:
        """The two predicted quantiles, in order, moved together."""
        ends = np.column_stack([_numbers(self.low.predict(X)), _numbers(self.high.predict(X))])
        return ends.min(axis=1), ends.max(axis=1), np.ones(len(ends))


def spread_meant(spread: Any, model: Any, estimator: object, rows: Rows, train: Index) -> Any:
    """What ``spread=`` means for one fitted model; trains on training rows only."""
    if isinstance(spread, tuple | list) and len(spread) == 2:
        return QuantilePair(*(rows.fit(machine, train) for machine in spread))
    if spread == "constant":
        return Constant()
    if spread == "auto":
        return OwnDeviation() if has_deviation(model) else Constant()
    if spread == "local":
        return local_spread(estimator, rows, train)
    raise ValueError(
        f"spread must be 'auto', 'constant', 'local' or a pair of quantile machines, got {spread!r}"
    )


def has_deviation(model: Predictor) -> bool:
    """Whether ``predict`` can also give a standard deviation."""
    model = answering(model)
    if isinstance(model, Pipeline):  # hands arguments on to its last step; others do not
        model = model.steps[-1][1]
    try:
        return "return_std" in inspect.signature(model.predict).parameters
    except (TypeError, ValueError, AttributeError):
        return False


def local_spread(estimator: Any, rows: Rows, train: Index) -> LocalSpread:
    """Residuals of training rows that were left out in turn, and how far they reach."""
    if rows.pairwise:
        raise Refused("spread='local' needs numbers to measure distances in, not a kernel matrix.")
    points, truth = _table(rows.take(train)), _numbers(rows.labels(train))
    residuals = np.empty(len(train))
    for part in np.array_split(np.random.default_rng(0).permutation(len(train)), FOLDS):
        rest = np.setdiff1d(np.arange(len(train)), part)
        model = rows.fit(estimator, train[rest])
        residuals[part] = np.abs(truth[part] - rows.predict(model, train[part], train[rest]))
    centre, scale = points.mean(axis=0), points.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    some = np.random.default_rng(1).permutation(len(points))[:MOST]
    points, residuals = ((points - centre) / scale)[some], residuals[some]
    return LocalSpread(points, residuals, centre, scale, _best_width(points, residuals))


def _best_width(points: Floats, residuals: Floats) -> float:
    """The reach at which residuals are predicted best by the others."""
    squares = _squares(points, points)
    np.fill_diagonal(squares, np.inf)
    near = np.sqrt(np.sort(squares, axis=1)[:, min(9, len(points) - 2)])
    typical = max(float(np.median(near)), 1e-9)
    losses = {}
    for factor in _SCALES:
        guess = _weighted(squares, residuals, factor * typical)
        losses[factor * typical] = float(np.mean((residuals - guess) ** 2))
    return min(losses, key=lambda width: losses[width])


def _smooth(new: Floats, points: Floats, residuals: Floats, width: float) -> Floats:
    return _weighted(_squares(new, points), residuals, width)


def _weighted(squares: Floats, residuals: Floats, width: float) -> Floats:
    """Gaussian weights; far from everything the mean of all, and never near 0."""
    mean = max(float(residuals.mean()), np.finfo(float).tiny)
    weights = np.exp(-squares / (2 * width**2))
    found = (weights @ residuals + 0.5 * mean) / (weights.sum(axis=1) + 0.5)
    return np.maximum(found, _FLOOR * mean)


def _squares(a: Floats, b: Floats) -> Floats:
    return np.maximum((a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T, 0.0)


def _table(X: Samples) -> Floats:
    try:
        table = np.asarray(X, dtype=np.float64)
        fine = table.ndim == 2 and bool(np.isfinite(table).all())
    except (TypeError, ValueError):
        fine = False
    if not fine:
        raise Refused("spread='local' needs a table of numbers without gaps; use spread='auto'.")
    return table


def _numbers(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64).ravel()
