"""How much likelier a row is in another population, learned from rows of both.

A logistic machine on standardised columns and their squares tells the two apart; its odds are the
ratio of the densities, exactly so for normal columns that are independent within each. Every row
is weighed by a machine of the other folds. The weights are an estimate: nothing bounds their error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer._types import Samples
from mercer.certification.core import arguments
from mercer.certification.core.task import Refused

Floats = NDArray[np.float64]
FOLDS = 5
LARGEST = 5.0  # of 3 to 20, on two laws of mean shift with 300 rows, the tightest limits
FEWEST = 20  # rows of either kind


@dataclass(frozen=True, eq=False)
class EstimatedWeights:
    """``values``: of the fresh rows, at most ``largest``; ``cut``: what that takes from each row
    of the other population, as a share of it.
    """

    values: Floats
    cut: Floats
    largest: float


def estimate_weights(X: Samples, population: Any, largest: float = LARGEST) -> EstimatedWeights:
    """Weights of fresh rows for a population of which there are rows without labels.

    Parameters
    ----------
    X : array-like of numbers
        The fresh rows.
    population : array-like of numbers
        Rows of the other population, with the same columns.
    largest : float, default=5
        Larger weights are cut. What is lost by that is measured on ``population`` and added to
        the limit as if all of these rows were wrong.

    Returns
    -------
    EstimatedWeights
        For ``certify_shifted(..., weights=...)``.
    """
    here, there = _table(X, "X"), _table(population, "population")
    if here.shape[1] != there.shape[1]:
        raise Refused(
            f"population= has {there.shape[1]} columns and the fresh rows {here.shape[1]}: the "
            "same columns are needed."
        )
    if min(len(here), len(there)) < FEWEST:
        raise Refused(
            f"weights are learned from at least {FEWEST} rows of either kind; there are "
            f"{len(here)} fresh ones and {len(there)} of the other population."
        )
    if not (arguments.is_number(largest) and 1 < largest < np.inf):
        raise ValueError(f"largest must be a number above 1, got {largest!r}")
    rows = np.vstack([here, there])
    rows = np.hstack([rows, np.square(rows - here.mean(axis=0))])
    new = np.arange(len(rows)) >= len(here)
    odds = _odds_of_others(rows, new) * len(here) / len(there)
    odds /= odds[~new].mean()  # a ratio of densities has mean 1 here
    return EstimatedWeights(
        np.minimum(odds[~new], largest),
        np.maximum(1.0 - largest / np.maximum(odds[new], 1e-300), 0.0),
        float(largest),
    )


def _odds_of_others(rows: Floats, new: NDArray[np.bool_]) -> Floats:
    """Odds of belonging to the other population, by machines that did not see the row."""
    found = np.empty(len(rows))
    fold = np.random.default_rng(0).permutation(len(rows)) % FOLDS
    for k in range(FOLDS):
        out = fold == k
        machine = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        machine.fit(rows[~out], new[~out])
        found[out] = np.exp(np.clip(machine.decision_function(rows[out]), -50.0, 50.0))
    return found


def _table(X: Samples, name: str) -> Floats:
    try:
        table = np.asarray(X, dtype=np.float64)
        fine = table.ndim == 2 and bool(np.isfinite(table).all())
    except (TypeError, ValueError):
        fine = False
    if not fine:
        raise Refused(
            f"{name}: weights are learned from tables of numbers without gaps; prepare both, or "
            "give weights= of your own."
        )
    return table
