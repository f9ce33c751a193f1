"""Rows that should be fresh and were trained on.

Training rows are known from the marks of a certified fit, from rows a learner keeps (neighbours,
support vectors, Gaussian processes), from the leaf counts of trees, or because the user passes
them. Equal rows are told only where chance does not explain them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from mercer.certification.checks.case import FEW, Case, numbers_of, shape_of
from mercer.certification.checks.finding import FIRST_LINE, NOTE, REFUSE, Finding
from mercer.certification.checks.frozen import is_fitted
from mercer.certification.checks.near_copies import close_to
from mercer.certification.checks.trees import falls_like_training_rows, grown_on
from mercer.certification.core.marks import Marks, row_marks

NAME = "seen"
KEPT = ("_fit_X", "X_fit_", "X_train_", "fit_X_", "_objects", "_training", "support_vectors_")
RECORDED = ("rows", "objects", "X")  # in the record that Mercer's learners leave
_INSIDE = ("model_", "best_estimator_", "estimator_", "base_estimator_")
_MEMBERS = 5  # of an ensemble that are asked
_DRAWS = 999
_LEVEL = 0.01


def seen_rows(model: Any, case: Case, training: Any = None) -> list[Finding]:
    """Fresh rows that the model was trained on, as far as its training rows are known."""
    if training is not None:
        marks = row_marks(training)
        found = _compare(case, row_marks(case.X), marks, len(marks))
        if found:
            return found
    kept = getattr(getattr(model, "certification_", None), "marks", None)
    if isinstance(kept, Mapping):
        fresh = row_marks(case.X, kept["salt"], pairwise=case.pairwise)
        found = _compare(case, fresh, kept["marks"], int(kept["n"]))
        if found:
            return found
    for rows, learner in learners_inside(model, case.X):
        found = _kept_by(learner, rows, case)
        if found:
            return found
    return []


def learners_inside(model: Any, X: Any, depth: int = 4) -> Iterator[tuple[Any, Any]]:
    """Every learner inside the model, with the rows as it gets them."""
    if isinstance(model, Pipeline):
        X = model[:-1].transform(X) if len(model) > 1 else X
        model = model[-1]
    yield X, model
    inside = [getattr(model, name) for name in _INSIDE if hasattr(model, name)]
    members = getattr(model, "estimators_", None)
    if not inside and isinstance(members, list) and not hasattr(members[0], "tree_"):
        inside = members[:_MEMBERS]
    inside += [part.estimator for part in getattr(model, "calibrated_classifiers_", [])[:_MEMBERS]]
    if not isinstance(model, BaseEstimator):  # a model of the user's own may hold one
        inside += [part for part in getattr(model, "__dict__", {}).values() if is_fitted(part)]
    for part in inside if depth else ():
        yield from learners_inside(part, X, depth - 1)


def _kept_by(learner: Any, rows: Any, case: Case) -> list[Finding]:
    if grown_on(learner, rows):
        return [_refused(case.n)]
    p = falls_like_training_rows(learner, rows)
    if p <= _LEVEL:
        words = "the fresh rows fall into the leaves of the trees as rows seen before do"
        return [Finding(NAME, FIRST_LINE, words, p)]
    record = getattr(learner, "fitted_", None)
    kept = [getattr(learner, name, None) for name in KEPT]
    for held in [*kept, *(getattr(record, name, None) for name in RECORDED)]:
        if held is None or callable(held) or not _alike(held, rows):
            continue
        # what a pipeline computes twice may differ in the last bits: compare to single precision
        fresh, old = _single(rows), _single(held)
        marks = row_marks(old)
        trained = (getattr(learner, "shape_fit_", None) or (len(marks),))[0]
        return _compare(case, row_marks(fresh), marks, int(trained)) or _near(case, fresh, old)
    return []


def _alike(held: Any, rows: Any) -> bool:
    a, b = shape_of(held), shape_of(rows)
    if len(a) == 2 and len(b) == 2:
        return a[1] == b[1]
    return len(a) == len(b)


def _single(table: Any) -> Any:
    numbers = numbers_of(table)
    if numbers is not None:
        return numbers.astype(np.float32)
    return table.astype(np.float32) if hasattr(table, "tocsr") else table


def _compare(case: Case, fresh: Marks, old: Marks, trained: int) -> list[Finding]:
    """All of the rows seen: refused. Some, beyond chance: told."""
    count, n = int(np.isin(fresh, old).sum()), len(fresh)
    if not count:
        return []
    certain = case.continuous
    known_by_few = trained == n and bool(np.isin(old, fresh).all())  # support vectors
    same = len(old) == n and np.array_equal(np.sort(fresh), np.sort(old))
    if same or (certain and (count == n or known_by_few)):
        return [_refused(n)]
    p = None if certain else chance(fresh, old)
    if p is not None and p > _LEVEL:
        return []
    words = f"{count} of {n} fresh rows equal rows the model was trained on"
    return [Finding(NAME, FIRST_LINE if count > FEW * n else NOTE, words, p)]


def _near(case: Case, fresh: Any, old: Any) -> list[Finding]:
    """The same rows with fewer digits, say."""
    if not case.continuous or numbers_of(fresh) is None or numbers_of(old) is None:
        return []
    count, p = close_to(np.asarray(fresh, dtype=float), np.asarray(old, dtype=float))
    if p > _LEVEL or count <= FEW * case.n:
        return []
    words = f"{count} of {case.n} fresh rows almost equal rows the model was trained on"
    return [Finding(NAME, FIRST_LINE, words, p)]


def chance(fresh: Marks, old: Marks) -> float:
    """P(so many fresh rows have a twin among the old) if rows were divided at random; exact."""
    both = np.unique(np.concatenate([fresh, old]), return_inverse=True)[1].ravel()
    is_fresh = np.arange(len(both)) < len(fresh)

    def twins(mask: NDArray[np.bool_]) -> int:
        known = np.zeros(int(both.max()) + 1, dtype=bool)
        known[both[~mask]] = True
        return int(known[both[mask]].sum())

    rng, observed = np.random.default_rng(0), twins(is_fresh)
    drawn = [twins(rng.permutation(is_fresh)) for _ in range(_DRAWS)]
    return (1 + sum(value >= observed for value in drawn)) / (1 + _DRAWS)


def _refused(n: int) -> Finding:
    return Finding(
        NAME,
        REFUSE,
        f"All {n} rows were trained on: errors on them say nothing about new rows. A certificate "
        "needs rows the model has never seen, or mercer.certified_fit, which keeps some apart.",
    )
