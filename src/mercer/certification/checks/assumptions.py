"""Assumption checks shipped with a certificate.

Every certificate assumes something that can be tested, though never proved: rows that could have
come in any order, unseen rows that really are unseen, future data from the same law. Each check
returns a `Check` with a valid p-value and a sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._types import Samples
from mercer.certification.checks.check import LEVEL, Check
from mercer.certification.checks.drift import check_drift
from mercer.certification.checks.duplicates import check_duplicates
from mercer.certification.checks.exchangeability import check_exchangeability
from mercer.certification.core.task import Result, Task


def check_assumptions(
    X: Samples,
    y: ArrayLike | None = None,
    X_fresh: Any = None,
    y_fresh: Any = None,
    *,
    level: float = LEVEL,
    random_state: int | None = 0,
    feature_names: Any = None,
) -> tuple[Check, ...]:
    """Run every check the given data allow.

    With one table: exchangeability over its row order. With fresh rows too: duplicates across the
    two tables and drift between them. Each check keeps its own ``level``; that one of three warns
    though nothing is wrong happens at most three times as often.
    """
    found = [
        check_exchangeability(
            X, y, level=level, random_state=random_state, feature_names=feature_names
        )
    ]
    if X_fresh is not None:
        both = (y, y_fresh) if y is not None and y_fresh is not None else (None, None)
        found.append(check_duplicates(X, X_fresh, *both, level=level, random_state=random_state))
        found.append(
            check_drift(
                X,
                X_fresh,
                *both,
                level=level,
                random_state=random_state,
                feature_names=feature_names,
            )
        )
    return tuple(found)


def run_checks(task: Task, result: Result) -> tuple[Check, ...]:
    """Row order (unless time order was declared), rows on both sides of the split, the pool."""
    if task.rows.pairwise:
        task.notes.append("Checks were left out: a kernel matrix has no columns to look at.")
        return ()
    found = []
    with task.timed("checks"):
        try:
            if task.order.kind == "random":
                found.append(check_exchangeability(task.rows.X, task.rows.y))
            unseen = np.setdiff1d(result.counted, result.train)
            if unseen.size:
                train = np.asarray(result.train)
                sides = (task.rows.take(train), task.rows.take(unseen))
                found.append(check_duplicates(*sides))
            if task.options["pool"] is not None:
                found.append(check_drift(task.rows.X, task.options["pool"]))
        except (TypeError, ValueError) as problem:  # objects, gaps
            task.notes.append(f"A check could not be made: {problem}.")
    return tuple(found)
