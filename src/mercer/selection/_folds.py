"""Which rows are held out, checked before anything is trained."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import check_random_state

from mercer._random import seed_of
from mercer._types import RandomState, Samples

Index = NDArray[np.intp]
Fold = tuple[Index, Index]


def make_folds(
    cv: Any,
    X: Samples,
    y: NDArray[Any],
    groups: ArrayLike,
    *,
    classifier: bool,
    random_state: RandomState,
) -> list[Fold]:
    """Training and test rows of every fold.

    A number of folds means shuffled folds, stratified for a classifier, whole groups if there are
    groups; anything else is scikit-learn's: a splitter or an iterable of pairs of index arrays.
    """
    folds = [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for train, test in _splitter(cv, y, groups, classifier, random_state).split(X, y, groups)
    ]
    if not folds:
        raise ValueError("cv gives no folds: nothing could be compared")
    for number, (train, test) in enumerate(folds):
        _check_fold(number, train, test, y, classifier)
    return folds


def shuffle_of(search: Any) -> Any:
    """What shuffles the rows of a search: drawn anew each time unless it was given.

    Beside a checkpoint the search has to meet the same folds again, so there it is not drawn.
    """
    if search.random_state is not None:
        return search.random_state
    return seed_of(None) if search.checkpoint is None else 0


def hold_out(classifier: bool, random_state: RandomState, share: float = 0.2) -> Any:
    """A single split."""
    splitter = StratifiedShuffleSplit if classifier else ShuffleSplit
    return splitter(1, test_size=share, random_state=random_state)


def _splitter(
    cv: Any, y: NDArray[Any], groups: ArrayLike | None, classifier: bool, random_state: RandomState
) -> Any:
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer):
        return check_cv(cv, y, classifier=classifier)
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, got {cv}")
    if groups is not None:
        return GroupKFold(int(cv))
    seed = check_random_state(random_state).randint(2**31 - 1)
    if not classifier:
        if cv > len(y):
            raise ValueError(f"cv={cv} folds of {len(y)} rows leave some empty; use cv<={len(y)}")
        return KFold(int(cv), shuffle=True, random_state=seed)
    rarest, count = _rarest(y)
    if count < cv:
        raise ValueError(
            f"cv={cv} folds need at least {cv} rows of every class, but class {rarest!r} has "
            f"{count}. Use cv={max(2, count)}"
            f"{'' if count >= 2 else ' after adding rows of that class or leaving it out'}, or a "
            "criterion that trains on all rows, such as criterion='span'."
        )
    return StratifiedKFold(int(cv), shuffle=True, random_state=seed)


def _rarest(y: NDArray[Any]) -> tuple[Any, int]:
    classes, counts = np.unique(y, return_counts=True)
    place = int(counts.argmin())
    return classes[place].item() if hasattr(classes[place], "item") else classes[place], int(
        counts[place]
    )


def _check_fold(number: int, train: Index, test: Index, y: NDArray[Any], classifier: bool) -> None:
    if len(train) == 0 or len(test) == 0:
        raise ValueError(
            f"fold {number} has {len(train)} training and {len(test)} test rows; both are needed"
        )
    if np.intersect1d(train, test).size:
        raise ValueError(f"fold {number} tests on rows that it trains on")
    if not classifier:
        return
    missing = np.setdiff1d(np.unique(y), np.unique(y[train]))
    if missing.size:
        raise ValueError(
            f"fold {number} trains without class {missing.tolist()[0]!r}: its {len(train)} "
            "training rows do not contain it. Use fewer folds, stratified folds (an integer cv), "
            "or groups that do not hold a class alone."
        )
