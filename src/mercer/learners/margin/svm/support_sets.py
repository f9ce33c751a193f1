"""The support vectors alone: retraining on them, and looking for fewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from mercer._types import Samples
from mercer.learners._brief import Brief

Rows = NDArray[np.intp]


@dataclass(frozen=True, repr=False)
class Retrained(Brief):
    """A machine trained again on some of its rows.

    Attributes
    ----------
    model : estimator
        The new machine.
    rows : ndarray of int
        The rows it was trained on.
    largest_difference : float
        Of its outputs from the old ones, over all rows.
    disagreements : int
        Rows that the two machines call differently.
    """

    model: Any
    rows: Rows
    largest_difference: float
    disagreements: int


def retrain_on_support(model: Any, X: Any, y: ArrayLike, rows: Any = None) -> Retrained:
    """Train again on the support vectors only; the machine should not change.

    Parameters
    ----------
    model : estimator
        A fitted two-class margin machine with fixed kernel parameters (``gamma="scale"`` would be
        computed anew from fewer rows).
    X, y : array-like
        Its training rows.
    rows : array-like of int, optional
        Other rows to train on; the support vectors by default.

    Returns
    -------
    Retrained
        The new machine and how far it is from the old one.
    """
    chosen = np.sort(model.support_ if rows is None else np.asarray(rows)).astype(np.intp)
    labels = np.asarray(y)
    again = clone(model).fit(_part(model, X, chosen), labels[chosen])
    new = again.decision_function(_against(model, X, chosen))
    old = model.decision_function(X)
    wrong = int(np.count_nonzero((new >= 0) != (old >= 0)))
    return Retrained(again, chosen, float(np.max(np.abs(new - old))), wrong)


@dataclass(frozen=True, repr=False)
class MinimalSupport(Brief):
    """A small set of rows that still gives the same answers on the sample.

    Attributes
    ----------
    rows : ndarray of int
        The rows, none of which can be left out alone (unless ``max_fits`` ended the search).
    model : estimator
        The machine trained on them.
    before : int
        Number of support vectors at the beginning.
    n_fits : int
        Machines trained during the search.
    """

    rows: Rows
    model: Any
    before: int
    n_fits: int


def minimal_support(
    model: Any, X: Any, y: Any, *, errors: int = 0, max_fits: int = 1000
) -> MinimalSupport:
    """Look for fewer rows on which training gives the same classification of the sample.

    Starting from the support vectors, rows are dropped greedily, those of smallest weight first,
    in halving batches, as long as the machine trained on the rest disagrees with the original on
    at most ``errors`` rows. The result cannot be improved by dropping one more row. Fewer rows make
    a smaller compression set, but of a rule that is right on the sample, not of the same function.

    Parameters
    ----------
    model : estimator
        A fitted two-class margin machine with fixed kernel parameters.
    X, y : array-like
        Its training rows.
    errors : int, default=0
        Disagreements allowed.
    max_fits : int, default=1000
        Limit on the machines trained.

    Returns
    -------
    MinimalSupport
        Rows and machine.
    """
    rows = np.asarray(model.support_, dtype=np.intp)
    weight = np.abs(np.asarray(model._dense_coef())).max(axis=0)
    rows = rows[np.argsort(weight, kind="stable")]
    best = retrain_on_support(model, X, y, rows)
    before, fits, step, place, dropped = len(rows), 1, max(1, len(rows) // 2), 0, False
    labels = np.asarray(y)
    while fits < max_fits:
        if place >= len(rows):
            if step == 1 and not dropped:
                break  # a whole pass over single rows in vain
            step, place, dropped = max(1, step // 2), 0, False
            continue
        rest = np.delete(rows, slice(place, place + step))
        if len(rest) < 2 or len(np.unique(labels[rest])) < 2:
            place += step
            continue
        trial = retrain_on_support(model, X, y, rest)
        fits += 1
        if trial.disagreements <= errors:
            rows, best, dropped = rest, trial, True
        else:
            place += step
    return MinimalSupport(np.sort(rows), best.model, before, fits)


def _part(model: Any, X: Any, rows: Rows) -> Any:
    if get_tags(model).input_tags.pairwise:
        return np.asarray(X)[np.ix_(rows, rows)]
    return X[rows] if hasattr(X, "tocsr") else np.asarray(X)[rows]


def _against(model: object, X: Samples, rows: Rows) -> Any:
    return np.asarray(X)[:, rows] if get_tags(model).input_tags.pairwise else X
